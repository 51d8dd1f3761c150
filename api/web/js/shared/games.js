// Games with a folder in `rulesets`, and what the lobby and the lessons show of them.
// @ts-check
import * as gridcannon from "../../rulesets/gridcannon/lobby/entry.js";
import * as regicide from "../../rulesets/regicide/lobby/entry.js";
import { addCatalogue } from "./i18n.js";

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

/** @type {Record<string, GameEntry>} */
export const GAMES = { regicide, gridcannon };

await Promise.all(Object.keys(GAMES).map((name) => addCatalogue(`/static/rulesets/${name}/lobby/`)));
