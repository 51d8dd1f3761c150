// Gridcannon's browser module: what can be selected, and the sentences around the board.
// @ts-check
import { loadIcons } from "/static/js/shared/cards.js";
import { msg, t } from "/static/js/shared/i18n.js";
import { lineOf, list, short } from "./geometry.js";

export { after, reachable, settled, tokens } from "./geometry.js";
export { beside, Board } from "./picture.js";

loadIcons(new URL("icons.svg", import.meta.url).href);

/** @typedef {import("./geometry.js").View} View */
/** @typedef {import("/static/js/board").Action} Action */
/** @typedef {import("/static/js/board").Legal} Legal */

/** Types of events that the end panel lists as decisive. */
export const decisive = ["fired", "killed"];

/** Return whether an action needs no selection. @param {Action} action */
export const usual = ({ type }) => type === "draw" || type === "return";

/** Sentences for the use of a ploy. @type {Record<string, string>} */
const PLOY_PROMPTS = {
  reassignment: msg("Reassignment: choose a card, then the cell it moves to."),
  switcheroo: msg("Switcheroo: choose two royals to swap."),
  forced_attack: msg("Forced attack: choose the cell that fires."),
};

/** Return whether the cell beside a slot has a card. @param {View} view @param {string} [slot] */
const isBesideCard = (view, slot) => Boolean(slot && view.grid[lineOf(slot)[0]].length);

/**
 * Return a sentence that tells the reader what to do now.
 * @param {View} view
 * @param {unknown} [_game]
 * @param {string[]} [choice]
 * @param {Legal[]} [legal]
 * @param {string} [wanted] the type of action that a lesson wants
 */
export function prompt(view, _game, choice = [], legal = [], wanted = "") {
  const has = (/** @type {string} */ type) => legal.some(({ action }) => action.type === type);
  if (choice.length === 1 && choice[0][0] === "X" && has("declare")) return t("Choose: switcheroo or forced attack.");
  if (wanted === "declare") return t("Declare a ploy: choose it in your arsenal.");
  if (view.ploys.length) return t(PLOY_PROMPTS[view.ploys[0].ploy]);
  const card = view.opening[0]?.card ?? view.drawn;
  if (!card)
    return view.phase === "draw" ? (has("declare") ? t("Draw a card, or play a ploy.") : t("Draw a card.")) : "";
  if (has("armour")) return t("Choose a marked royal to armour with {card}.", { card: short(card) });
  if (view.phase === "place") return t("Lay {card} on a marked cell.", { card: short(card) });
  return legal.some(({ action }) => isBesideCard(view, action.slot))
    ? t("Place {card} beside the highest card of its suit, else of its colour.", {
        card: short(card),
      })
    : t("Place {card}: choose one of the marked places.", { card: short(card) });
}

/** Return the prompt of a seat that isn't on turn but may act. */
export const interrupt = () => t("You may play a ploy.");

/** Return the squares and ploys that an event changed. @param {any} event @returns {string[]} */
function changed(event) {
  switch (event.type) {
    case "drawn":
      return ["drawn"];
    case "laid":
    case "forced":
      return [event.cell];
    case "ploy_gained":
    case "declared":
    case "recalled":
      return [`ploy:${event.card}`];
    case "royal_placed":
    case "armour_laid":
    case "killed":
      return [event.slot];
    case "returned":
      return ["pile"];
    case "reassigned":
      return [event.source, event.target];
    case "switched":
      return event.slots;
    default:
      return [];
  }
}

/** Return the squares and ploys that a move changed, or else the seat that moved. @param {any[]} events */
export function marks(events) {
  const all = events.flatMap(changed);
  return all.length ? all : [`seat:${events[0].seat}`];
}

/** Return the `data-hit` values of the elements that a move hit. @param {any[]} events */
export const struck = (events) => events.filter(({ type }) => type === "fired").map(({ slot }) => slot);

/** Return whether a move begins a turn. @param {any[]} events */
export const opensTurn = (events) => events[0].type === "drawn";

/** Return the sound of a move. @param {any[]} events */
export function soundOf(events) {
  const types = events.map(({ type }) => type);
  if (types.includes("killed")) return "fall";
  return types.includes("fired") ? "hit" : types[0] === "drawn" ? "draw" : "play";
}

/**
 * Return an event in a few words, or "".
 * @param {any} event
 * @param {string[]} names
 * @param {any[]} before events of the move before it
 * @returns {string}
 */
function words({ type, card, cell, slot, ...event }, names, before) {
  if (type === "laid") return t("lays {card} on {cell}", { card: short(card), cell });
  if (type === "royal_placed") {
    const drawn = before.find((one) => one.type === "drawn" && one.card === card);
    return drawn && drawn.seat !== event.seat
      ? t("places {card}, drawn by {name}, on {cell}", { card: short(card), name: names[drawn.seat], cell: slot })
      : t("places {card} on {cell}", { card: short(card), cell: slot });
  }
  if (type === "armour_laid") return t("armours {cell} with {card}", { card: short(card), cell: slot });
  if (type === "returned") return t("returns {card}", { card: short(card) });
  if (type === "killed") return t("{card} falls", { card: short(card) });
  if (type === "declared") return t("declares a ploy: {ploy}", { ploy: t(PLOY_NAMES[event.ploy]) });
  if (type === "recalled") return t("recalls {card}", { card: short(card) });
  if (type === "reassigned") return t("moves {card} to {cell}", { card: short(card), cell: event.target });
  if (type === "switched") return t("switches {cells}", { cells: event.slots.join(" ⇄ ") });
  if (type === "forced") return t("fires from {cell}", { cell });
  return "";
}
/** @type {Record<string, string>} */
const PLOY_NAMES = {
  reassignment: msg("reassignment"),
  switcheroo: msg("switcheroo"),
  forced_attack: msg("forced attack"),
};

/**
 * Return a move in a few words, without the player's name; null for a draw that other moves followed.
 * @param {any[]} events
 * @param {{names: string[], last: boolean, before?: any[]}} place
 */
export function brief(events, { names, last, before = [] }) {
  const drawn = events.find(({ type }) => type === "drawn");
  const told = events
    .map((event) => words(event, names, before))
    .filter(Boolean)
    .join(", ");
  if (told || !drawn) return told || null;
  return last ? t("draws {card}", { card: short(drawn.card) }) : null;
}

/** Types of events that the preview leaves out, because button and board show them. */
const PLAIN = ["laid", "turn_began", "drawn", "returned", "mixed_in"];

/** Return an event as a sentence that fits a phone. @param {any} event */
function sentence({ type, card, cards, slot, attack, needed, text }) {
  if (type === "fired")
    return t("Fires at {card} on {slot}: {attack} of {needed}.", { card: short(card), slot, attack, needed });
  if (type === "armour_stripped") return t("{slot} loses armour: {cards}.", { slot, cards: list(cards) });
  return text;
}

/**
 * Return the effects of placing a card, in sentences; null for other actions.
 * @param {any} _game
 * @param {Action} action
 * @param {any} told the dry run
 */
export function foretold(_game, action, told) {
  if (action.type !== "place") return null;
  const texts = told.events.filter((/** @type {any} */ one) => one.text && !PLAIN.includes(one.type));
  return texts.map(sentence).join(" ") || t("No line fires.");
}

/**
 * Return the effect of an action in a few words, for the second line of its button.
 * @param {any} game
 * @param {Action} _action
 * @param {any} told
 */
export function effect({ you }, _action, told) {
  return told.events
    .filter((/** @type {any} */ one) => one.type === "killed")
    .map((/** @type {any} */ { card, seat }) => {
      const values = { card: short(card) };
      return seat === you ? t("your {card} falls", values) : t("{card} falls", values);
    })
    .join(" · ");
}

/** Return what an action will reveal. @param {unknown} _game @param {Action} action */
export const hidden = (_game, { type }) => (type === "draw" ? t("You'll see which.") : "");

/** Load the legend of the signs on the table, for the dialog of keyboard shortcuts. */
export const loadLegend = async () => (await import("./legend/legend.js")).legend;

/** Load crest and numbers of an ended game. */
export const loadEnd = () => import("./end/end.js");
