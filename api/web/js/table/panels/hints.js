// The panel of hints, loaded when the drawer is first opened.
// @ts-check
import { html } from "../../vendor.js";
import { addCatalogue, t } from "../../shared/i18n.js";
import { labelOf } from "../action_panel.js";
import * as state from "../state.js";

import "./replay_controls.js"; // the hints use its styles

await addCatalogue(new URL(".", import.meta.url).href);

/** Maximum number of actions in a hint. The AI sends them with the most visited first. */
const MAX_SHOWN = 5;

/**
 * Return whether the estimated chance of an action rests on enough simulated games to be shown as reliable.
 * @param {any} one
 * @param {any} first
 */
const isSure = (one, first) => one === first || (2 * one.visits >= first.visits && one.value <= first.value);

/** Explanation of "few tries". */
const FewTries = () => html`<p class="quiet">
  ${t("Few tries: too few of the simulated games began so to tell a chance.")}</p>`;

/** The hint: the actions that an AI would consider, with their chances. */
export function Hints() {
  const { value } = state.hint;
  if (!state.isMine.value) return null;
  /** @type {any[]} */
  const shown = value?.actions?.slice(0, MAX_SHOWN) ?? [];
  return html`<section class="panel hints" aria-label=${t("Hint")}>
    <button type="button" aria-disabled=${value?.waiting ? "true" : "false"} onClick=${() => state.requestHint()}>
      ${value?.waiting ? t("Thinking…") : t("What would an AI do?")} <kbd aria-hidden="true">H</kbd></button>
    <div aria-live="polite">${
      value?.actions
        ? html`${value.why ? html`<p>${value.why}</p>` : null}
          <ol class="plainlist">${shown.map(
            (one) =>
              html`<${Chance} key=${one.text} one=${one} best=${one === shown[0]} sure=${isSure(one, shown[0])} />`,
          )}</ol>
          ${shown.every((one) => isSure(one, shown[0])) ? null : html`<${FewTries} />`}`
        : null
    }</div>
  </section>`;
}

/** @param {{one: any, best: boolean, sure: boolean}} props */
function Chance({ one, best, sure }) {
  const n = Math.round(100 * one.value);
  const known = state.legal.value.find((legal) => JSON.stringify(legal.action) === JSON.stringify(one.action)) || one;
  const word = state.actionButtonKey(one.action);
  const take = () => {
    state.selection.value = word === null ? [...(state.ruleset.value?.tokens(one.action) || [])] : [word];
  };
  return html`<li class="chance"><button type="button" onClick=${take}><span>${labelOf(known)}
    ${best ? html` <b>(${t("its choice")})</b>` : null}</span>
    ${sure ? html`<meter min="0" max="100" value=${n} aria-label=${t("{n} % to win", { n })}></meter>` : null}
      <span class="quiet">${sure ? t("{n} % to win", { n }) : t("few tries")}</span></button></li>`;
}
