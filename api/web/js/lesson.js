// What a lesson says above the board: what there is to see, whether it was found, and what comes next.
// @ts-check
import { effect, html, signal, useEffect, useRef } from "./vendor.js";
import { gameOf, lessonDone, lessonLink, lessonsOf } from "./lessons.js";
import { rulesLink } from "./page.js";
import * as state from "./state.js";
import { language, t } from "./words.js";

/** @typedef {import("./lessons.js").Lesson} Lesson */

const [ruleset, name] = (new URLSearchParams(location.search).get("lesson") || "").split("/");
const lessons = signal(/** @type {Lesson[]} */ ([]));

effect(() => {
  if (language.value) lessonsOf(ruleset).then((all) => (lessons.value = all)).catch(state.complain);
});

let begun = false;
effect(() => {
  const game = state.game.value;
  if (!game || begun) return;
  begun = true;
  if (game.version > 0) location.replace(lessonLink(ruleset, name)); // what was done before the page was loaded isn't known
});

/** How far the learner is. @param {Lesson} lesson @returns {"begun" | "right" | "wrong" | "solved"} */
function standing({ solution }) {
  const acted = state.acted.value;
  if (acted.some((text, place) => text !== solution[place])) return "wrong";
  if (acted.length === solution.length) return "solved";
  return state.isOver.value ? "wrong" : acted.length ? "right" : "begun";
}

/** What a step of the learner has led to, in the server's words. @param {number} step */
const happened = (step) => state.events.value.filter((one) => one.version === step && one.text).map((one) => one.text).join(" ");

/** What is to be done now, in a sentence. */
function prompt() {
  const { value: game } = state.game;
  return state.ruleset.value?.prompt?.(game.view, game, [], state.legal.value) || t("learn.goOn");
}

const play = () => gameOf(ruleset).then((table) => location.assign(table)).catch(state.complain);

/** @param {{lesson: Lesson, next?: Lesson, all: string}} props */
function Solved({ lesson, next, all }) {
  useEffect(() => lessonDone(ruleset, lesson.name), []);
  return html`<p class="good">✓ ${lesson.after}</p>${next ? null : html`<p>${t("learn.finished")} <a href=${rulesLink(ruleset)}>${t("rules")}</a></p>`}
    <div class="row">${next ? html`<a class="button primary" href=${lessonLink(ruleset, next.name)}>${t("learn.next")}</a>`
      : html`<button type="button" class="primary" onClick=${play}>${t("learn.play")}</button>`}<a class="button" href=${all}>${t("learn.list")}</a></div>`;
}

export function LessonBanner() {
  const place = lessons.value.findIndex((one) => one.name === name);
  const lesson = lessons.value[place];
  const now = lesson && standing(lesson);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), [now]);
  if (!lesson) return null;
  const all = lessonLink(ruleset);
  return html`<section class="lesson panel" ref=${box} aria-labelledby="lesson" data-standing=${now}>
    <div class="row"><h2 id="lesson">${lesson.title}</h2><a href=${all}>${t("learn.lesson", { n: place + 1, all: lessons.value.length })}</a></div>
    <div aria-live="polite">${now === "solved" ? html`<${Solved} lesson=${lesson} next=${lessons.value[place + 1]} all=${all} />`
      : html`<p>${now === "right" ? html`<span class="good">✓ ${happened(state.acted.value.length)}</span> ${prompt()}` : lesson.before}</p>
        ${now === "wrong" ? html`<p class="other">${t("learn.wrong")}</p>
          <p>${t("learn.happened", { told: happened(state.acted.value.length) })}</p>
          <a class="button primary" href=${lessonLink(ruleset, name)}>${t("learn.again")}</a>` : null}`}</div>
  </section>`;
}

/** The kind of action that this lesson wants next, or "". */
export function wants() {
  const lesson = lessons.value.find((one) => one.name === name);
  return lesson?.solution[state.acted.value.length]?.split(" ")[0] || "";
}

effect(() => {
  state.isTaught.value = wants() === "declare";
});

/** Nothing is left to be done at the table of this lesson. */
export function isThrough() {
  const lesson = lessons.value.find((one) => one.name === name);
  return lesson ? ["solved", "wrong"].includes(standing(lesson)) : false;
}
