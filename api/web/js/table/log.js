// What has happened, and what an AI would do.
// @ts-check
import { html, useEffect, useRef } from "../vendor.js";
import * as state from "./state.js";
import { t } from "../shared/i18n.js";

export function Log() {
  const box = useRef(/** @type {any} */ (null));
  const { you } = state.game.value;
  // That the others are dealt cards, one at a time, is no news.
  const told = state.events.value.filter((one) => one.text && (one.type !== "dealt" || one.seat === you));
  const last = told[told.length - 1];
  useEffect(() => {
    box.current.scrollTop = box.current.scrollHeight;
  }, [last]);
  return html`<section class="panel logbox"><h2 id="log-name">${t("Game log")}</h2>
    <div class="log" id="log" role="log" aria-labelledby="log-name" tabindex="0" ref=${box}>
      ${
        told.length
          ? told.map(
              (one, index) => html`<p
                key=${`${one.version}.${one.type}.${index - told.findIndex((other) => other.version === one.version)}`}
        class=${one.type === "turn_began" ? "turn" : ""}>${one.text}
          ${
            one.type === "started" && told[index + 1]?.version === one.version ? ` ${t("Setting up the board:")}` : ""
          }</p>`,
            )
          : html`<p class="quiet">${t("Nothing yet")}</p>`
      }
    </div></section>`;
}

/** So many of an AI's ideas are shown, in its own order: what it tried most often comes first. */
const SHOWN = 5;

/**
 * How far the chance of an action can be believed: what few imagined games say of the others may be luck.
 * @param {any} one
 * @param {any} first
 */
const isSure = (one, first) => one === first || (2 * one.visits >= first.visits && one.value <= first.value);

/** @param {{labelOf: (one: any) => string}} props */
export function Hints({ labelOf }) {
  const { value } = state.hint;
  if (!state.isMine.value) return null;
  return html`<section class="panel hints" aria-label=${t("Hint")}>
    <button type="button" aria-disabled=${value?.waiting ? "true" : "false"} onClick=${() => state.requestHint()}>
      ${value?.waiting ? t("Thinking…") : t("What would an AI do?")} <kbd aria-hidden="true">H</kbd></button>
    <div aria-live="polite">${
      value?.actions
        ? html`${value.why ? html`<p>${value.why}</p>` : null}
      <ol class="plainlist">
        ${value.actions.slice(0, SHOWN).map(
          (/** @type {any} */ one, /** @type {number} */ index) => html`<${Chance}
          key=${one.text} one=${one} best=${index === 0} sure=${isSure(one, value.actions[0])}
            labelOf=${labelOf} />`,
        )}</ol>`
        : null
    }</div>
  </section>`;
}

/** @param {{one: any, best: boolean, sure: boolean, labelOf: (one: any) => string}} props */
function Chance({ one, best, sure, labelOf }) {
  const n = Math.round(100 * one.value);
  const known = state.legal.value.find((legal) => JSON.stringify(legal.action) === JSON.stringify(one.action)) || one;
  const word = state.actionButtonKey(one.action);
  const take = () => {
    state.selection.value = word === null ? [...(state.ruleset.value?.tokens(one.action) || [])] : [word];
  };
  return html`<li class="chance"><button type="button" onClick=${take}><span>${labelOf(known)}
    ${best ? html` <b>(${t("its choice")})</b>` : null}</span>
    ${sure ? html`<meter min="0" max="100" value=${n} aria-label=${t("{n} % to win", { n })}></meter>` : null}
      <span class="quiet">${sure ? t("{n} % to win", { n }) : t("barely explored")}</span></button></li>`;
}
