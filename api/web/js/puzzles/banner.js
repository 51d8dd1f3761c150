// Banner of a puzzle at the table: its goal, the verdict on the last answer, and buttons in place of actions.
// @ts-check
import { effect, html, signal, useEffect, useRef } from "../vendor.js";
import { Link } from "../shared/share_link.js";
import { addCatalogue, t } from "../shared/i18n.js";
import { Sign, Written } from "../shared/cards.js";
import { isDone, movesText, puzzleLink, streak, wasShown } from "./puzzles.js";
import { daily, isThrough, next, note, playing, puzzle, showAnswer, tryAgain, verdict, views } from "./attempt.js";
import { lineOf } from "../table/log.js";
import { movesOf, shownGame, skip } from "../table/scenes.js";
import * as state from "../table/state.js";

export { begin, isThrough } from "./attempt.js";

await Promise.all([addCatalogue(new URL(".", import.meta.url).href), state.loadStyles("/static/css/lesson.css")]);

/** Return "": in a puzzle the board's prompt asks for no type of action, because that would reveal the answer. */
export const wants = () => "";

/** True while the link to the puzzle is shown. */
const sharing = signal(false);
/** The game's module that lists which hidden cards the solver knows. */
const known = signal(/** @type {any} */ (null));
effect(() => {
  state.ruleset.value?.loadKnown?.().then((module) => (known.value = module), state.showError);
});

/** The move shown on the board: who made it, what it did, and the result if it ended the game. */
function Told() {
  const { version } = shownGame.value;
  const [move] = movesOf(state.events.value.filter((one) => one.version === version));
  if (!move || verdict.value === "asked" || note.value) return null;
  const { mover, name, text } = lineOf([move]);
  const end = move.events.find(({ type }) => type === "ended");
  return html`<${Sign} seat=${mover} /> ${name ? html`<b>${name}:</b> ` : null}<${Written} text=${text} />${
    name && end ? html`. <${Written} text=${end.text} />` : null
  }`;
}

/** Return the sentence about the streak, if this is the puzzle of the day, else "". @param {string} id */
function ofDay(id) {
  if (daily.value?.id !== id) return "";
  const { day } = daily.value;
  if (!isDone(day)) return wasShown(day) ? t("It doesn't count for your streak, because its answer was shown.") : "";
  const n = streak(day);
  return n === 1 ? t("Your streak: 1 day.") : t("Your streak: {n} days.", { n });
}

/** Return the CSS class, the verdict and a sentence for the last answer. @param {string} id */
function standing(id) {
  switch (verdict.value) {
    case "right":
      return ["good", `✓ ${t("Right.")}`, playing.value ? "" : t("What next?")];
    case "wrong":
      return ["other", `✗ ${t("That isn't the answer.")}`, note.value || t("This is where it leads:")];
    case "solved":
      return ["good", `✓ ${t("Solved.")}`, ofDay(id)];
    case "shown":
      return ["other", t("This is the answer."), playing.value ? "" : ofDay(id)];
    default:
      return ["", "", ""];
  }
}

/** Title, goal, known hidden cards, and the verdict on the last answer. */
export function Banner() {
  const { value: here } = puzzle;
  if (!here) return null;
  const [look, said, more] = standing(here.id);
  const title = daily.value?.id === here.id ? t("Puzzle of the day") : t("Puzzle, grade {n}", { n: here.grade });
  return html`<section class="lesson puzzle panel" aria-labelledby="puzzle"
      data-standing=${playing.value ? "playing" : verdict.value}>
    <div class="row"><h2 id="puzzle">${title}</h2><a href="/puzzles">${t("All puzzles")}</a></div>
    <p>${here.goal_text} ${movesText(here.moves)}. ${isThrough() ? null : html`<${Answer} />`}</p>
    ${
      known.value && views.value.length
        ? html`<${known.value.Known} start=${here.position} views=${views.value} you=${state.game.value.you}
          names=${state.names.value} events=${state.events.value} />`
        : null
    }
    <p aria-live="polite">${said ? html`<span class=${look}>${said}</span> ${more} ` : null}<${Told} /></p>
    ${
      sharing.value && isThrough()
        ? html`<${Link} link=${location.origin + puzzleLink(here.id)} title=${t("Link to this puzzle")} />`
        : null
    }
  </section>`;
}

/**
 * Focus the first button when the buttons change, unless the focus is elsewhere on the page. If the focused button was
 * removed and there are no others, focus the sentence above.
 * @param {any} box
 */
function useFirstFocus(box) {
  const had = useRef(false);
  useEffect(() => {
    const now = document.activeElement;
    const lost = !now || now === document.body;
    const first = box.current?.querySelector("button, a");
    if (first ? lost || now.closest(".board, .rail") : lost && had.current)
      (first ?? document.querySelector(".status"))?.focus({ preventScroll: true });
    had.current = Boolean(first);
  }, [playing.value, verdict.value]);
}

/** Buttons shown while the solver has no move to choose: Skip, or the buttons after the puzzle. */
export function Buttons() {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useFirstFocus(box);
  if (!isThrough()) return null;
  return html`<div class="actbar after" ref=${box} role="group" aria-label=${t("Puzzle")}>${
    playing.value
      ? html`<button type="button" onClick=${skip}>${t("Skip")} <kbd aria-hidden="true">␣</kbd></button>`
      : html`<${After} />`
  }</div>`;
}

const Answer = () => html`<button type="button" class="answer" onClick=${showAnswer}>${t("Show the answer")}</button>`;

/** Buttons after the puzzle is solved or failed: try again, the answer, the next puzzle, a link. */
function After() {
  const { value: now } = verdict;
  const again = html`<button type="button" class=${now === "shown" ? "" : "primary"} onClick=${tryAgain}>
    ${t("Try again")}</button>`;
  return html`${now === "solved" ? null : again}
    ${now === "wrong" || now === "broken" ? html`<${Answer} />` : null}
    ${
      now === "solved" || now === "shown"
        ? html`<a class="button primary" href=${next.value ? puzzleLink(next.value.id) : "/puzzles"}>
          ${next.value ? t("Next puzzle") : t("All puzzles")}</a>`
        : null
    }
    ${
      now === "solved"
        ? html`<button type="button" aria-expanded=${sharing.value ? "true" : "false"}
          onClick=${() => (sharing.value = !sharing.value)}>
          ${t("Share")}</button>`
        : null
    }
`;
}
