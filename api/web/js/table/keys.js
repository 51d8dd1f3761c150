// Keyboard shortcuts. Tab keeps its function, and keys in text fields are ignored.
// @ts-check
import { signal } from "../vendor.js";
import { saveSetting, setting } from "../shared/saved.js";
import { everyMove, showing, skip } from "./scenes.js";
import { back, forward } from "./state.js";
import * as state from "./state.js";

/** True if single-character shortcuts are on. The reader can turn them off (WCAG 2.1.4). */
export const letters = signal(setting("letters", true));

/** @param {boolean} on */
export function setLetters(on) {
  letters.value = on;
  saveSetting("letters", on);
}

/** Return the elements that arrows and digits reach: cards of the hand, if any, else all selectable elements.
 * @returns {HTMLElement[]} */
function choices() {
  const hand = document.querySelector("[data-hand]");
  const inHand = hand ? [...hand.querySelectorAll("button[data-token]")] : [];
  return /** @type {HTMLElement[]} */ (
    inHand.length ? inHand : [...document.querySelectorAll("main button[data-token]:enabled:not([aria-disabled=true])")]
  );
}

/** @param {HTMLElement[]} all @param {string} key */
function move(all, key) {
  const now = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const by = key === "ArrowLeft" ? -1 : key === "ArrowRight" ? 1 : 0;
  if (by) return now < 0 ? (by > 0 ? 0 : all.length - 1) : (now + by + all.length) % all.length;
  if (now < 0) return 0;
  // Up and down move to the nearest element in the row above or below.
  const from = all[now].getBoundingClientRect();
  const sign = key === "ArrowUp" ? -1 : 1;
  const rows = all
    .map((one, index) => ({ index, at: one.getBoundingClientRect() }))
    .filter(({ at }) => sign * (at.top - from.top) > from.height / 2)
    .sort(
      (a, b) =>
        Math.abs(a.at.top - from.top) - Math.abs(b.at.top - from.top) ||
        Math.abs(a.at.left - from.left) - Math.abs(b.at.left - from.left),
    );
  return rows[0]?.index ?? now;
}

/** @typedef {{help: () => void, hint: () => void, log: () => void, close: () => void}} Doings */

/** @param {Doings} doings */
export function listen(doings) {
  addEventListener("keydown", (event) => {
    const focused = /** @type {HTMLElement} */ (event.target);
    // A dialog that was just closed may have the focus: ignore it.
    const target = focused.closest?.("dialog:not([open])") ? document.body : focused;
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    if (target.closest?.("input, select, textarea, dialog") && event.key !== "?") return;
    if (act(event, target, doings)) event.preventDefault();
  });
}

/**
 * Handle a key. Returns whether it is a shortcut.
 * @param {KeyboardEvent} event
 * @param {HTMLElement} target
 * @param {Doings} doings
 */
function act(event, target, doings) {
  const { key } = event;
  const { close } = doings;
  if (key === " " && (showing.value || everyMove.value)) {
    skip();
    return true;
  }
  if (!letters.value && /^[a-z?[\]]$/i.test(key)) return false;
  const all = choices();
  if (/^[1-9]$/.test(key)) {
    const one = all[Number(key) - 1];
    one?.focus();
    one?.click();
    return Boolean(one);
  }
  if (key.startsWith("Arrow")) {
    if (!all.length || (target !== document.body && !target.closest("main"))) return false;
    if (target.closest(".side")) return false;
    all[move(all, key)]?.focus();
    return true;
  }
  // On an unselected button Enter selects it, as a click does.
  const chosen =
    target === document.body ||
    target.matches("[data-token][aria-pressed=true], [data-token][aria-disabled=true], .status");
  if (key === "Enter" && chosen && state.selectedAction.value && document.getElementById("act")) {
    state.act();
    return true;
  }
  if (key === "Escape") {
    if (!state.selection.value.length) close();
    state.selection.value = [];
    return false;
  }
  return pressLetter(key.toLowerCase(), doings);
}

/**
 * Handle a key that is a single character. Returns whether it is a shortcut.
 * @param {string} key
 * @param {Doings} doings
 */
function pressLetter(key, { help, hint, log }) {
  /** @type {Record<string, () => void>} */
  const shortcuts = { h: hint, l: log, "[": back, "]": forward, "?": help };
  if (key in shortcuts) {
    shortcuts[key]();
    return true;
  }
  // A letter of the game selects its button. If it is pressed again, it takes the action, as Enter does.
  const named = /** @type {HTMLElement | null} */ (
    /^[a-z]$/.test(key) ? document.querySelector(`.actbar [data-key="${key}"]`) : null
  );
  if (!named) return false;
  if (named.getAttribute("aria-pressed") === "true") state.act();
  /** @type {HTMLElement} */ else named.click();
  return true;
}
