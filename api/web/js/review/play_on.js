// A new game from a step of a game that has ended, against AIs of the same levels.
// @ts-check
import { html, signal } from "../vendor.js";
import { newGame } from "../new_game/new_game.js";
import { saveGame, setting, tableLink } from "../shared/saved.js";
import { past, viewpoint } from "../table/state.js";
import * as state from "../table/state.js";
import { t } from "../shared/i18n.js";

/** Level of an AI that takes a person's seat, if no AI sat at the table. */
const STAND_IN = "adept";

const busy = signal(false);

/** Return the seats of the new game: the reader's own, AIs at all others. @param {any} game @param {number} own */
function seatsOf({ seats }, own) {
  const level = seats.find((/** @type {any} */ seat) => seat.level)?.level ?? STAND_IN;
  return seats.map((/** @type {any} */ seat) =>
    seat.seat === own
      ? { kind: "human", name: setting("name", "") || t("Guest") }
      : { kind: "ai", level: seat.level ?? level },
  );
}

/** Create the game from the position of the step that is shown, and open its table. */
async function begin() {
  if (busy.value) return;
  const game = state.game.value;
  busy.value = true;
  try {
    const { position } = await state.client.ask(`/v1/games/${game.id}/positions/${past.value}`);
    const own = game.you ?? viewpoint.value ?? 0;
    const body = { ruleset: game.ruleset, seats: seatsOf(game, own), position, listed: false };
    const made = await newGame(state.client, body);
    const [token] = Object.values(made.tokens);
    saveGame({ id: made.id, token, continued: true });
    location.assign(tableLink(made.id, token));
  } catch (error) {
    state.showError(error);
  } finally {
    busy.value = false;
  }
}

/** Button to play on from the shown step, unless the game is over there. */
export function PlayOn() {
  const { version: last, status } = state.game.value;
  const isOpen = past.value !== null && past.value < last - (status === "abandoned" ? 1 : 0);
  if (!isOpen || !state.pastView.value) return null;
  return html`<button type="button" class="on" aria-disabled=${busy.value ? "true" : "false"} onClick=${begin}>
    ${t("Play on from here")}</button>`;
}
