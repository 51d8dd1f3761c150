// Number of players and duration of a game, in words.
// @ts-check
import { addCatalogue, t } from "../shared/i18n.js";

await addCatalogue(new URL(".", import.meta.url).href);

/**
 * Return the number of players and the duration as a sentence. @param {number[]} players @param {number | null} minutes
 */
export function playersText(players, minutes) {
  const [from, to] = [players[0], players[players.length - 1]];
  const count = { from, to, minutes };
  if (players.length === 1)
    return minutes ? t("{from} players, about {minutes} minutes.", count) : t("{from} players.", count);
  if (players.length === to - from + 1)
    return minutes ? t("{from} to {to} players, about {minutes} minutes.", count) : t("{from} to {to} players.", count);
  return minutes ? t("{from} or {to} players, about {minutes} minutes.", count) : t("{from} or {to} players.", count);
}
