// The installed games, as the server lists them, and the text and picture of each for lobby and list of lessons.
// @ts-check
import { Client, Problem } from "./client.js";
import { addCatalogue, language } from "./i18n.js";

/**
 * @typedef {{name: string, title: string, about: string, players: number[], levels: string[],
 *   options: {properties: Record<string, any>}, lobby: string | null, icon: string | null, cooperative: boolean,
 *   scale?: import("./reader_rating.js").Scale | null}} Ruleset
 */
/**
 * @typedef {object} GameEntry All fields are optional in a game's module.
 * @property {string} about one sentence for the lobby
 * @property {string} intro what a learner reads first
 * @property {string} rule the rules in a sentence, for an invitation
 * @property {number | null} minutes how long a game takes
 * @property {[string, number, number, number, number, boolean?][]} pieces cards of its picture of 600 by 300: card, x
 *   and y from the middle, width, angle; true for a pale card
 * @property {() => any} Scenery drawing behind or over the cards
 * @property {Record<string, string>} colours CSS custom properties of its background
 * @property {Record<string, string>} options labels, by option
 * @property {Record<string, string>} values names of values of options
 * @property {(option: string, players: number) => boolean} fits whether an option has an effect for `players`
 * @property {(option: string, players: number) => unknown[] | undefined} valuesOf values for `players`
 */

/** Return the installed rulesets, with texts in the reader's language. Throws `Problem`. */
const listed = async () =>
  /** @type {Ruleset[]} */ ((await new Client({ language: () => language.value }).ask("/v1/rulesets")).rulesets);

/** Return a game's entry for the lobby: a plain one if the game has no module that works. @param {Ruleset} ruleset */
async function entryOf({ about, lobby }) {
  const plain = { about, rule: about, intro: about, minutes: null, pieces: [], colours: {}, options: {}, values: {} };
  const rest = { fits: () => true, valuesOf: () => undefined, Scenery: () => null };
  if (!lobby) return { ...plain, ...rest };
  const found = await Promise.all([import(lobby), addCatalogue(new URL(".", new URL(lobby, location.href)).href)]).then(
    ([module]) => module,
    (error) => console.error(`${lobby}: ${error}`),
  );
  return { ...plain, ...rest, ...found };
}

/** Return the number of players of a quick game: two, or the least above it. @param {Ruleset} ruleset */
export const fewestPlayers = ({ players }) => players.find((count) => count > 1) ?? players[0];

/** The error if the list of games could not be loaded, else null. @type {Problem | null} */
export let unlisted = null;

/** The installed rulesets, in the server's order. The list is empty if they could not be loaded. */
export const RULESETS = await listed().catch((error) => {
  if (!(error instanceof Problem)) throw error;
  unlisted = error;
  return /** @type {Ruleset[]} */ ([]);
});

/** @type {Record<string, GameEntry>} */
export const GAMES = Object.fromEntries(
  await Promise.all(RULESETS.map(async (ruleset) => [ruleset.name, await entryOf(ruleset)])),
);
