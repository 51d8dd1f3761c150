// What is said at the end of a game, true for whoever reads it. Loaded at the end.
// @ts-check
import { html } from "../vendor.js";
import { Sign } from "../shared/cards.js";
import { t } from "../shared/i18n.js";
import { tableLink } from "../shared/saved.js";
import * as state from "./state.js";

/** Return the seats that have won. @param {any} outcome @returns {number[]} */
const winnersOf = (outcome) => outcome?.winners || (outcome?.winner == null ? [] : [outcome.winner]);

/** Return who has won, in a sentence, or "". @param {any} outcome */
function winnerOf(outcome) {
  const names = winnersOf(outcome).map((seat) => state.names.value[seat]);
  if (!names.length) return "";
  return names.length === 1 ? t("Won by {name}", { name: names[0] }) : t("Won by {names}", { names: names.join(", ") });
}

/** @param {any} game @param {string} kind */
function headline(game, kind) {
  const { outcome, you } = game;
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

/** @param {{look: () => void, kind: string}} props `look` opens the replay, `kind` is the value of `data-end` */
export function Panel({ look, kind }) {
  const game = state.game.value;
  const last = state.events.value.filter((one) => one.type === "ended" && one.text).pop();
  const Crest = state.ruleset.value?.Crest;
  return html`<section class="end" aria-label=${t("The end")}>
    ${Crest ? html`<${Crest} view=${game.view} kind=${kind} />` : null}
    <h2>${headline(game, kind)}</h2>
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
