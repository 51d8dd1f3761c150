// The end of a game, true for whoever reads it.
// @ts-check
import { html } from "../vendor.js";
import { Sign } from "../shared/cards.js";
import { t } from "../shared/i18n.js";
import { endKind, winnersOf } from "../shared/results.js";
import { isAway } from "./playback.js";
import { ending } from "./replay.js";
import { past } from "./state.js";
import * as state from "./state.js";

/** Return who has won, in a sentence, or "". @param {any} outcome */
function winnerOf(outcome) {
  const names = winnersOf(outcome).map((seat) => state.names.value[seat]);
  if (!names.length) return "";
  return names.length === 1 ? t("Won by {name}", { name: names[0] }) : t("Won by {names}", { names: names.join(", ") });
}

/** @param {any} game */
function headline(game) {
  const { outcome, you } = game;
  const kind = endKind(game);
  if (kind === "abandoned") return t("The game was abandoned.");
  if (kind === "drawn") return t("A draw");
  const winner = winnerOf(outcome);
  if (winner) return kind === "won" ? t("You have won!") : kind === "lost" ? t("You have lost.") : winner;
  if (!outcome || !["won", "lost"].includes(outcome.result)) return t("A draw");
  const honour = outcome.result === "won" && state.ruleset.value?.victory?.(outcome);
  if (honour) return honour;
  if (you == null) return outcome.result === "won" ? t("The team has won.") : t("The team has lost.");
  return outcome.result === "won" ? t("Victory!") : t("Defeat");
}

/** @param {{look: () => void}} props `look` opens the replay */
function Panel({ look }) {
  const game = state.game.value;
  const kind = endKind(game);
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
    ${ending.value ? html`<${ending.value.EndActions} look=${look} />` : null}
  </section>`;
}

/**
 * The one element that says how the game ended: empty until then.
 * @param {{lesson: boolean, look: () => void}} props
 */
export function End({ lesson, look }) {
  const over = state.isOver.value && !lesson;
  const shown = over && !isAway.value && past.value === null;
  const kind = over ? endKind(state.game.value) : undefined;
  return html`<div role="status" class=${shown ? "veil" : "hidden"} data-end=${kind}>
    ${shown ? html`<${Panel} look=${look} />` : null}</div>`;
}
