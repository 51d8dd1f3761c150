// The panel beside the board ("rail"): whose turn it is, a preview of the chosen action, and the buttons.
// @ts-check
import { html } from "../vendor.js";
import { Written, written } from "../shared/cards.js";
import { t } from "../shared/i18n.js";
import { Player } from "./lazy_replay.js";
import { past } from "./state.js";
import * as state from "./state.js";

/** Module of the banner of a lesson or a puzzle; null in other games.
 * @typedef {typeof import("../learn/lesson_banner.js") | typeof import("../puzzles/banner.js") | null} Lesson */

/** Return the label of a legal action. @param {any} one */
export function labelOf(one) {
  return one.label || one.text.replace(/\b([2-9TJQKA][CDHS]|X[12])\b/g, written);
}

/** Return whose turn it is, as a sentence. @param {any} game @param {Lesson} lesson */
function turnOf(game, lesson) {
  const { status, you, to_act } = game;
  if (status === "waiting") return t("Waiting for players.");
  if (status === "abandoned") return t("The game was abandoned.");
  if (status === "finished" || !to_act.length) return t("The game is over.");
  if (you != null && to_act.includes(you))
    return (
      state.ruleset.value?.prompt?.(game.view, game, state.selection.value, state.legal.value, lesson?.wants()) ||
      t("Your turn")
    );
  const seat = to_act[0];
  const name = state.names.value[seat];
  return game.seats[seat].kind === "ai" ? t("{name} is thinking…", { name }) : t("It is {name}'s turn.", { name });
}

/** @param {{lesson: Lesson}} props */
function Status({ lesson }) {
  const game = state.game.value;
  const replaying = past.value !== null;
  const through = lesson?.isThrough() ?? false;
  const text = replaying
    ? t("The table as it was at step {version}.", { version: past.value })
    : through
      ? ""
      : turnOf(game, lesson);
  const mine = !replaying && !through && game.you != null && game.to_act.includes(game.you);
  const interrupts = !mine && !replaying && game.you != null && game.may_act.includes(game.you);
  return html`<p class=${`status${mine ? " mine" : ""}`} role="status" tabindex="-1"><${Written} text=${text} />
    ${interrupts ? ` ${state.ruleset.value?.interrupt?.() || t("Not your turn, but you may act.")}` : ""}
    ${game.you == null && !replaying ? ` ${t("You are watching.")}` : ""}</p>`;
}

/** The ruleset's meter: how much of a required amount the selected cards make up. */
function Tally() {
  const { Tally: Drawn } = state.ruleset.value ?? {};
  const [view, legal] = [state.game.value.view, state.legal.value];
  return Drawn && legal.length ? html`<${Drawn} view=${view} legal=${legal} choice=${state.selection.value} />` : null;
}

/** Preview of the selected action. The end of the game comes first, because long texts are cut. */
function Preview() {
  const { value } = state.preview;
  const all = /** @type {any[]} */ (value?.events || []);
  const ended = all.find((one) => one.type === "ended");
  const events = all.filter((one) => one !== ended && one.type !== "turn_began");
  const told = events.map((one) => one.text).filter(Boolean);
  const { value: chosen } = state.selectedAction;
  if (!(ended || told.length) || !chosen) return html`<p class="preview" id="preview" aria-live="polite"></p>`;
  const { value: ruleset } = state.ruleset;
  const [game, { action }] = [state.game.value, chosen];
  const more =
    value.certain === false ? ruleset?.hidden?.(game, action, value) || t("Hidden cards will be revealed.") : "";
  const lost = ended?.result === "lost";
  const warning = lost ? "" : ruleset?.warning?.(game, action, value);
  const said = ruleset?.foretold?.(game, action, { ...value, events }, state.names.value) ?? told.join(" ");
  return html`<p class=${`preview${lost ? " danger" : ""}`} id="preview" aria-live="polite">
    ${warning ? html`<strong class="danger">${warning}</strong> ` : null}<${Written}
      text=${ended ? `${ended.text} ${said}` : said} />
    ${more ? html` <span class="q">${more}</span>` : null}</p>`;
}

/** Button that takes the selected action. Its second line says what the action will do. */
function Act() {
  const chosen = state.selectedAction.value;
  const words = wordButtons();
  const { value: ruleset } = state.ruleset;
  const ask =
    words.length < state.legal.value.length
      ? ruleset?.ask?.(state.game.value.view, state.selection.value) || t("Choose on the table")
      : t("Press one of the buttons");
  const { value: told } = state.preview;
  const effect = chosen && told ? ruleset?.effect?.(state.game.value, chosen.action, told) : "";
  return html`<button type="button" class="primary act" id="act" data-act aria-describedby="preview"
    aria-disabled=${chosen && !state.busy.value ? "false" : "true"} onClick=${() => state.act()}>
    <span class="first"><${Written} text=${chosen ? labelOf(chosen) : ask} /></span>
    ${effect ? html`<small>${effect}</small>` : null}</button>`;
}

/** Return the actions that have a button of their own, with their tokens. */
function wordButtons() {
  return state.legal.value
    .map((one) => ({ one, word: state.actionButtonKey(one.action) }))
    .filter(({ one, word }) => word !== null && one !== state.onlyAction.value && !state.isDefaultAction(one.action));
}

function ActBar() {
  const legal = state.legal.value;
  if (!legal.length) return html`<div class="space" aria-hidden="true"></div>`;
  return html`<section class="actbar" aria-label=${t("What you can do")}>
      ${wordButtons().map(({ one, word }) => {
        const key = state.ruleset.value?.keyOf?.(one.action);
        return html`<button type="button" key=${word} data-token=${word} data-key=${key}
          aria-pressed=${state.selection.value.includes(String(word)) ? "true" : "false"}
          onClick=${() => state.toggleSelected(String(word))}>${labelOf(one)}
          ${key ? html` <kbd aria-hidden="true">${key.toUpperCase()}</kbd>` : null}</button>`;
      })}
      <${Act} />
  </section>`;
}

function Signals() {
  const offered = state.ruleset.value?.signals?.(state.game.value) ?? [];
  if (!offered.length) return null;
  return html`<section class="actbar" aria-label=${t("Signal the others")}><span>${t("Signal the others")}:</span>
    ${offered.map(
      ([signal, label]) =>
        html`<button type="button" key=${signal} onClick=${() => state.sendSignal(signal)}>${label}</button>`,
    )}</section>`;
}

/** @param {{lesson: Lesson, idle: boolean}} props `idle`: no action is possible, because an earlier version is shown */
export function Rail({ lesson, idle }) {
  return html`<footer class="rail"><div class="say">${idle ? null : html`<${Tally} />`}
    <${Status} lesson=${lesson} />${idle ? null : html`<${Preview} />`}</div>
    ${state.legal.value.length ? null : html`<${Signals} />`}${idle ? null : html`<${ActBar} />`}
    ${past.value === null && lesson && "Buttons" in lesson ? html`<${lesson.Buttons} />` : null}
    ${past.value === null ? null : html`<${Player} />`}</footer>`;
}
