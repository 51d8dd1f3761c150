// Dialog "keys and legend": the effect of each key, and the meaning of the signs on the table.
// @ts-check
import { html, useEffect, useState } from "../../vendor.js";
import { addCatalogue, msg, t } from "../../shared/i18n.js";
import * as state from "../state.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @type {[string, string][]} */
const KEYS = [
  ["1–9", msg("choose a card or a cell, or take it back")],
  ["← → ↑ ↓", msg("go from one to the next")],
  ["␣", msg("choose what has the focus; skip while others' moves are shown")],
  ["Enter", msg("confirm")],
  ["Esc", msg("clear the selection, else close the log")],
  ["H", msg("ask for a hint")],
  ["L", msg("go to the log")],
  ["[ ]", msg("previous or next step")],
  ["?", msg("this list")],
];

/** Marks that the page sets in every game. @type {[string, string][]} */
const MARKS = [
  [msg("● ■ ▲ ⬢"), msg("the seats; on a card or a square: who moved it last")],
  [msg("Gold"), msg("what you may do now, or have chosen")],
];

/** @param {{entries: [string, any][], keys?: boolean}} props */
const Terms = ({ entries, keys }) =>
  html`<dl class="keys">${entries.map(
    ([term, meaning]) =>
      html`<div key=${term}><dt>${keys ? html`<kbd>${term}</kbd>` : term}</dt><dd>${meaning}</dd></div>`,
  )}</dl>`;

export function HelpKeys() {
  const [legend, setLegend] = useState(/** @type {[string, string][]} */ ([]));
  const { value: ruleset } = state.ruleset;
  useEffect(() => {
    ruleset
      ?.loadLegend?.()
      .then((load) => setLegend(load()))
      .catch(state.showError);
  }, [ruleset]);
  const letters = ruleset?.letters?.() ?? [];
  return html`<h2>${t("Keys")}</h2>
    <${Terms} keys entries=${[...KEYS.map(([key, effect]) => [key, t(effect)]), ...letters]} />
    <h2>${t("Legend")}</h2>
    <${Terms} entries=${[...MARKS.map(([term, meaning]) => [t(term), t(meaning)]), ...legend]} />`;
}
