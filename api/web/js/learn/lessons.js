// Lessons: small positions to learn a game by. Which of them are done is remembered here; it draws nothing.
// @ts-check
import { Client } from "../shared/client.js";
import { newGame } from "../shared/new_game.js";
import { saveSetting, setting, tableLink } from "../shared/saved.js";
import { language, t } from "../shared/i18n.js";

/** @typedef {{name: string, title: string, before: string, after: string, position: any, solution: string[]}} Lesson */

const LEARNER = { kind: "human" };
const OTHER = { kind: "ai", level: "novice" };
const client = new Client({ language: () => language.value });

/** @param {string} ruleset @returns {Promise<Lesson[]>} */
export async function lessonsOf(ruleset) {
  return (await client.ask(`/v1/rulesets/${encodeURIComponent(ruleset)}/lessons`)).lessons;
}

/** Return where a lesson begins: afresh each time. @param {string} ruleset @param {string} [lesson] */
export function lessonLink(ruleset, lesson) {
  return `/learn?ruleset=${ruleset}${lesson ? `&lesson=${lesson}` : ""}`;
}

/**
 * Make a private game from the lesson's position, and return its table.
 * @param {string} ruleset
 * @param {Lesson} lesson
 */
export async function tableOf(ruleset, { name, position }) {
  const seats = Array.from({ length: position.players }, (_, seat) => (seat === 0 ? LEARNER : OTHER));
  const body = { ruleset, seats, position, private: true };
  const game = await client.act("/v1/games", body, { tries: 3 });
  return `/play?lesson=${ruleset}/${name}#${game.id}.${game.tokens["0"]}`;
}

/** Make a game against an expert, remember it, and return its table. @param {string} ruleset */
export async function gameOf(ruleset) {
  const seats = [
    { kind: "human", name: setting("name", "") || t("Guest") },
    { kind: "ai", level: "expert" },
  ];
  const game = await newGame(client, { ruleset, seats });
  return tableLink(game.id, game.tokens["0"]);
}

/** Return the names of the lessons that are done. @param {string} ruleset @returns {string[]} */
export function lessonsDone(ruleset) {
  return setting("lessons", {})[ruleset] ?? [];
}

/** @param {string} ruleset @param {string} lesson */
export function markLessonDone(ruleset, lesson) {
  const names = new Set([...lessonsDone(ruleset), lesson]);
  saveSetting("lessons", { ...setting("lessons", {}), [ruleset]: [...names] });
}
