// Gridcannon in the lobby and in the list of lessons.
// @ts-check
import { msg } from "/static/js/shared/i18n.js";

export const about = msg("Six royals each, and the grid is your cannon. You against an expert AI.");
export const intro = msg(
  "Two families stand around nine cells. A turn: draw a card and lay it on a cell; the two cards before it, " +
    "in a line, fire at the royal at the other end. A Jack falls to 11, a Queen to 12, a King to 13. The last " +
    "family standing wins.",
);
export const cards = ["7C", "9H", "4D", "QS"];
export const look = "grid-fan";
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
