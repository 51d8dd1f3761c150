// Choosing a card by dragging it: a drop selects the card and commits no action. Loaded after the first paint.
// @ts-check

/** Cards that can be dragged: those of the hand, and cards to be placed on a square. */
const CARDS = "[data-hand] button[data-token][aria-disabled=false], [data-drag]";
const SQUARES = "[data-token][aria-disabled=false]";
/** Distance in pixels from which a press counts as a drag. */
const LEAST = 8;

/** The dragged card, where the drag began, and the square below the card. @type {Drag | null} */
let drag = null;
/** @typedef {{card: HTMLElement, x: number, y: number, moved: boolean, below: Element | null}} Drag */

/** Return the element below the pointer, ignoring the dragged card. @param {PointerEvent} event */
function under({ clientX, clientY }) {
  return document.elementsFromPoint(clientX, clientY).find((one) => !drag?.card.contains(one)) ?? null;
}

/** Send a square the mouse events that it would get if the mouse were above it. @param {Element | null} square */
function lookAt(square) {
  if (!drag || drag.below === square) return;
  drag.below?.dispatchEvent(new MouseEvent("mouseleave"));
  square?.dispatchEvent(new MouseEvent("mouseenter"));
  drag.below = square;
}

/** @param {PointerEvent} event */
function take(event) {
  const card = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest?.(CARDS));
  if (!card || event.button !== 0 || !event.isPrimary) return;
  drag = { card, x: event.clientX, y: event.clientY, moved: false, below: null };
}

/** @param {PointerEvent} event */
function move(event) {
  if (!drag) return;
  const [right, down] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.moved) {
    if (Math.hypot(right, down) < LEAST) return;
    drag.moved = true;
    drag.card.setPointerCapture(event.pointerId);
    drag.card.classList.add("dragged");
  }
  drag.card.style.translate = `${right}px ${down}px`;
  if (!drag.card.closest("[data-hand]")) lookAt(under(event)?.closest(SQUARES) ?? null);
}

/**
 * Select the dropped card, or deselect one that is dropped on the hand.
 * @param {HTMLElement} card
 * @param {Element | null} place
 */
function drop(card, place) {
  const hand = card.closest("[data-hand]");
  const target = /** @type {HTMLElement | null} */ (hand ? card : (place?.closest(SQUARES) ?? null));
  const chosen = target?.getAttribute("aria-pressed") === "true";
  if (hand ? chosen === Boolean(place && hand.contains(place)) : target && !chosen) target?.click();
}

/** @param {PointerEvent} event */
function leave(event) {
  const ended = drag;
  const place = under(event);
  lookAt(null);
  drag = null;
  if (!ended?.moved) return;
  ended.card.classList.remove("dragged");
  ended.card.style.translate = "";
  if (event.type === "pointerup") drop(ended.card, place);
  // The click that the browser sends at the end of a drag must not select the card.
  const stop = (/** @type {Event} */ click) => click.stopPropagation();
  addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", stop, { capture: true }));
}

addEventListener("pointerdown", take);
addEventListener("pointermove", move);
addEventListener("pointerup", leave);
addEventListener("pointercancel", leave);
