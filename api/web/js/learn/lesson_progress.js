// Lessons: loading, tables of lessons, and the lessons that this browser has solved.
// @ts-check
import { Client } from "../shared/client.js";
import { ratedResults, standingOf } from "../shared/reader_rating.js";
import { newGame } from "../new_game/new_game.js";
import { saveSetting, setting, tableLink } from "../shared/saved.js";
import { language, t } from "../shared/i18n.js";

/** @typedef {{name: string, title: string, before: string, after: string, players: number,
 *   position: any, solution: string[], if_wrong?: string}} Lesson */

const client = new Client({ language: () => language.value });

/** @param {string} ruleset @returns {Promise<Lesson[]>} */
export async function lessonsOf(ruleset) {
  return (await client.ask(`/v1/rulesets/${encodeURIComponent(ruleset)}/lessons`)).lessons;
}

/** Return the path of a lesson, or of the list of lessons. @param {string} ruleset @param {string} [lesson] */
export function lessonLink(ruleset, lesson) {
  return `/learn?ruleset=${ruleset}${lesson ? `&lesson=${lesson}` : ""}`;
}

/**
 * Create a private game from a lesson's position and return the path of its table. Only the learner acts, because
 * an AI could end the game, or interrupt, before the learner has read the task.
 * @param {string} ruleset
 * @param {Lesson} lesson
 */
export async function tableOf(ruleset, { name, players, position }) {
  const seats = Array.from({ length: players }, () => ({ kind: "human" }));
  const body = { ruleset, seats, position, private: true };
  const game = await client.act("/v1/games", body, { tries: 3 });
  return `/play?lesson=${ruleset}/${name}#${game.id}.${game.tokens["0"]}`;
}

/** Create a game at the level that suits the reader, save it and return its path. @param {string} ruleset */
export async function gameOf(ruleset) {
  const known = await client.ask(`/v1/rulesets/${encodeURIComponent(ruleset)}`);
  const level = standingOf(known.scale, ratedResults(ruleset))?.level ?? known.levels[0];
  const seats = [
    { kind: "human", name: setting("name", "") || t("Guest") },
    { kind: "ai", level },
  ];
  const game = await newGame(client, { ruleset, seats, listed: false });
  return tableLink(game.id, game.tokens["0"]);
}

/** Return the names of solved lessons. @param {string} ruleset @returns {string[]} */
export function lessonsDone(ruleset) {
  return setting("lessons", {})[ruleset] ?? [];
}

/** @param {string} ruleset @param {string} lesson */
export function markLessonDone(ruleset, lesson) {
  const names = new Set([...lessonsDone(ruleset), lesson]);
  saveSetting("lessons", { ...setting("lessons", {}), [ruleset]: [...names] });
}
