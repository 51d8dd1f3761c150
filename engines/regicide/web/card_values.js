// Values of cards, for display, and the cards that select an action. The server lists the legal actions.
// @ts-check
const RANKS = "A23456789TJQKX";
/** @type {Record<string, number>} */
export const ATTACK = { J: 10, Q: 15, K: 20 };
/** @type {Record<string, number>} */
export const HEALTH = { J: 20, Q: 30, K: 40 };

/** Compare cards by rank, then by suit. @param {string} one @param {string} other */
export const byRank = (one, other) => RANKS.indexOf(one[0]) - RANKS.indexOf(other[0]) || (one < other ? -1 : 1);

/** Return the value of a discarded card. @param {string} card */
export const worth = (card) => ATTACK[card[0]] ?? "XA23456789T".indexOf(card[0]);

/** Return the sum of the values of cards. @param {string[]} cards */
export const sumOfValues = (cards) =>
  cards.filter((token) => token.length === 2).reduce((sum, card) => sum + worth(card), 0);

/**
 * Return the cards that cover an attack with the least excess, or no cards if the hand can't cover it.
 * @param {string[]} hand
 * @param {number} attack
 */
export function cheapestCover(hand, attack) {
  let best = /** @type {string[]} */ ([]);
  let least = Number.POSITIVE_INFINITY;
  for (let set = 1; set < 1 << hand.length; set += 1) {
    const some = hand.filter((_, place) => set & (1 << place));
    const sum = sumOfValues(some);
    if (sum >= attack && (sum < least || (sum === least && some.length < best.length))) [best, least] = [some, sum];
  }
  return best;
}

/** Return the cards that select an action. @param {any} action @returns {string[]} */
export function tokens(action) {
  return action.cards ?? [];
}

/** Return whether the action includes all selected cards. @param {any} action @param {string[]} choice */
export function reachable(action, choice) {
  const all = tokens(action);
  return choice.every((token) => all.includes(token));
}

/** Return whether exactly the action's cards are selected. @param {any} action @param {string[]} choice */
export function settled(action, choice) {
  return tokens(action).length === choice.length && reachable(action, choice);
}
