// Keyboard shortcuts. Tab keeps its function, and keys in text fields are ignored.
// @ts-check
import { back, forward } from "./state.js";
import * as state from "./state.js";

/** Return what arrows and digits reach: the hand, or all that can be selected. @returns {HTMLElement[]} */
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

/** @param {{help: () => void}} doings */
export function listen({ help }) {
  addEventListener("keydown", (event) => {
    const focused = /** @type {HTMLElement} */ (event.target);
    // A closed dialog keeps the focus until the next rendering.
    const target = focused.closest?.("dialog:not([open])") ? document.body : focused;
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    if (target.closest?.("input, select, textarea, dialog") && event.key !== "?") return;
    if (act(event, target, help)) event.preventDefault();
  });
}

/**
 * Handle a key. Returns whether it is a shortcut.
 * @param {KeyboardEvent} event
 * @param {HTMLElement} target
 * @param {() => void} help
 */
function act(event, target, help) {
  const { key } = event;
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
  if (key === "Enter" && chosen && state.selectedAction.value) {
    state.act();
    return true;
  }
  switch (key) {
    case "Escape":
      state.selection.value = [];
      return false;
    case "h":
    case "H":
      state.requestHint();
      return true;
    case "l":
    case "L":
      document.getElementById("log")?.focus();
      return true;
    case "[":
      back();
      return true;
    case "]":
      forward();
      return true;
    case "?":
      help();
      return true;
    default:
      return false;
  }
}
