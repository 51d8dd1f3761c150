// Banner of a lesson at the table: its task, its result, and a link to the next lesson.
// @ts-check
import { effect, html, signal, useEffect, useLayoutEffect, useRef } from "../vendor.js";
import { gameOf, markLessonDone, lessonLink, lessonsOf } from "./lesson_progress.js";
import { rulesLink } from "../shared/theme_and_language.js";
import * as state from "../table/state.js";
import { addCatalogue, language, t } from "../shared/i18n.js";

await Promise.all([addCatalogue(new URL(".", import.meta.url).href), state.loadStyles("/static/css/lesson.css")]);

/** @typedef {import("./lesson_progress.js").Lesson} Lesson */

const [ruleset, name] = (new URLSearchParams(location.search).get("lesson") || "").split("/");
const lessons = signal(/** @type {Lesson[]} */ ([]));

effect(() => {
  if (language.value)
    lessonsOf(ruleset)
      .then((all) => (lessons.value = all))
      .catch(state.showError);
});

// Without a game in the fragment, begin the lesson anew.
if (!location.hash) location.replace(lessonLink(ruleset, name));

let begun = false;
effect(() => {
  const game = state.game.value;
  if (!game || begun) return;
  begun = true;
  // After a reload the lesson starts again, because the page no longer knows the actions taken before.
  if (game.version > 0) location.replace(lessonLink(ruleset, name));
});

/** Return the progress of a lesson. @param {Lesson} lesson @returns {"begun" | "right" | "wrong" | "solved"} */
function standing({ solution }) {
  const acted = state.acted.value;
  if (acted.some((text, place) => text !== solution[place])) return "wrong";
  if (acted.length === solution.length) return "solved";
  return state.isOver.value ? "wrong" : acted.length ? "right" : "begun";
}

/** Return the events of a step as sentences. @param {number} step */
const happened = (step) =>
  state.events.value
    .filter((one) => one.version === step && one.text)
    .map((one) => one.text)
    .join(" ");

const play = () =>
  gameOf(ruleset)
    .then((table) => location.assign(table))
    .catch(state.showError);

/** @param {{lesson: Lesson, next?: Lesson}} props */
function Solved({ lesson, next }) {
  useLayoutEffect(() => markLessonDone(ruleset, lesson.name), []); // before the reader can go on
  return html`<p class="good">✓ ${lesson.after}</p>
    ${
      next
        ? null
        : html`<p>
        ${t("That was the last lesson. Learn the rest by playing, or read the rules:")} <a href=${rulesLink(ruleset)}>
          ${t("Rules")}</a></p>`
    }`;
}

/** Buttons in place of those for actions, once the lesson is solved or failed. */
export function Buttons() {
  const place = lessons.value.findIndex((one) => one.name === name);
  if (!isThrough()) return null;
  const next = lessons.value[place + 1];
  const [text, link] =
    standing(lessons.value[place]) === "wrong"
      ? [t("Try again"), lessonLink(ruleset, name)]
      : [t("Next lesson"), next && lessonLink(ruleset, next.name)];
  return html`<div class="actbar after"><a class="button" href=${lessonLink(ruleset)}>${t("All lessons")}</a>${
    link
      ? html`<a class="button primary" href=${link}>${text}</a>`
      : html`<button type="button" class="primary" onClick=${play}>${t("Play a game")}</button>`
  }</div>`;
}

export function Banner() {
  const place = lessons.value.findIndex((one) => one.name === name);
  const lesson = lessons.value[place];
  const now = lesson && standing(lesson);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), [now]);
  if (!lesson) return null;
  return html`<section class="lesson panel" ref=${box} aria-labelledby="lesson" data-standing=${now}>
    <div class="row"><h2 id="lesson">${lesson.title}</h2><a href=${lessonLink(ruleset)}>
      ${t("Lesson {n} of {all}", { n: place + 1, all: lessons.value.length })}</a></div>
    <div aria-live="polite">${
      now === "solved"
        ? html`<${Solved} lesson=${lesson} next=${lessons.value[place + 1]} />`
        : html`<p class="task">
          ${now === "right" ? html`<span class="good">✓ ${happened(state.acted.value.length)}</span><br />` : null}
          ${lesson.before}</p>
        ${
          now === "wrong"
            ? html`<p class="other">${t("That's a legal move, but not the one this lesson is about. Try again.")}
            ${lesson.if_wrong ? ` ${lesson.if_wrong}` : null}</p>
          <p>${t("What happened: {told}", { told: happened(state.acted.value.length) })}</p>`
            : null
        }`
    }</div>
  </section>`;
}

/** Return the type of the solution's next action, which the board's prompt asks for; "" if there is none. */
export function wants() {
  const lesson = lessons.value.find((one) => one.name === name);
  return lesson?.solution[state.acted.value.length]?.split(" ")[0] || "";
}

effect(() => {
  state.inLesson.value = wants() === "declare";
});

/** Return whether the lesson has been solved or failed. */
export function isThrough() {
  const lesson = lessons.value.find((one) => one.name === name);
  return lesson ? ["solved", "wrong"].includes(standing(lesson)) : false;
}
