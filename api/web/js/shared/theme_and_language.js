// Theme and language: the controls in the header of every page.
// @ts-check
import { html, signal } from "../vendor.js";
import { saveSetting, setting } from "./saved.js";
import { LANGUAGES, language, setLanguage, t } from "./i18n.js";

const THEMES = ["auto", "light", "dark"];
export const theme = signal(setting("theme", "auto"));
export const fourColours = signal(setting("fourColours", false));

function applyTheme() {
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

function nextTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = theme.value === "auto" ? (dark ? "dark" : "light") : theme.value;
  theme.value = THEMES[now === "dark" ? 1 : 2];
  saveSetting("theme", theme.value);
  applyTheme();
}

export function toggleColours() {
  fourColours.value = !fourColours.value;
  saveSetting("fourColours", fourColours.value);
  applyTheme();
}

/** Return the path of a game's rules in the reader's language. @param {string} ruleset */
export const rulesLink = (ruleset) => `/v1/rulesets/${ruleset}/rules?lang=${language.value}`;

/** Buttons for language and theme in the header of a page. */
export function Choices() {
  const other = language.value === "es" ? "en" : "es";
  return html`<button type="button" class="plain" lang=${other} onClick=${() => setLanguage(other)}>
    ${LANGUAGES[other]}</button>
    <button type="button" class="plain icon" aria-label=${t("Theme")} title=${t("Theme")} onClick=${nextTheme}>
      ◐</button>`;
}
