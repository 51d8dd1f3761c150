// Shared by the parts of the lobby: requests, the error of a failed request, and opening a new table.
// @ts-check
import { signal } from "../vendor.js";
import { Client } from "../shared/client.js";
import { newGame } from "../new_game/new_game.js";
import { setting, tableLink } from "../shared/saved.js";
import { language, t } from "../shared/i18n.js";

/** @param {string | null} [token] */
export const client = (token = null) => new Client({ token, language: () => language.value });

export const problem = signal(/** @type {string | null} */ (null));
export const busy = signal(false);

/** Run `work` unless another action is running, and show its error if it fails. @param {() => Promise<void>} work */
export async function runAction(work) {
  if (busy.value) return;
  busy.value = true;
  problem.value = null;
  try {
    await work();
  } catch (error) {
    const { detail, status } = /** @type {any} */ (error);
    problem.value = status === 0 ? t("Can't reach the server.") : detail;
  }
  busy.value = false;
}

export const ownName = () => setting("name", "") || t("Guest");

/**
 * Create a game and open its table.
 * @param {{ruleset: string, seats: Record<string, unknown>[]} & Record<string, unknown>} body
 */
export function create(body) {
  return runAction(async () => {
    const game = await newGame(client(), body);
    const [token = game.host_token] = Object.values(game.tokens);
    location.assign(tableLink(game.id, token));
  });
}
