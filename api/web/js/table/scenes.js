// What the others did since the reader's own move: shown one move after the other, marked, and said.
// @ts-check
import { computed, effect, signal } from "../vendor.js";
import { saveSetting, setting } from "../shared/saved.js";
import * as state from "./state.js";

/** Milliseconds from one move of others to the next: what the menu offers. */
export const PACES = [0, 300, 600, 1200];
const USUAL_PACE = 600;
export const pace = signal(setting("pace", USUAL_PACE));

/** @param {number} chosen */
export function setPace(chosen) {
  pace.value = chosen;
  saveSetting("pace", chosen);
  if (!chosen) skip();
}

/** The game as it is shown while others' moves are shown; null for the present. */
export const scene = signal(/** @type {any} */ (null));
/** True while others' moves are shown one after the other, and no earlier version is looked at. */
export const showing = computed(() => scene.value !== null && state.past.value === null);
/** Games that are still to be shown, the oldest first. @type {any[]} */
let queue = [];
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** So many times longer than at a game is each move shown where its sentence is to be read. */
const READING = 2;
/** True while the page plays moves out, as in a puzzle: then the reader's own are shown one after the other too. */
export const everyMove = signal(false);

/** How often the present was asked for. */
export const skips = signal(0);

/** Show the present at once. */
export function skip() {
  skips.value = skips.peek() + 1;
  present();
}

/** Show the present. */
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
 * A move: a version with its events and the seat that made it.
 * @typedef {{version: number, mover: number | null, events: any[]}} Move
 */

/** Return the moves among events, in order. What changes seats, and the deal, are no moves. @param {any[]} events */
export function movesOf(events) {
  const moves = /** @type {Move[]} */ ([]);
  for (const event of events) {
    const last = moves.at(-1);
    /** @type {Move} */
    const move = last && last.version === event.version ? last : { version: event.version, mover: null, events: [] };
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
  if (!pace.peek() || !move || (move.mover === game.you && !everyMove.peek())) return present();
  const next = { ...game, mover: move.mover };
  if (belongsTo(move, queue.at(-1))) queue[queue.length - 1] = next;
  else if (!queue.length && belongsTo(move, scene.peek())) scene.value = next;
  else queue.push(next);
  // Never more than a round behind.
  queue.splice(0, queue.length - Math.max(game.seats.length - 1, 1));
  if (timer === undefined && queue.length) showNext();
});

/** The game as it is shown, unless an earlier version is looked at. */
export const shownGame = computed(() => scene.value ?? state.game.value);

/** The moves up to the version that is shown: in a replay, none of those that came after it. */
const shownMoves = computed(() => {
  const last = state.past.value ?? shownGame.value.version;
  return movesOf(state.events.value.filter(({ version }) => version <= last));
});

/** For whoever has no seat: those of the last round. @param {Move[]} moves */
function othersSince(moves) {
  const { you, seats } = shownGame.value;
  return you == null ? moves.slice(-seats.length) : moves.slice(moves.findLastIndex(({ mover }) => mover === you) + 1);
}

/** The others' moves since the reader's last one, unless that only began a turn. */
export const since = computed(() => {
  const moves = shownMoves.value;
  const { you } = shownGame.value;
  const isNews = (/** @type {Move} */ { mover, events }) => mover !== you || !state.ruleset.value?.opensTurn?.(events);
  return othersSince(moves.slice(0, moves.findLastIndex(isNews) + 1));
});

/** What the others' last moves changed, with the seat that did: tokens that the ruleset's board knows, and `seat:1`. */
export const marks = computed(() => {
  const marked = /** @type {Record<string, number>} */ ({});
  for (const { mover, events } of othersSince(shownMoves.value)) {
    const changed = state.ruleset.value?.marks?.(events) ?? [`seat:${mover}`];
    for (const token of changed) marked[token] = Number(mover);
  }
  return marked;
});
