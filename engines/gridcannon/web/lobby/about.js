// Gridcannon's entry in the lobby and in the list of lessons.
// @ts-check
import { html } from "/static/js/vendor.js";
import { msg } from "/static/js/shared/i18n.js";

export const about = msg("The grid is your cannon: bring down the other families.");
export const rule = msg(
  "Lay a card at the end of a line, and the two between shoot at the royal beyond it: outlive the other families.",
);
export const minutes = 15;
export const intro = msg(
  "Two families stand around nine cells. A turn: draw a card and lay it on a cell; the two cards before it, " +
    "in a line, fire at the royal at the other end. A Jack falls to 11, a Queen to 12, a King to 13. The last " +
    "family standing wins.",
);
/** @type {[string, number, number, number, number, boolean?][]} */
export const pieces = [
  ["9C", -104, -142, 92, 0, true],
  ["8S", 0, -142, 92, 0, true],
  ["7H", 104, -142, 92, 0, true],
  ["9D", -104, 142, 92, 0, true],
  ["2S", 0, 142, 92, 0, true],
  ["TH", 104, 142, 92, 0, true],
  ["6H", -104, 0, 92, 0],
  ["5D", 0, 0, 92, 0],
  ["KD", 220, 10, 96, 5],
  ["JC", -218, 0, 96, -4],
  ["4D", 106, -4, 92, 5],
];
const BURST = "M0-34l9 22 20-15-7 24 25 1-21 14 17 18-24-5-4 24-14-20-19 17 3-26-26-1 21-14-14-21 24 8z";
/** Drawing of a line of fire, from the trigger to the royal. */
export const Scenery = () => html`<svg class="beam" viewBox="-300 -150 600 300">
  <path d="M106 0H-160" stroke="#3c0800" stroke-opacity=".75" stroke-width="13" stroke-linecap="round" />
  <path d="M106 0H-160" stroke="#ff6a2a" stroke-width="8" stroke-linecap="round" />
  <path d="M106 0H-160" stroke="#ffe08a" stroke-width="3" stroke-dasharray="12 9" />
  <path d=${BURST} fill="#ffd34f" stroke="#a8300a" stroke-width="3" transform="translate(-166 0) scale(.92)" /></svg>`;
/** @type {Record<string, string>} */
export const colours = {
  "--felt-1": "light-dark(#e4eaf2, #2b5079)",
  "--felt-2": "light-dark(#d0dbe8, #152f50)",
  "--felt-3": "light-dark(#b4c4d6, #081629)",
  "--panel": "light-dark(rgb(255 255 255 / .74), rgb(4 14 28 / .5))",
  "--panel-solid": "light-dark(#f6f9fc, #0f2440)",
  "--line": "light-dark(rgb(24 46 78 / .24), rgb(222 234 250 / .22))",
  "--edge": "light-dark(#5a6f8a, #8ba5c6)",
  "--soft": "light-dark(#dce5ef, #1d3a5c)",
  "--ink": "light-dark(#131f30, #f3f1e6)",
  "--quiet": "light-dark(#3c4d64, #c4d1e2)",
};
/** @type {Record<string, string>} */
export const options = {
  first_seat: msg("Who begins"),
  families: msg("Family of player {n}"),
  reduced_ploys: msg("Fewer ploys: without A♣, A♦ and one joker"),
  turn_limit: msg("Turn limit: the game is then a draw (0: none)"),
};
/** @type {Record<string, string>} */
export const values = {
  random: msg("at random"),
  red: msg("red"),
  black: msg("black"),
  C: msg("clubs"),
  D: msg("diamonds"),
  H: msg("hearts"),
  S: msg("spades"),
};

/** Return whether an option has an effect for this number of players. @param {string} option @param {number} players */
export const fits = (option, players) => option !== "reduced_ploys" || players === 2;

/**
 * Return the values of an option for this number of players, or undefined for all.
 * @param {string} option
 * @param {number} players
 */
export const valuesOf = (option, players) =>
  option === "families" ? (players === 4 ? ["C", "D", "H", "S"] : ["red", "black"]) : undefined;
