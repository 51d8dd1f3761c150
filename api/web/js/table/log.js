// Game log and hints.
// @ts-check
import { html, useEffect, useRef } from "../vendor.js";
import * as state from "./state.js";
import { t } from "../shared/i18n.js";

/** @param {{open: boolean}} props */
export function Log({ open }) {
  const box = useRef(/** @type {any} */ (null));
  const { you } = state.game.value;
  // Cards dealt to others are left out, because they tell the reader nothing.
  const told = state.events.value.filter((one) => one.text && (one.type !== "dealt" || one.seat === you));
  const last = told[told.length - 1];
  useEffect(() => {
    box.current.scrollTop = box.current.scrollHeight;
  }, [last]);
  return html`<section class="panel logbox"><h2 id="log-name">${t("Game log")}</h2>
    <div class="log" id="log" role="log" aria-labelledby="log-name" tabindex=${open ? 0 : undefined} ref=${box}>
      ${
        told.length
          ? told.map((_, index) => html`<${Line} key=${keyOf(told, index)} told=${told} index=${index} />`)
          : html`<p class="quiet">${t("Nothing yet")}</p>`
      }
    </div></section>`;
}

/**
 * Return a key that stays the same when older events are dropped: version, type, and place within the version.
 * @param {any[]} told
 * @param {number} index
 */
function keyOf(told, index) {
  const { version, type } = told[index];
  return `${version}.${type}.${index - told.findIndex((other) => other.version === version)}`;
}

/** @param {{told: any[], index: number}} props */
function Line({ told, index }) {
  const { text, type, version } = told[index];
  const isCurrent = version === (state.past.value ?? state.game.value.version) && told[index + 1]?.version !== version;
  const isSetUp = type === "started" && told[index + 1]?.version === version;
  return html`<p class=${type === "turn_began" ? "turn" : ""} aria-current=${isCurrent ? "step" : undefined}>
    ${isSetUp ? `${text} ${t("Setting up the board:")}` : text}</p>`;
}

/** Maximum number of actions in a hint. They are in the AI's order, most visited first. */
const MAX_SHOWN = 5;

/**
 * Return whether the estimated chance of an action is reliable: few simulated games may mislead.
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
          <ol class="plainlist">${value.actions.slice(0, MAX_SHOWN).map(
            (/** @type {any} */ one) => html`<${Chance} key=${one.text} one=${one} best=${one === value.actions[0]}
              sure=${isSure(one, value.actions[0])} labelOf=${labelOf} />`,
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
