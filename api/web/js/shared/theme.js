// Theme, number of colours of the suits, and the bold font of a page.
// @ts-check
import { signal } from "../vendor.js";
import { setting } from "./saved.js";

export const theme = signal(setting("theme", "auto"));
export const fourColours = signal(setting("fourColours", false));

/** Apply theme and colours to the page. */
export function applyTheme() {
  const root = document.documentElement;
  root.dataset.theme = theme.value;
  root.dataset.colours = fourColours.value ? "four" : "two";
}
applyTheme();

/** Load the bold font. Until it arrives, the browser emboldens the regular one. */
export function loadBoldFace() {
  const face = new FontFace("Cabin", "url(/static/fonts/cabin-600.woff2)", { weight: "600" });
  face.load().then(
    () => document.fonts.add(face),
    (error) => console.info(error),
  );
}
// A table loads the bold font itself, after its first paint.
if (!location.pathname.startsWith("/play")) addEventListener("load", loadBoldFace);
