// Names and short forms of Gridcannon's cards, and the tokens that select an action.
// @ts-check
import { cardName, t } from "/static/js/shared/i18n.js";

/** @typedef {import("/static/js/board").Action} Action */
/** @typedef {import("/static/js/board").Legal} Legal */

/**
 * Return the tokens that select an action, in order; `draw` and `return` have none, so they are buttons.
 * @param {Action} action
 */
export function tokens(action) {
  switch (action.type) {
    case "place":
    case "force":
      return [action.cell];
    case "place_royal":
    case "armour":
      return [action.slot];
    case "reassign":
      return [action.source, action.target];
    case "switch":
      return [...action.slots];
    case "declare":
      return action.ploy === "reassignment" ? [action.card] : [action.card, action.ploy];
    case "recall":
      return [action.card];
    default:
      return [];
  }
}

/** Return whether the selection can be extended to this action. @param {Action} action @param {string[]} choice */
export function reachable(action, choice) {
  const whole = tokens(action);
  if (action.type === "switch") return choice.every((token) => whole.includes(token));
  return choice.every((token, place) => whole[place] === token);
}

/** Return whether the selection selects exactly this action. @param {Action} action @param {string[]} choice */
export function settled(action, choice) {
  return choice.length > 0 && choice.length === tokens(action).length && reachable(action, choice);
}

/**
 * Return the selection after a click on a token: the token is added, is removed, or replaces the last tokens.
 * @param {Legal[]} legal
 * @param {string[]} choice
 * @param {string} token
 * @returns {string[] | null} null if the token fits no action
 */
export function after(legal, choice, token) {
  if (choice.includes(token)) return choice.filter((other) => other !== token);
  for (let kept = choice.length; kept >= 0; kept -= 1) {
    const next = [...choice.slice(0, kept), token];
    if (legal.some(({ action }) => tokens(action).includes(token) && reachable(action, next))) return next;
  }
  return null;
}

/** Return a card's name in words: "7 of clubs". @param {string} card */
export const cardLabel = (card) => (card[0] === "X" ? t("joker") : cardName(card));

export const SUITS = /** @type {Record<string, string>} */ ({ C: "♣", D: "♦", H: "♥", S: "♠" });
export const FAMILY_SUITS = /** @type {Record<string, string>} */ ({
  red: "HD",
  black: "SC",
  C: "C",
  D: "D",
  H: "H",
  S: "S",
});

/** Return the short form of a card for sentences: 7♣. @param {string} card */
export const short = (card) =>
  card[0] === "X" ? t("Joker") : card[0] === "T" ? `10${SUITS[card[1]]}` : card[0] + SUITS[card[1]];
/** @param {string[]} cards */
export const list = (cards) => cards.map(short).join(", ");
