// List of the keyboard shortcuts.
// @ts-check
import { html } from "../../vendor.js";
import { addCatalogue, msg, t } from "../../shared/i18n.js";

await addCatalogue(new URL(".", import.meta.url).href);

const KEYS = {
  "1–9": msg("choose a card or a cell, or take it back"),
  "← → ↑ ↓": msg("go from one to the next"),
  "␣": msg("select the focused card"),
  Enter: msg("confirm"),
  Esc: msg("clear the selection"),
  H: msg("ask for a hint"),
  L: msg("go to the log"),
  "[ ]": msg("previous or next step"),
  "?": msg("this list"),
};

export function HelpKeys() {
  return html`<h2>${t("Keys")}</h2><dl class="keys">
    ${Object.entries(KEYS).map(
      ([key, effect]) => html`<div key=${key}><dt><kbd>${key}</kbd></dt><dd>${t(effect)}</dd>
      </div>`,
    )}</dl>`;
}
