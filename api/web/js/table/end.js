// The end of a game, true for whoever reads it.
// @ts-check
import { html, signal } from "../vendor.js";
import { Sign } from "../shared/cards.js";
import { t } from "../shared/i18n.js";
import { tableLink } from "../shared/saved.js";
import { past } from "./state.js";
import * as state from "./state.js";

/** True once the reader has put the panel away, to look at the table. */
export const isAway = signal(false);

/** Return the seats that have won. @param {any} outcome @returns {number[]} */
const winnersOf = (outcome) => outcome?.winners || (outcome?.winner == null ? [] : [outcome.winner]);

/** Return what the end is for the reader: the value of `data-end`. @param {any} game */
export function kindOf({ outcome, status, you }) {
  if (status === "abandoned") return "abandoned";
  if (you == null) return "watched";
  const winners = winnersOf(outcome);
  if (winners.length) return winners.includes(you) ? "won" : "lost";
  return ["won", "lost"].includes(outcome?.result) ? outcome.result : "drawn";
}

/** Return who has won, in a sentence, or "". @param {any} outcome */
function winnerOf(outcome) {
  const names = winnersOf(outcome).map((seat) => state.names.value[seat]);
  if (!names.length) return "";
  return names.length === 1 ? t("Won by {name}", { name: names[0] }) : t("Won by {names}", { names: names.join(", ") });
}

/** @param {any} game */
function headline(game) {
  const { outcome, you } = game;
  const kind = kindOf(game);
  if (kind === "abandoned") return t("The game was abandoned.");
  if (kind === "drawn") return t("A draw");
  const winner = winnerOf(outcome);
  if (winner) return kind === "won" ? t("You have won!") : kind === "lost" ? t("You have lost.") : winner;
  if (!outcome || !["won", "lost"].includes(outcome.result)) return t("A draw");
  if (outcome.result === "won" && outcome.medal) return state.ruleset.value?.victory?.(outcome) ?? t("Victory!");
  if (you == null) return outcome.result === "won" ? t("The team has won.") : t("The team has lost.");
  return outcome.result === "won" ? t("Victory!") : t("Defeat");
}

async function again() {
  state.problem.value = null;
  try {
    const { nextGame } = await import("../shared/new_game.js");
    const next = await nextGame(state.client, state.game.value.id);
    location.assign(tableLink(next.id, next.token));
  } catch (error) {
    state.showError(error);
  }
}

/** @param {{look: () => void}} props `look` opens the replay */
function Panel({ look }) {
  const game = state.game.value;
  const last = state.events.value.filter((one) => one.type === "ended" && one.text).pop();
  const kind = kindOf(game);
  const Crest = state.ruleset.value?.Crest;
  return html`<section class="end" aria-label=${t("The end")}>
    ${Crest ? html`<${Crest} view=${game.view} kind=${kind} />` : null}
    <h2>${headline(game)}</h2>
    ${
      kind === "lost" && winnerOf(game.outcome)
        ? html`<p class="winner">
      <${Sign} seat=${winnersOf(game.outcome)[0]} /> ${winnerOf(game.outcome)}</p>`
        : null
    }
    ${last ? html`<p>${last.text}</p>` : null}
    <div class="row">
      ${
        game.you != null && game.status === "finished"
          ? html`<button type="button" class="primary" onClick=${again}>${t("Play again")}</button>`
          : null
      }
      <button type="button" onClick=${look}>${t("Look back")}</button>
      <a class="button" href="/">${t("All games")}</a></div>
  </section>`;
}

/** The one element that says how the game ended: empty until then. @param {{lesson: boolean, look: () => void}} props */
export function End({ lesson, look }) {
  const over = state.isOver.value && !lesson;
  const shown = over && !isAway.value && past.value === null;
  return html`<div role="status" class=${shown ? "veil" : "hidden"} data-end=${over ? kindOf(state.game.value) : undefined}>
    ${shown ? html`<${Panel} look=${look} />` : null}</div>`;
}
