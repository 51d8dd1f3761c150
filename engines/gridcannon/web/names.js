// How cards are called and written here.
// @ts-check
import { cardName, t } from "/static/js/shared/i18n.js";

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

/** Return a card as it is written in sentences: 7♣. @param {string} card */
export const short = (card) =>
  card[0] === "X" ? "★" : card[0] === "T" ? `10${SUITS[card[1]]}` : card[0] + SUITS[card[1]];
/** @param {string[]} cards */
export const list = (cards) => cards.map(short).join(", ");
