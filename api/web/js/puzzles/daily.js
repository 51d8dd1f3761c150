// The puzzle of the day: a box for the lobby and the list of puzzles.
// @ts-check
import { effect, html, signal } from "../vendor.js";
import { addCatalogue, language, rulesetTitle, t } from "../shared/i18n.js";
import { anyPuzzles, isDone, movesText, puzzleLink, streak, today, wasShown, yesterday } from "./puzzles.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @typedef {import("./puzzles.js").Daily} Daily */

/** Today's puzzle and yesterday's; null until they are loaded. */
const days = signal(/** @type {{now: Daily, before: Daily} | null} */ (null));
/** Load today's and yesterday's puzzle, if the server's games have puzzles. */
async function load() {
  if (!(await anyPuzzles())) return;
  const [now, before] = await Promise.all([today(), yesterday()]);
  days.value = { now, before };
}
effect(() => {
  if (language.value) load().catch((error) => console.info(error));
});

/** Return a day in words. @param {string} day */
const dateOf = (day) =>
  new Intl.DateTimeFormat(language.value, { day: "numeric", month: "long", timeZone: "UTC" }).format(new Date(day));

/** Return the length of the streak as a sentence. @param {string} day */
function streakOf(day) {
  const n = streak(day);
  if (!n)
    return wasShown(day) ? t("Its answer was shown, so that it doesn't count for a streak.") : t("No streak yet.");
  return n === 1 ? t("Your streak: 1 day.") : t("Your streak: {n} days.", { n });
}

/** @param {{all: boolean}} props `all`: with a link to all puzzles */
export function Daily({ all }) {
  if (!days.value) return null;
  const { now, before } = days.value;
  const done = isDone(now.day);
  return html`<section class="box daily" aria-labelledby="daily"><div class="about">
    <h2 id="daily">${t("Puzzle of the day")}</h2>
    <p>${dateOf(now.day)}: ${rulesetTitle(now.ruleset)}, ${movesText(now.moves)}.</p>
    <p class="quiet">${done ? `✓ ${t("Solved.")} ` : ""}${streakOf(now.day)}</p></div>
    <div class="row"><a class=${`button${done ? "" : " primary"}`} href=${puzzleLink("today")}>
        ${done ? t("Solve it again") : t("Solve it")}</a>
      <a class="button" href=${puzzleLink(before.id, true)}>${t("Yesterday's answer")}</a>
      ${all ? html`<a class="button" href="/puzzles">${t("All puzzles")}</a>` : null}</div></section>`;
}
