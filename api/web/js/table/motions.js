// Animations of cards, from their old places to their new ones. Loaded after the first paint, unless motion is reduced.
// @ts-check
import { effect } from "../vendor.js";
import { pace, shownGame, skips } from "./scenes.js";
import { past } from "./state.js";
import * as state from "./state.js";

const FLY = "cubic-bezier(.3,.1,.2,1)";
const OUT = "cubic-bezier(.2,.8,.2,1)";
const HIT = "cubic-bezier(.36,0,.2,1.4)";
const FLY_MS = 240;
const ENTER_MS = 320;
const HIT_MS = 260;
/** Milliseconds between the starts of two motions, if several cards move. */
const APART_MS = 60;
/** Maximum number of cards that are animated to the discard pile, and maximum number of delayed starts. */
const MOST_AWAY = 4;
/** Distance in pixels below which a move of a card isn't animated. */
const LEAST = 4;

/** @typedef {{rect: DOMRect, node: Element}} Place */

/** Animations that are running. @type {Set<Animation>} */
const running = new Set();

/** Return the place of each card on the page, by name. */
function places() {
  const found = /** @type {Map<string, Place>} */ (new Map());
  for (const node of document.querySelectorAll(".stage [data-card]")) {
    const name = /** @type {HTMLElement} */ (node).dataset.card ?? "";
    const rect = node.getBoundingClientRect();
    if (rect.width && !found.has(name)) found.set(name, { rect, node });
  }
  return found;
}

/** @param {string} selector */
const rectOf = (selector) => document.querySelector(`.stage ${selector}`)?.getBoundingClientRect();

/**
 * Animate an element. Until the animation ends, the element ignores clicks.
 * @param {Element} node
 * @param {Keyframe[]} frames
 * @param {{duration: number, delay?: number, easing: string}} timing
 */
function animate(node, frames, { duration, delay = 0, easing }) {
  const halved = pace.peek() === 300 ? 0.5 : 1;
  const { style } = /** @type {HTMLElement} */ (node);
  const animation = node.animate(frames, { duration: duration * halved, delay, easing, fill: "backwards" });
  style.pointerEvents = "none";
  running.add(animation);
  const done = () => {
    running.delete(animation);
    const moves = [...running].some((one) => /** @type {KeyframeEffect} */ (one.effect).target === node);
    if (!moves) style.pointerEvents = "";
  };
  animation.finished.then(done, done);
  return animation;
}

/**
 * Return the transform that shows an element at *now* as if it lay at *before*.
 * @param {DOMRect} now
 * @param {DOMRect} before
 */
function away(now, before) {
  const [x, y] = [
    before.left + before.width / 2 - now.left - now.width / 2,
    before.top + before.height / 2 - now.top - now.height / 2,
  ];
  return `translate(${x}px, ${y}px) scale(${before.width / now.width})`;
}

/** Return the place from which a new card on the page comes. @param {Element} node @param {number | null} mover */
function origin(node, mover) {
  const drawn = node.closest("[data-hand]") || mover === null;
  return rectOf(drawn ? "[data-pile=draw]" : `[data-seat="${mover}"]`) ?? rectOf("[data-pile=draw]");
}

/**
 * Return the motions of cards whose place has changed. Measures all places before anything moves, because after each
 * change the browser would compute the layout again.
 * @param {Map<string, Place>} before
 * @param {Map<string, Place>} now
 * @param {number | null} mover
 * @returns {[Element, Keyframe[], {duration: number, delay?: number, easing: string}][]}
 */
function arrivals(before, now, mover) {
  const motions = /** @type {ReturnType<typeof arrivals>} */ ([]);
  let order = 0;
  for (const [name, { rect, node }] of now) {
    const old = before.get(name)?.rect;
    if (!old && node.closest("[data-hit]")) {
      motions.push([node, [{ transform: "scale(.25)", opacity: 0 }, {}], { duration: ENTER_MS, easing: OUT }]);
      continue;
    }
    const from = old ?? origin(node, mover);
    if (!from?.width || Math.abs(from.left - rect.left) + Math.abs(from.top - rect.top) < LEAST) continue;
    const frames = [{ transform: `${away(rect, from)} rotate(${old ? 0 : -6}deg)` }, {}];
    motions.push([node, frames, { duration: FLY_MS, delay: APART_MS * Math.min(order++, MOST_AWAY), easing: FLY }]);
  }
  return motions;
}

/**
 * Animate cards that have left the page: each moves to the discard pile.
 * @param {Map<string, Place>} before
 * @param {Map<string, Place>} now
 * @param {DOMRect | undefined} pile
 */
function depart(before, now, pile) {
  const gone = [...before].filter(([name, { node }]) => !now.has(name) && !node.isConnected);
  if (!pile) return;
  for (const [order, [, { rect, node }]] of gone.slice(0, MOST_AWAY).entries()) {
    const ghost = /** @type {HTMLElement} */ (node.cloneNode(true));
    for (const name of ["data-card", "data-token", "data-last-move", "aria-label", "role"]) ghost.removeAttribute(name);
    ghost.setAttribute("aria-hidden", "true");
    ghost.classList.add("flying");
    ghost.inert = true;
    Object.assign(ghost.style, { left: `${rect.left}px`, top: `${rect.top}px`, width: `${rect.width}px` });
    document.querySelector(".stage")?.append(ghost);
    const frames = [{}, { transform: away(rect, pile), opacity: 0.4 }];
    const flight = animate(ghost, frames, { duration: 200, delay: APART_MS * order, easing: FLY });
    flight.finished.finally(() => ghost.remove()).catch(() => undefined);
  }
}

/** Shake the cards that a move hit. @param {any[]} events */
function shake(events) {
  for (const token of state.ruleset.peek()?.struck?.(events) ?? []) {
    const node = document.querySelector(`.stage [data-hit="${token}"]`);
    const card = node?.querySelector("[data-card]") ?? node;
    const frames = [0, -7, 7, -5, 4, 0].map((x) => ({ transform: `translateX(${x}px) rotate(${x / 7}deg)` }));
    if (card) animate(card, frames, { duration: HIT_MS, delay: FLY_MS, easing: HIT });
  }
}

/** End all running animations at once. */
function finish() {
  for (const animation of running) animation.finish();
}

/** Game and version that were shown last. */
let last = "";
effect(() => {
  const { version, id, you } = shownGame.value ?? {};
  const shown = id && past.value === null ? `${id}/${version}` : "";
  const follows = last.startsWith(`${id}/`) && shown && shown !== last;
  last = shown;
  if (!follows || document.hidden) return;
  const before = places();
  const events = state.events.peek().filter((one) => one.version === version);
  const mover = events.find((one) => one.seat != null)?.seat ?? null;
  // The page is drawn again before the next frame. Then the new places can be measured.
  requestAnimationFrame(() => {
    const now = places();
    const pile = rectOf("[data-pile=discard]");
    for (const motion of arrivals(before, now, mover === you ? null : mover)) animate(...motion);
    depart(before, now, pile);
    shake(events);
  });
});
effect(() => {
  if (skips.value) finish();
});
