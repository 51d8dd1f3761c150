// @ts-check
/**
 * Squares, lines of fire and cards of Gridcannon, and what a player clicks to select an action (its tokens). The server
 * lists the legal actions.
 *
 * Columns a-e from the left, rows 1-5 from the top; the grid is b2-d4, with the slots for royals around it.
 */
import { cardName, t } from "/static/js/shared/i18n.js";

/** @typedef {import("/static/js/board").Action} Action */
/** @typedef {import("/static/js/board").Legal} Legal */

/** @typedef {{card: string, armour: string[], alive: boolean}} Standing A royal in its slot. */
/**
 * @typedef {object} View A view of a game from the server.
 * @property {number} players
 * @property {string} phase
 * @property {number} turn
 * @property {number} turns
 * @property {string[]} families
 * @property {Record<string, string[]>} grid
 * @property {Record<string, Standing>} royals
 * @property {{count: number, bottom: string[]}} draw_pile
 * @property {string | null} drawn
 * @property {{seat: number, card: string}[]} opening
 * @property {string[][]} arsenals
 * @property {{seat: number, card: string, ploy: string}[]} ploys
 * @property {string[]} recalled
 * @property {number} turn_limit
 * @property {{result: string, reason: string, winner: number | null} | null} outcome
 */
/**
 * @typedef {object} Shot A line of fire in the current position.
 * @property {string} slot
 * @property {string} trigger
 * @property {string[]} attackers the two cells behind the trigger, the nearest to the royal first
 * @property {number[]} counts the points that each attacker adds
 * @property {number} attack
 * @property {number} needed the attack that kills
 */

export const COLUMNS = ["a", "b", "c", "d", "e"];
export const ROWS = ["1", "2", "3", "4", "5"];
export const HEALTH = /** @type {Record<string, number>} */ ({ J: 11, Q: 12, K: 13 });

/** @param {string} square */
const inside = (square) => "bcd".includes(square[0]) && "234".includes(square[1]);
/** @param {string} square */
export const isCell = (square) => /^[b-d][2-4]$/.test(square);
/** @param {string} square */
export const isSlot = (square) =>
  /^[a-e][1-5]$/.test(square) && !inside(square) && (inside(`b${square[1]}`) || inside(`${square[0]}2`));
export const SLOTS = ROWS.flatMap((row) => COLUMNS.map((column) => column + row)).filter(isSlot);

/** Return the value of a number card: 2 to 10. @param {string} card */
export const value = (card) => (card[0] === "T" ? 10 : Number(card[0]) || 0);

/** @param {string} card */
const isRed = (card) => card[1] === "D" || card[1] === "H";

/** Return the cells of the line of fire at a slot: near attacker, far attacker, trigger. @param {string} slot */
export function lineOf(slot) {
  const [column, row] = slot;
  if (row === "1") return ["2", "3", "4"].map((other) => column + other);
  if (row === "5") return ["4", "3", "2"].map((other) => column + other);
  return (column === "a" ? ["b", "c", "d"] : ["d", "c", "b"]).map((other) => other + row);
}

/** Return the points of a card in a shot at a royal (G9). @param {string} royal @param {string | undefined} card */
export function attackValue(royal, card) {
  if (!card) return 0;
  const counts = { J: true, Q: isRed(royal) === isRed(card), K: royal[1] === card[1] }[royal[0]];
  return counts ? value(card) : 0;
}

/** Return the attack that kills: health and all armour (G10). @param {Standing} royal */
export const needed = (royal) => royal.armour.reduce((sum, layer) => sum + value(layer), HEALTH[royal.card[0]]);

/**
 * Return the line of fire at a slot, or null if no living royal is there.
 * @param {View} view
 * @param {string} slot
 * @param {string} [lifted] a cell whose top card is to be moved away
 */
export function shotAt(view, slot, lifted) {
  const royal = view.royals[slot];
  if (!royal?.alive) return null;
  const [near, far, trigger] = lineOf(slot);
  const counts = [near, far].map((cell) => attackValue(royal.card, view.grid[cell].at(cell === lifted ? -2 : -1)));
  return { slot, trigger, attackers: [near, far], counts, attack: counts[0] + counts[1], needed: needed(royal) };
}

/**
 * Return the lines of fire that a card placed on a cell would trigger; for a slot, the line at that slot.
 * @param {View} view
 * @param {string} square
 * @param {string} [lifted]
 */
export function shotsFrom(view, square, lifted) {
  const slots = isCell(square) ? SLOTS.filter((slot) => lineOf(slot)[2] === square) : [square];
  return slots.flatMap((slot) => shotAt(view, slot, lifted) ?? []);
}

/** Return the family of a card for this number of players. @param {string} card @param {number} players */
export const familyOf = (card, players) => (players === 4 ? card[1] : isRed(card) ? "red" : "black");

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
