// Other players' moves since the reader's last move: shown one after the other, marked on the board, and listed.
// @ts-check
import { computed, effect, signal } from "../vendor.js";
import { saveSetting, setting } from "../shared/saved.js";
import * as state from "./state.js";

/** Paces in the menu: milliseconds for each move of other players. */
export const PACES = [0, 300, 600, 1200];
const USUAL_PACE = 600;
export const pace = signal(setting("pace", USUAL_PACE));

/** @param {number} chosen */
export function setPace(chosen) {
  pace.value = chosen;
  saveSetting("pace", chosen);
  if (!chosen) skip();
}

/** The game after the move that is being shown; null if the board shows the present. */
export const scene = signal(/** @type {any} */ (null));
/** True while other players' moves are shown one after the other, but not while an earlier version is shown. */
export const showing = computed(() => scene.value !== null && state.past.value === null);
/** States of the game that are still to be shown, the oldest first. @type {any[]} */
let queue = [];
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Factor for the time of a move while `everyMove` is true, so that its sentence can be read. */
const READING = 2;
/** True while the page plays moves, as in a puzzle. Then the reader's own moves are shown like other players'. */
export const everyMove = signal(false);

/** Number of times that the reader has skipped to the present. */
export const skips = signal(0);

/** Count a skip, and show the present. */
export function skip() {
  skips.value = skips.peek() + 1;
  present();
}

/** Drop the states still to be shown, and show the present. */
function present() {
  clearTimeout(timer);
  timer = undefined;
  queue = [];
  scene.value = null;
}

function showNext() {
  const next = queue.shift();
  if (!next) return present();
  scene.value = next;
  timer = setTimeout(showNext, everyMove.peek() ? READING * pace.peek() : pace.peek());
}

/**
 * A move: a version with its events, the seat that made it, and the events of the move before it.
 * @typedef {{version: number, mover: number | null, events: any[], before?: any[]}} Move
 */

/** Return the moves among events, in order. Changes of seats and the deal are no moves. @param {any[]} events */
export function movesOf(events) {
  const moves = /** @type {Move[]} */ ([]);
  for (const event of events) {
    const last = moves.at(-1);
    /** @type {Move} */
    const move =
      last && last.version === event.version
        ? last
        : { version: event.version, mover: null, events: [], before: last?.events };
    if (move !== last) moves.push(move);
    move.mover ??= event.seat ?? null;
    move.events.push(event);
  }
  return moves.filter(({ mover, events: [first] }) => mover !== null && !state.SEATING.has(first.type));
}

/**
 * Return whether a move is shown together with the one before it.
 * @param {Move | undefined} move
 * @param {any} before
 */
const belongsTo = (move, before) =>
  Boolean(before && move && before.mover === move.mover && state.ruleset.peek()?.continues?.(move.events));

let seen = /** @type {any} */ (null);
effect(() => {
  const game = state.game.value;
  const before = seen;
  seen = game;
  const follows = before?.view && game?.view && before.id === game.id && game.version > before.version;
  if (!follows) return;
  const move = movesOf(state.events.peek().filter(({ version }) => version === game.version))[0];
  if (!pace.peek() || !move || (move.mover === game.you && !everyMove.peek())) {
    present();
    // A reader's move that only begins a turn, such as a draw, is shown for as long as other moves.
    if (move && state.ruleset.peek()?.opensTurn?.(move.events)) timer = setTimeout(showNext, pace.peek());
    return;
  }
  const next = { ...game, mover: move.mover };
  if (belongsTo(move, queue.at(-1))) queue[queue.length - 1] = next;
  else if (!queue.length && belongsTo(move, scene.peek())) scene.value = next;
  else queue.push(next);
  // Show at most one round of moves; drop older ones.
  queue.splice(0, queue.length - Math.max(game.seats.length - 1, 1));
  if (timer === undefined && queue.length) showNext();
  else scene.value ??= before;
});

/** The game that the board shows, unless the reader has chosen an earlier version. */
export const shownGame = computed(() => scene.value ?? state.game.value);

/** The moves up to the version that is shown. */
const shownMoves = computed(() => {
  const last = state.past.value ?? shownGame.value.version;
  return movesOf(state.events.value.filter(({ version }) => version <= last));
});

/** Return other players' moves after the reader's last one, or for a spectator the last round. @param {Move[]} moves */
function othersSince(moves) {
  const { you, seats } = shownGame.value;
  return you == null ? moves.slice(-seats.length) : moves.slice(moves.findLastIndex(({ mover }) => mover === you) + 1);
}

/** Other players' moves since the reader's last move. A draw that only begins a turn is ignored. */
export const since = computed(() => {
  const moves = shownMoves.value;
  const { you } = shownGame.value;
  const isNews = (/** @type {Move} */ { mover, events }) => mover !== you || !state.ruleset.value?.opensTurn?.(events);
  return othersSince(moves.slice(0, moves.findLastIndex(isNews) + 1));
});

/** By token of the board, such as `seat:1`: the other player's seat whose last move changed it. */
export const marks = computed(() => {
  const marked = /** @type {Record<string, number>} */ ({});
  for (const { mover, events } of othersSince(shownMoves.value)) {
    const changed = state.ruleset.value?.marks?.(events) ?? [`seat:${mover}`];
    for (const token of changed) marked[token] = Number(mover);
  }
  return marked;
});
