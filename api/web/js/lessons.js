// Lessons: small positions to learn a game by. Which of them are done is remembered here; it draws nothing.
// @ts-check
import { Client, newKey } from "./client.js";
import { saveSetting, setting } from "./saved.js";
import { addWords, language } from "./words.js";

/** @typedef {{name: string, title: string, before: string, after: string, position: any, solution: string[]}} Lesson */

const LEARNER = { kind: "human" };
const OTHER = { kind: "ai", level: "novice" };
const client = new Client({ language: () => language.value });

addWords({
  en: {
    "learn.title": "Learn to play", "learn.lesson": "Lesson {n} of {all}", "learn.list": "All lessons", "learn.next": "Next lesson", "learn.again": "Try again",
    "learn.wrong": "That may be done, but it isn't what this lesson shows. Have another look.", "learn.done": "done", "learn.finished": "That was the last lesson. You are ready for a game.",
    "learn.play": "To a game", "learn.count": "{n} of {all} done", "learn.opening": "Laying out the cards…",
    "learn.none": "There is no such lesson.", "learn.about": "Small positions, one rule each. You can do nothing wrong.", "learn.goOn": "Right. Go on.",
  },
  es: {
    "learn.title": "Aprende a jugar", "learn.lesson": "Lección {n} de {all}", "learn.list": "Todas las lecciones", "learn.next": "Siguiente lección", "learn.again": "Otra vez",
    "learn.wrong": "Se puede hacer, pero no es lo que muestra esta lección. Vuelve a mirar.", "learn.done": "hecha", "learn.finished": "Era la última lección. Ya puedes jugar una partida.",
    "learn.play": "A jugar", "learn.count": "{n} de {all} hechas", "learn.opening": "Se ponen las cartas…",
    "learn.none": "No existe esa lección.", "learn.about": "Posiciones pequeñas, cada una con una regla. No puedes hacer nada mal.", "learn.goOn": "Bien. Sigue.",
  },
});

/** @param {string} ruleset @returns {Promise<Lesson[]>} */
export async function lessonsOf(ruleset) {
  return (await client.ask(`/v1/rulesets/${encodeURIComponent(ruleset)}/lessons`)).lessons;
}

/** Return where a lesson begins: afresh each time. @param {string} ruleset @param {string} [lesson] */
export function lessonLink(ruleset, lesson) {
  return `/learn?ruleset=${ruleset}${lesson ? `&lesson=${lesson}` : ""}`;
}

/** Make a private game from the lesson's position, and return its table. @param {string} ruleset @param {Lesson} lesson */
export async function tableOf(ruleset, { name, position }) {
  const seats = Array.from({ length: position.players }, (_, seat) => (seat === 0 ? LEARNER : OTHER));
  const body = { ruleset, seats, position, private: true };
  const game = await client.post("/v1/games", body, { headers: { "Idempotency-Key": newKey() } });
  return `/play?lesson=${ruleset}/${name}#${game.id}.${game.tokens["0"]}`;
}

/** Return the names of the lessons that are done. @param {string} ruleset @returns {string[]} */
export function lessonsDone(ruleset) {
  return setting("lessons", {})[ruleset] ?? [];
}

/** @param {string} ruleset @param {string} lesson */
export function lessonDone(ruleset, lesson) {
  const names = new Set([...lessonsDone(ruleset), lesson]);
  saveSetting("lessons", { ...setting("lessons", {}), [ruleset]: [...names] });
}
