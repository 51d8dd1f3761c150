// The operator's notice, drawn over the table so that its layout doesn't move. Loaded with the first notice.
// @ts-check
import { effect, html, render, signal } from "../../vendor.js";
import { addCatalogue, t } from "../../shared/i18n.js";
import * as state from "../state.js";

await Promise.all([addCatalogue(new URL(".", import.meta.url).href), state.loadStyles("/static/css/notice.css")]);

/** Milliseconds after which a screen reader knows the region: it says what changes in it. */
const KNOWN_MS = 100;
/** Milliseconds after which a stream that resumes would have told a notice, if there still is one. */
const TOLD_MS = 2000;

const isKnown = signal(false);
/** The notice that was told last. */
const shown = signal(/** @type {string | null} */ (null));
/** The notice that the reader has put away. */
const putAway = signal(/** @type {string | null} */ (null));

function Notice() {
  const text = shown.value;
  return html`<div role="status" class="notices" aria-label=${t("Notice from the operator")}>${
    isKnown.value && text && text !== putAway.value
      ? html`<div class="notice"><p><b>${t("Notice from the operator")}</b> <bdi>${text}</bdi></p>
        <button type="button" class="plain icon" aria-label=${t("Put the notice away")}
          onClick=${() => (putAway.value = text)}>✕</button></div>`
      : null
  }</div>`;
}

// A stream that resumes doesn't tell that a notice was taken back meanwhile.
let untold = 0;
let wasLost = false;
effect(() => {
  const now = state.connection.value;
  clearTimeout(untold);
  if (now === "lost") state.operatorNotice.value = undefined;
  if (wasLost && now === "live") untold = setTimeout(() => (shown.value = null), TOLD_MS);
  wasLost = now === "lost";
});
effect(() => {
  const told = state.operatorNotice.value;
  if (told === undefined) return;
  clearTimeout(untold);
  shown.value = told;
});

const place = document.createElement("div");
document.body.append(place);
render(html`<${Notice} />`, place);
setTimeout(() => (isKnown.value = true), KNOWN_MS);
