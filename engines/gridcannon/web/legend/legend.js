// The meanings of the signs and words on Gridcannon's table.
// @ts-check
import { addCatalogue, msg, t } from "/static/js/shared/i18n.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @type {[string, string][]} */
const LEGEND = [
  [
    msg("Line of fire"),
    msg("A card laid on a trigger makes the two cells before it fire at the royal at the line's end."),
  ],
  [
    msg("11/12 below a royal"),
    msg("What its line adds up to now, and what it takes in one shot to kill it. A thick frame: it would fall."),
  ],
  [
    msg("Cannon and skull"),
    msg("Cannon: what the line would do. Skull: the cell you look at or have chosen makes the royal fall."),
  ],
  [msg("Number beside a card"), msg("How many cards lie on the cell. Only the topmost counts.")],
  [msg("What counts"), msg("Against a Jack every card, against a Queen her colour, against a King his suit.")],
  [
    msg("Armour"),
    msg("Cards beside a royal. They add to what it takes; a shot that fails takes off the last laid that it covers."),
  ],
  [
    msg("Before the first turn"),
    msg(
      "Each family opens with a royal, and eight cells are laid. Aces and Jokers drawn meanwhile are in the arsenals.",
    ),
  ],
  [msg("A royal falls"), msg("It is turned face down and keeps its place. Its armour goes back into the draw pile.")],
  [
    msg("Draw pile"),
    msg("With 10 cards or fewer left at a turn's beginning, all but the top two of every cell are shuffled into it."),
  ],
  [
    msg("The end"),
    msg("The last family with a royal wins. With no card left to draw, or at the turn limit, it is a draw."),
  ],
  [msg("Families"), msg("Sign and colour of a seat on the royal's pennant; it is filled on your own royals.")],
  [msg("Royals of a seat"), msg("White: stands. Dashed: still to come. Struck through: fallen.")],
  [
    msg("Arsenal"),
    msg(
      "The aces and Jokers that you have drawn, below your royals: your ploys. Once used they return to the draw pile.",
    ),
  ],
  [msg("Reassignment"), msg("An ace: the top card of a cell moves to another cell and fires from there.")],
  [msg("Switcheroo"), msg("A Joker: two royals change places, armour and all.")],
  [msg("Forced attack"), msg("A Joker: a cell with a card fires as if a card had just been laid.")],
  [
    msg("Interrupts"),
    msg("A ploy may be declared in anybody's turn, which halts. A recalled one waits for the board to change."),
  ],
  [msg("Gold frames"), msg("Squares that you may choose now; their number is the key that chooses them.")],
];

/** Return the terms with their meanings. @returns {[string, string][]} */
export const legend = () => LEGEND.map(([term, meaning]) => [t(term), t(meaning)]);
