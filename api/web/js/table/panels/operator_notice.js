// The operator's notice, drawn over the table so that its layout doesn't move. Loaded with the first notice.
// @ts-check
import { effect, html, render, signal } from "../../vendor.js";
import { addCatalogue, t } from "../../shared/i18n.js";
import * as state from "../state.js";

await Promise.all([addCatalogue(new URL(".", import.meta.url).href), state.loadStyles("/static/css/notice.css")]);

/** Milliseconds before the first text is inserted: screen readers read only changes of an existing region. */
const KNOWN_MS = 100;
/** Milliseconds from the beginning of a stream within which it sends the notice, if there is one. */
const TOLD_MS = 2000;

const isKnown = signal(false);
/** Text of the notice that the reader has closed. */
const putAway = signal(/** @type {string | null} */ (null));

function Notice() {
  const { text } = state.operatorNotice.value;
  return html`<div role="status" class="notices" aria-label=${t("Notice from the operator")}>${
    isKnown.value && text && text !== putAway.value
      ? html`<div class="notice"><p><b>${t("Notice from the operator")}</b> <bdi>${text}</bdi></p>
        <button type="button" class="plain icon" aria-label=${t("Put the notice away")}
          onClick=${() => (putAway.value = text)}>✕</button></div>`
      : null
  }</div>`;
}

// A new stream doesn't report a withdrawn notice: if it sends no notice in TOLD_MS, remove the one that was loaded.
let untold = 0;
effect(() => {
  clearTimeout(untold);
  if (!state.operatorNotice.value.isLive && state.connection.value === "live")
    untold = setTimeout(() => (state.operatorNotice.value = { text: null, isLive: true }), TOLD_MS);
});

const place = document.createElement("div");
document.body.append(place);
render(html`<${Notice} />`, place);
setTimeout(() => (isKnown.value = true), KNOWN_MS);
