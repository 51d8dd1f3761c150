// List of all puzzles by game and grade, today's first.
// @ts-check
import { effect, html, render, signal } from "../vendor.js";
import { Daily } from "./daily.js";
import { GRADES, isSolved, movesText, puzzleLink, puzzlesIn } from "./puzzles.js";
import { untilReached } from "../shared/client.js";
import { Choices } from "../shared/theme_and_language.js";
import { GAMES, RULESETS } from "../shared/games.js";
import { addCatalogue, language, t } from "../shared/i18n.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @typedef {import("./puzzles.js").Puzzle} Puzzle */

const puzzles = signal(/** @type {Puzzle[]} */ ([]));
const problem = signal(/** @type {string | null} */ (null));

effect(() => {
  if (!language.value) return;
  const load = () => Promise.all(RULESETS.map(({ name }) => puzzlesIn(name)));
  untilReached(load, () => (problem.value = t("Can't reach the server. Retrying…"))).then(
    (all) => {
      puzzles.value = all.flat();
      problem.value = null;
    },
    ({ detail }) => (problem.value = detail),
  );
});

/** @param {number} grade */
const gradeText = (grade) =>
  grade === 3 ? t("Grade 3: three moves or more") : `${t("Grade {n}", { n: grade })}: ${movesText(grade)}`;

/** The puzzles of one grade, numbered. @param {{game: string, grade: number, all: Puzzle[]}} props */
function Grade({ game, grade, all }) {
  if (!all.length) return null;
  return html`<h3>${gradeText(grade)}</h3><ol class="puzzles">${all.map(({ id }, place) => {
    const done = isSolved(id);
    const name = t("{game}, grade {grade}, puzzle {n}", { game, grade, n: place + 1 });
    return html`<li key=${id}><a class=${`button${done ? " done" : ""}`} href=${puzzleLink(id)}
      aria-label=${done ? `${name}, ${t("solved")}` : name}>${place + 1}${done ? " ✓" : ""}</a></li>`;
  })}</ol>`;
}

/** @param {{name: string, title: string}} props */
function Game({ name, title }) {
  const all = puzzles.value.filter(({ ruleset }) => ruleset === name);
  if (!all.length) return null;
  const solved = all.filter(({ id }) => isSolved(id)).length;
  return html`<section class="box" style=${GAMES[name]?.colours ?? {}} aria-labelledby=${`puzzles-${name}`}>
    <h2 id=${`puzzles-${name}`}>${title}</h2>
    <p class="quiet">${t("{n} of {all} solved", { n: solved, all: all.length })}</p>
    ${GRADES.map(
      (grade) => html`<${Grade} key=${grade} game=${title} grade=${grade}
      all=${all.filter((one) => one.grade === grade)} />`,
    )}</section>`;
}

function List() {
  document.title = t("Puzzles");
  return html`<div class="page"><header class="top"><p class="brand"><a href="/">${t("All games")}</a></p>
      <nav aria-label=${t("Language")}><${Choices} /></nav></header>
    <main class="lobby learn"><h1>${t("Puzzles")}</h1>
      <div role="alert">${problem.value && html`<p class="problem">${problem.value}</p>`}</div>
      <p>${t("In each position exactly one way leads to the goal: that is proved. A wrong answer is refuted.")}</p>
      <${Daily} all=${false} />
      <p class="quiet">${t(
        "A day counts for the streak if you solve its puzzle on that day (UTC) before you look at its answer. Wrong " +
          "tries don't matter. This browser alone keeps it.",
      )}</p>
      ${RULESETS.map(({ name, title }) => html`<${Game} key=${name} name=${name} title=${title} />`)}
    </main>
    <footer><ul><li><a href="/about">${t("About")}</a></li></ul></footer></div>`;
}

render(html`<${List} />`, /** @type {HTMLElement} */ (document.getElementById("page")));
addEventListener("pageshow", (event) => event.persisted && location.reload()); // the reader may have solved a puzzle
