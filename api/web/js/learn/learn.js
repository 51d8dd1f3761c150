// List of a game's lessons. If the address names a lesson, its table is opened.
// @ts-check
import { effect, html, render, signal } from "../vendor.js";
import { untilReached } from "../shared/client.js";
import { lessonLink, lessonsDone, lessonsOf, tableOf } from "./lesson_progress.js";
import { Choices, rulesLink } from "../shared/theme_and_language.js";
import { GAMES, RULESETS } from "../shared/games.js";
import { addCatalogue, INSTALLED, language, rulesetTitle, t } from "../shared/i18n.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @typedef {import("./lesson_progress.js").Lesson} Lesson */

const asked = new URLSearchParams(location.search);
const ruleset = asked.get("ruleset") || RULESETS[0]?.name;
const wanted = asked.get("lesson");

/** The game's lessons; null until they are loaded. */
const lessons = signal(/** @type {Lesson[] | null} */ (null));
const problem = signal(/** @type {string | null} */ (null));

async function load() {
  try {
    const away = () => (problem.value = t("Can't reach the server. Retrying…"));
    const found = await untilReached(() => lessonsOf(ruleset), away);
    lessons.value = found;
    problem.value = null;
    if (!wanted) return;
    const lesson = found.find(({ name }) => name === wanted);
    if (lesson) location.replace(await tableOf(ruleset, lesson));
    else problem.value = t("There is no such lesson.");
  } catch (error) {
    const { detail, status } = /** @type {any} */ (error);
    problem.value = status === 0 ? t("Can't reach the server.") : detail;
  }
}

function List() {
  const done = lessonsDone(ruleset);
  const known = lessons.value ?? [];
  const intro = html`<p>${t(GAMES[ruleset]?.intro ?? "")}</p>`;
  if (lessons.value && !known.length)
    return html`${intro}<p>${t("This game has no lessons.")} <a href=${rulesLink(ruleset)}>${t("Rules")}</a></p>`;
  return html`${intro}<p class="quiet">
    ${t("Small positions, one rule each. You can't do anything wrong.")}</p>
    <p>${t("{n} of {all} done", {
      n: known.filter(({ name }) => done.includes(name)).length,
      all: known.length,
    })}</p>
    <ol class="lessons">${known.map(
      ({ name, title }) => html`<li key=${name}>
      <a class="button" href=${lessonLink(ruleset, name)}><span>${title}</span>
        ${done.includes(name) ? html`<span class="done">✓ ${t("done")}</span>` : null}</a></li>`,
    )}</ol>`;
}

function Learn() {
  const title = (/** @type {string} */ name) => `${t("Learn to play")}: ${rulesetTitle(name)}`;
  document.title = title(ruleset);
  return html`<div class="page" style=${GAMES[ruleset]?.colours ?? {}}>
    <header class="top"><p class="brand"><a href="/">${t("All games")}</a></p>
      <nav aria-label=${t("Language")}><${Choices} /></nav></header>
    <main class="lobby learn"><h1>${title(ruleset)}</h1>
      <div role="alert">${problem.value && html`<p class="problem">${problem.value}</p>`}</div>
      ${wanted && !problem.value ? html`<p role="status">${t("Laying out the cards…")}</p>` : html`<${List} />`}
    </main>
    <footer><ul>
      ${Object.keys(GAMES)
        .filter((other) => other !== ruleset && INSTALLED[other]?.lessons)
        .map((other) => html`<li key=${other}><a href=${lessonLink(other)}>${title(other)}</a></li>`)}
      <li><a href=${rulesLink(ruleset)}>${t("Rules")}</a></li><li><a href="/about">${t("About")}</a></li>
    </ul></footer>
  </div>`;
}

render(html`<${Learn} />`, /** @type {HTMLElement} */ (document.getElementById("page")));
addEventListener("pageshow", (event) => event.persisted && location.reload()); // the reader may have solved a lesson
effect(() => {
  if (language.value) load();
});
