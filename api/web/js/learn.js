// The lessons of a game: a list, or, if the address names one, straight to its table.
// @ts-check
import { effect, html, render, signal } from "./vendor.js";
import { lessonLink, lessonsDone, lessonsOf, tableOf } from "./lessons.js";
import { Choices, rulesLink } from "./page.js";
import { language, t } from "./words.js";

/** @typedef {import("./lessons.js").Lesson} Lesson */

const asked = new URLSearchParams(location.search);
const ruleset = asked.get("ruleset") || "regicide";
const wanted = asked.get("lesson");

const lessons = signal(/** @type {Lesson[]} */ ([]));
const problem = signal(/** @type {string | null} */ (null));

async function load() {
  try {
    lessons.value = await lessonsOf(ruleset);
    if (!wanted) return;
    const lesson = lessons.value.find(({ name }) => name === wanted);
    if (lesson) location.replace(await tableOf(ruleset, lesson));
    else problem.value = t("learn.none");
  } catch (error) {
    const { detail, status } = /** @type {any} */ (error);
    problem.value = status === 0 ? t("unreachable") : detail;
  }
}

function List() {
  const done = lessonsDone(ruleset);
  const all = lessons.value.length;
  return html`<p>${t(`learn.intro.${ruleset}`)}</p><p class="quiet">${t("learn.about")}</p>
    <p>${t("learn.count", { n: lessons.value.filter(({ name }) => done.includes(name)).length, all })}</p>
    <ol class="lessons">${lessons.value.map(({ name, title }) => html`<li key=${name}>
      <a class="button" href=${lessonLink(ruleset, name)}><span>${title}</span>
        ${done.includes(name) ? html`<span class="done">✓ ${t("learn.done")}</span>` : null}</a></li>`)}</ol>`;
}

function Learn() {
  document.title = `${t("learn.title")}: ${t(ruleset)}`;
  return html`<div class="lobby learn">
    <header><h1>${t("learn.title")}: ${t(ruleset)}</h1><nav aria-label=${t("language")}><${Choices} /></nav></header>
    <main>
      <div role="alert">${problem.value && html`<p class="problem">${problem.value}</p>`}</div>
      ${wanted && !problem.value ? html`<p role="status">${t("learn.opening")}</p>` : html`<${List} />`}
    </main>
    <footer><ul>
      ${["regicide", "gridcannon"].filter((other) => other !== ruleset).map((other) => html`<li key=${other}><a href=${lessonLink(other)}>${t("learn.title")}: ${t(other)}</a></li>`)}
      <li><a href=${rulesLink(ruleset)}>${t("rules")}</a></li><li><a href="/">${t("lobby")}</a></li>
    </ul></footer>
  </div>`;
}

render(html`<${Learn} />`, /** @type {HTMLElement} */ (document.getElementById("page")));
addEventListener("pageshow", (event) => event.persisted && location.reload()); // back from a lesson: it may be done
effect(() => {
  if (language.value) load();
});
