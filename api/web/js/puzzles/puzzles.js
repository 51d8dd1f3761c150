// Puzzles: loading, links, the puzzles that this browser has solved, and the streak of daily puzzles.
// @ts-check
import { Client } from "../shared/client.js";
import { readStored, writeStored } from "../shared/saved.js";
import { language, t } from "../shared/i18n.js";

/** @typedef {{id: string, ruleset: string, grade: number, seat: number, position: any, goal: string,
 *   goal_text: string, moves: number}} Puzzle */
/** @typedef {Puzzle & {day: string}} Daily with the date, in UTC, that the server gives it */
/** @typedef {{seat: number, action: any, text: string}} Step */
/** @typedef {{right: boolean, solved: boolean, line: Step[], note?: string}} Judged */
/**
 * @typedef {{solved: string[], last: string, days: number, shown: string}} Kept
 * `solved`: ids. `last`: the last day whose puzzle was solved. `days`: number of days in a row up to `last`.
 * `shown`: the last day on which the answer of that day's puzzle was shown.
 */

const KEY = "regicide.puzzles";
const MOST = 200;
const DAY_MS = 24 * 3600 * 1000;
const client = new Client({ language: () => language.value });

export const GRADES = [1, 2, 3];

/** Return whether a game of this server has puzzles. @returns {Promise<boolean>} */
export const anyPuzzles = async () => (await client.ask("/v1/puzzles?limit=1")).puzzles.length > 0;
/** Return the puzzles of a game, the easiest first. @param {string} ruleset @returns {Promise<Puzzle[]>} */
export async function puzzlesIn(ruleset) {
  const asked = GRADES.map((grade) => client.ask(`/v1/puzzles?ruleset=${ruleset}&grade=${grade}&limit=${MOST}`));
  return (await Promise.all(asked)).flatMap(({ puzzles }) => puzzles);
}
/** @param {string} id @returns {Promise<Puzzle>} */
export const puzzleOf = (id) => client.ask(`/v1/puzzles/${encodeURIComponent(id)}`);
/** @returns {Promise<Daily>} */
export const today = () => client.ask("/v1/puzzles/today");
/** @returns {Promise<Daily>} */
export const yesterday = () => client.ask("/v1/puzzles/yesterday");
/** @param {string} id @param {Record<string, unknown>} body @returns {Promise<Judged>} */
export const judge = (id, body) => client.post(`/v1/puzzles/${encodeURIComponent(id)}/answers`, body);

/** Return the path of a puzzle; `answer`: the page plays its answer. @param {string} id @param {boolean} [answer] */
export const puzzleLink = (id, answer = false) => `/puzzles/${encodeURIComponent(id)}${answer ? "#answer" : ""}`;

/** Return the number of moves to find, in words. @param {number} moves */
export const movesText = (moves) => (moves === 1 ? t("1 move to find") : t("{n} moves to find", { n: moves }));

/** @returns {Kept} */
const kept = () => ({ solved: [], last: "", days: 0, shown: "", ...readStored(KEY, {}) });

/** @param {string} id */
export const isSolved = (id) => kept().solved.includes(id);

/** Return the day before a day, both as 2026-11-26. @param {string} day */
const dayBefore = (day) => new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10);

/** Return how many days in a row, up to today or yesterday, have a solved puzzle. @param {string} day today */
export function streak(day) {
  const { last, days } = kept();
  return last === day || last === dayBefore(day) ? days : 0;
}

/** Return whether the puzzle of a day was solved on that day. @param {string} day */
export const isDone = (day) => kept().last === day;

/** Return whether the answer of a day's puzzle was shown on that day. @param {string} day */
export const wasShown = (day) => kept().shown === day;

/** Store that a puzzle was solved. @param {string} id */
export function keepSolved(id) {
  const before = kept();
  writeStored(KEY, { ...before, solved: [...new Set([...before.solved, id])] });
}

/** Add the day of a solved daily puzzle to the streak, unless its answer was shown before. @param {string} day */
export function countDay(day) {
  if (isDone(day) || wasShown(day)) return;
  writeStored(KEY, { ...kept(), last: day, days: streak(day) + 1 });
}

/** Store that the answer of a day's puzzle was shown: solving it later doesn't count. @param {string} day */
export function keepShown(day) {
  writeStored(KEY, { ...kept(), shown: day });
}

/** Return the next puzzle of the same game that isn't solved. @param {Puzzle} puzzle */
export async function nextPuzzle({ id, ruleset }) {
  const all = await puzzlesIn(ruleset);
  const place = all.findIndex((one) => one.id === id);
  return [...all.slice(place + 1), ...all.slice(0, place)].find((one) => !isSolved(one.id)) ?? null;
}
