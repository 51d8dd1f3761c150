// Lessons: small positions to learn a game by. Which of them are done is remembered here; it draws nothing.
// @ts-check
import { Client } from "./client.js";
import { newGame } from "./new_game.js";
import { saveSetting, setting, tableLink } from "./saved.js";
import { addWords, language, t } from "./words.js";

/** @typedef {{name: string, title: string, before: string, after: string, position: any, solution: string[]}} Lesson */

const LEARNER = { kind: "human" };
const OTHER = { kind: "ai", level: "novice" };
const client = new Client({ language: () => language.value });

addWords({
  en: {
    "learn.title": "Learn to play", "learn.lesson": "Lesson {n} of {all}", "learn.list": "All lessons", "learn.next": "Next lesson", "learn.again": "Try again",
    "learn.wrong": "That's a legal move, but not the one this lesson is about. Try again.", "learn.happened": "What happened: {told}", "learn.done": "done", "learn.finished": "That was the last lesson. Learn the rest by playing, or read the rules:",
    "learn.play": "Play a game", "learn.count": "{n} of {all} done", "learn.opening": "Laying out the cards…",
    "learn.none": "There is no such lesson.", "learn.about": "Small positions, one rule each. You can't do anything wrong.", "learn.goOn": "Correct!",
    "learn.intro.regicide": "Together you defeat twelve royals, one after the other. A turn: play a card against the royal, its suit has a power; then the royal attacks, and you discard cards worth at least its attack. You win when the last King falls. You lose as soon as one of you can't.",
    "learn.intro.gridcannon": "Two families stand around nine cells. A turn: draw a card and lay it on a cell; the two cards before it, in a line, fire at the royal at the other end. A Jack falls to 11, a Queen to 12, a King to 13. The last family standing wins.",
  },
  es: {
    "learn.title": "Aprende a jugar", "learn.lesson": "Lección {n} de {all}", "learn.list": "Todas las lecciones", "learn.next": "Siguiente lección", "learn.again": "Otra vez",
    "learn.wrong": "Es una jugada válida, pero no la de esta lección. Inténtalo otra vez.", "learn.happened": "Qué ha pasado: {told}", "learn.done": "hecha", "learn.finished": "Era la última lección. Aprende lo demás jugando, o lee las reglas:",
    "learn.play": "Jugar una partida", "learn.count": "{n} de {all} hechas", "learn.opening": "Colocando las cartas…",
    "learn.none": "No existe esa lección.", "learn.about": "Posiciones pequeñas, cada una con una regla. No puedes equivocarte.", "learn.goOn": "¡Correcto!",
    "learn.intro.regicide": "Juntos derrotáis a doce figuras, una tras otra. Un turno: juegas una carta contra la figura, y su palo tiene un poder; después la figura ataca, y descartas cartas que valgan al menos su ataque. Ganáis cuando cae el último rey. Perdéis en cuanto alguien no puede hacerlo.",
    "learn.intro.gridcannon": "Dos familias rodean nueve casillas. Un turno: robas una carta y la pones en una casilla; las dos cartas que tiene delante, en línea, disparan a la figura del otro extremo. Una sota cae con 11, una reina con 12, un rey con 13. Gana quien tenga la última familia viva.",
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
  const game = await client.act("/v1/games", body, { tries: 3 });
  return `/play?lesson=${ruleset}/${name}#${game.id}.${game.tokens["0"]}`;
}

/** Make a game against an expert, remember it, and return its table. @param {string} ruleset */
export async function gameOf(ruleset) {
  const seats = [{ kind: "human", name: setting("name", "") || t("guest") }, { kind: "ai", level: "expert" }];
  const game = await newGame(client, { ruleset, seats });
  return tableLink(game.id, game.tokens["0"]);
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
