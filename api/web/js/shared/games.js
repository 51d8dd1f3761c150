// The installed games, and what the lobby and the lessons show of them.
// @ts-check
import { Client } from "./client.js";
import { addCatalogue, language } from "./i18n.js";

/**
 * @typedef {object} GameEntry
 * @property {string} about one sentence for the lobby
 * @property {string} intro what a learner reads first
 * @property {string[]} cards the picture on its button
 * @property {string} look the class that lays out the cards
 * @property {Record<string, string>} options labels, by option
 * @property {Record<string, string>} values names of values of options
 * @property {(option: string, players: number) => boolean} fits whether an option is for so many players
 * @property {(option: string, players: number) => string[] | undefined} [valuesOf] the values for so many players
 */

/** What is shown of a game without words of its own for the lobby. */
const PLAIN = { intro: "", cards: [], look: "fan", options: {}, values: {}, fits: () => true };

/** The installed games by name, in the server's order. @type {Record<string, GameEntry>} */
export const GAMES = {};

/** @typedef {{name: string, about: string, lobby: string | null}} Listed */
/** @type {{rulesets: Listed[]}} */
const { rulesets } = await new Client({ language: () => language.value })
  .ask("/v1/rulesets")
  .catch(() => ({ rulesets: [] })); // the page asks for the list too, and shows the error

/** Load a game's words for the lobby, if it has any. @param {Listed} listed @returns {Promise<GameEntry>} */
async function load({ about, lobby }) {
  if (!lobby) return { ...PLAIN, about };
  await addCatalogue(lobby.slice(0, lobby.lastIndexOf("/") + 1));
  return { ...PLAIN, about, ...(await import(lobby)) };
}

const entries = await Promise.all(rulesets.map(load));
for (const [place, { name }] of rulesets.entries()) GAMES[name] = entries[place];
