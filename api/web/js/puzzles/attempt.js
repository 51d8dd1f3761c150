// A puzzle at the table: a private game from its position, the solver's answers, and the moves played after them.
// @ts-check
import { effect, signal } from "../vendor.js";
import { Client } from "../shared/client.js";
import { language } from "../shared/i18n.js";
import { countDay, judge, keepShown, keepSolved, nextPuzzle, puzzleLink, puzzleOf, today } from "./puzzles.js";
import { everyMove, scene, skip, skips } from "../table/scenes.js";
import * as state from "../table/state.js";

/** @typedef {import("./puzzles.js").Step} Step */
/** @typedef {import("./puzzles.js").Judged} Judged */

export const puzzle = signal(/** @type {import("./puzzles.js").Puzzle | null} */ (null));
/** The puzzle of the day; null until it is loaded. */
export const daily = signal(/** @type {import("./puzzles.js").Daily | null} */ (null));
/** The puzzle that is offered next. */
export const next = signal(/** @type {import("./puzzles.js").Puzzle | null} */ (null));
/**
 * Verdict on the last answer: `asked` before the first answer; `shown` after the solver has given up; `broken` after
 * an error, so that the solver has to try again.
 */
export const verdict = signal(/** @type {"asked" | "right" | "wrong" | "solved" | "shown" | "broken"} */ ("asked"));
/** Sentence on why a wrong answer is not refuted by moves; else empty. */
export const note = signal("");
/** True while the page plays moves one after the other. */
export const playing = everyMove;
/** Views of the seats whose cards the solver may see; the game's `Known` lists them. */
export const views = signal(/** @type {any[]} */ ([]));

/** The game that the puzzle is played in, with the token of each seat. */
let session = { id: "", tokens: /** @type {Record<string, string>} */ ({}) };
/** The right answers so far. */
let answers = /** @type {any[]} */ ([]);
/** All actions taken before the decision that the solver has to make. */
let played = /** @type {Step[]} */ ([]);

/** @param {number} seat */
const clientOf = (seat) => new Client({ token: session.tokens[seat], language: () => language.value });

/** Return whether the solver need not choose a move now: moves are being played, or the puzzle is over. */
export const isThrough = () => playing.value || ["wrong", "solved", "shown", "broken"].includes(verdict.value);

/** Resolve once *holds* is true. @param {() => boolean} holds @returns {Promise<void>} */
function until(holds) {
  return new Promise((done) => {
    let stop = () => {};
    stop = effect(() => {
      if (!holds()) return;
      done();
      queueMicrotask(() => stop());
    });
  });
}

/** Run `work`; if it fails, show the error and set the verdict `broken`. @param {() => Promise<void>} work */
async function safely(work) {
  state.problem.value = null;
  try {
    await work();
  } catch (error) {
    verdict.value = "broken";
    state.showError(error);
  } finally {
    playing.value = false;
  }
}

/** Take an action of a seat, and return the response. @param {Step} step */
const take = ({ seat, action }) => clientOf(seat).act(`/v1/games/${session.id}/actions`, action);

/** Create a game from the puzzle's position, take *steps* in it at once, and open its table. @param {Step[]} steps */
async function lay(steps) {
  const { ruleset, position } = /** @type {import("./puzzles.js").Puzzle} */ (puzzle.value);
  const seats = Array.from({ length: position.players }, () => ({ kind: "human" }));
  let game = await clientOf(0).act("/v1/games", { ruleset, seats, position, private: true }, { tries: 3 });
  session = game;
  for (const step of steps) game = await take(step);
  state.returnToPresent();
  await sit(game.to_act[0]);
}

/** Show the table as a seat sees it. @param {number} seat */
const sit = (seat) => state.openTable(session.id, session.tokens[seat], false);

/** Number of times that Skip had been pressed when the page began to play moves. */
let skipsBefore = 0;

/** Resolve when a version has been shown for the time that the pace sets, or was skipped. @param {number} version */
async function isShown(version) {
  await until(() => state.game.value.version >= version);
  await Promise.resolve(); // first let an effect of the same change start that scene
  if (skips.value !== skipsBefore) skip(); // Skip was pressed, perhaps before the scene began
  await until(() => scene.value === null);
}

function beginPlaying() {
  skipsBefore = skips.value;
  playing.value = true;
}

/** Play moves one after the other, at the table's pace, or all at once after a press of Skip. @param {Step[]} line */
async function playOut(line) {
  for (const step of line) {
    await isShown((await take(step)).version);
  }
}

const usual = state.sending.send;

/** Let the server judge the chosen action; take it in the game and play the moves that follow. @type {typeof usual} */
async function send(chosen, version) {
  const { id } = /** @type {import("./puzzles.js").Puzzle} */ (puzzle.value);
  const judged = await judge(id, { actions: [...answers, chosen.action] });
  beginPlaying(); // first, because the stream may send the move before the response arrives
  const sent = usual(chosen, version);
  void safely(async () => goOn({ ...chosen, seat: state.game.value.you }, judged, (await sent).version));
  return sent;
}
state.sending.send = send;

/** Show a verdict and play on. @param {Step} step @param {Judged} judged @param {number} version after the answer */
async function goOn(step, judged, version) {
  note.value = judged.note ?? "";
  verdict.value = judged.solved ? "solved" : judged.right ? "right" : "wrong";
  if (judged.right) {
    answers = [...answers, step.action];
    played = [...played, step, ...judged.line];
  }
  if (judged.solved) await keep();
  await isShown(version);
  await playOut(judged.line);
  const [seat] = state.game.value.to_act;
  if (verdict.value === "right" && seat !== state.game.value.you) await sit(seat);
}

/** Store in this browser that the puzzle is solved. */
async function keep() {
  const { id } = /** @type {import("./puzzles.js").Puzzle} */ (puzzle.value);
  keepSolved(id);
  daily.value = await today();
  if (daily.value.id === id) countDay(daily.value.day);
  await findNext();
}

/** Load the puzzle that is offered next. */
async function findNext() {
  if (puzzle.value) next.value = await nextPuzzle(puzzle.value);
}

/** Show the answer, move by move from the beginning. */
export function showAnswer() {
  const { id } = /** @type {import("./puzzles.js").Puzzle} */ (puzzle.value);
  if (daily.value?.id === id) keepShown(daily.value.day);
  [answers, played, note.value] = [[], [], ""];
  verdict.value = "shown";
  beginPlaying();
  return safely(async () => {
    const { line } = await judge(id, { give_up: true });
    await findNext();
    await lay([]);
    await playOut(line);
  });
}

/** Go back to the position of the last decision. */
export function tryAgain() {
  return safely(async () => {
    await lay(played);
    note.value = "";
    verdict.value = answers.length ? "right" : "asked";
  });
}

/** Load the puzzle that the address names, and open its table. */
export function begin() {
  const asked = decodeURIComponent(location.pathname.split("/").pop() ?? "");
  return safely(async () => {
    const [ofDay, named] = await Promise.all([today(), asked === "today" ? null : puzzleOf(asked)]);
    daily.value = ofDay;
    puzzle.value = named ?? ofDay;
    if (!named) history.replaceState(null, "", puzzleLink(ofDay.id) + location.hash);
    await (location.hash === "#answer" ? showAnswer() : lay([]));
  });
}

let spoken = language.value;
effect(() => {
  const { id } = puzzle.peek() ?? {};
  if (language.value === spoken) return;
  spoken = language.value;
  if (id) puzzleOf(id).then((read) => (puzzle.value = read), state.showError);
});

let viewsAsked = 0;
effect(() => {
  const game = state.game.value;
  const number = ++viewsAsked;
  if (!game || game.id !== session.id || !state.ruleset.value?.loadKnown) return;
  const all = Object.keys(session.tokens).map((seat) =>
    Number(seat) === game.you ? game : clientOf(Number(seat)).ask(`/v1/games/${game.id}`),
  );
  Promise.all(all).then((read) => {
    if (number === viewsAsked) views.value = read.map(({ view }) => view);
  }, state.showError);
});
