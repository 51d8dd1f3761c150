// Results of ended games, stored in this browser: how a game ended for its reader, wins by level.
// @ts-check
import { readStored, savedGame, writeStored } from "./saved.js";

/** @typedef {"won" | "lost" | "drawn" | "watched" | "abandoned"} EndKind */
/** @typedef {{id: string, ruleset: string, level: string, players: number, result: EndKind, at: number}} Result */

const RESULTS = "regicide.results";
const MOST = 300;

/** Return the winning seats among rivals; none in a cooperative game. @param {any} outcome @returns {number[]} */
export const winnersOf = (outcome) => outcome?.winners ?? (outcome?.winner == null ? [] : [outcome.winner]);

/** Return how an ended game ended for its reader. @param {any} game @returns {EndKind} */
export function endKind({ status, outcome, you }) {
  if (status === "abandoned") return "abandoned";
  if (you == null) return "watched";
  const winners = winnersOf(outcome);
  if (winners.length) return winners.includes(you) ? "won" : "lost";
  if (outcome?.result === "won" || outcome?.result === "lost") return outcome.result;
  return "drawn";
}

/** Return all stored results, newest first. @returns {Result[]} */
export function results() {
  const kept = readStored(RESULTS, []);
  return Array.isArray(kept) ? kept : [];
}

/**
 * Return the level of a game's AIs if all have one level and the reader is the only person; else null.
 * @param {any} game @returns {string | null}
 */
function levelOf({ seats, you }) {
  const others = seats.filter((/** @type {any} */ { seat }) => seat !== you);
  const levels = new Set(others.map((/** @type {any} */ { level }) => level));
  const isAlone = others.every((/** @type {any} */ { kind }) => kind === "ai");
  if (you == null || seats[you].kind === "ai" || !isAlone || levels.size !== 1) return null;
  return [...levels][0];
}

/** Store the result of an ended game against AIs of one level, once. @param {any} game */
export function keepResult(game) {
  const saved = savedGame(game.id);
  const level = levelOf(game);
  const result = endKind(game);
  if (!saved || saved.continued || !level || result === "abandoned" || result === "watched") return;
  const others = results().filter(({ id }) => id !== game.id);
  const { id, ruleset, seats } = game;
  const at = Date.parse(game.updated) || Date.now();
  writeStored(RESULTS, [{ id, ruleset, level, players: seats.length, result, at }, ...others].slice(0, MOST));
}
