// The operator's notice, drawn over the table so that its layout doesn't move. Loaded with the first notice.
// It lies over the players' names alone until it is unfolded.
// @ts-check
import { effect, html, render, signal, useEffect, useRef } from "../../vendor.js";
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
/** Text of the notice that the reader has unfolded. */
const unfolded = signal(/** @type {string | null} */ (null));
/** True if a part of the text is cut off. */
const isCut = signal(false);

/** Tell the style sheet where the names of the players are, and find out whether the text is cut off there. */
function useNames(/** @type {any} */ box) {
  useEffect(() => {
    const measure = () => {
      const names = document.querySelector(".top .seats")?.getBoundingClientRect();
      box.current.toggleAttribute("data-anchored", Boolean(names));
      for (const side of /** @type {const} */ (["left", "width", "top", "height"]))
        box.current.style.setProperty(`--names-${side}`, `${names?.[side] ?? 0}px`);
      const words = box.current.querySelector("p");
      isCut.value = words !== null && words.scrollHeight > words.clientHeight + 1;
    };
    const sizes = new ResizeObserver(measure);
    const seats = document.querySelector(".top .seats");
    for (const one of [document.body, seats, box.current]) if (one) sizes.observe(one);
    measure();
    return () => sizes.disconnect();
  });
}

function Notice() {
  const { text } = state.operatorNotice.value;
  const box = useRef(null);
  useNames(box);
  const isOpen = unfolded.value === text;
  return html`<div role="status" class=${`notices${isOpen ? " unfolded" : ""}`} ref=${box}
    aria-label=${t("Notice from the operator")}>${
      isKnown.value && text && text !== putAway.value
        ? html`<div class="notice"><p><b>${t("Notice from the operator")}</b> <bdi>${text}</bdi></p>
        ${
          isCut.value || isOpen
            ? html`<button type="button" class="plain icon unfold" aria-label=${t("Show the whole notice")}
          aria-expanded=${isOpen ? "true" : "false"} onClick=${() => (unfolded.value = isOpen ? null : text)}>
          ${isOpen ? "▲" : "…"}</button>`
            : null
        }
        <button type="button" class="plain icon" aria-label=${t("Put the notice away")}
          onClick=${() => (putAway.value = text)}>✕</button></div>`
        : null
    }</div>`;
}

// A notice that was withdrawn comes back folded.
effect(() => {
  if (!state.operatorNotice.value.text) unfolded.value = null;
});

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
