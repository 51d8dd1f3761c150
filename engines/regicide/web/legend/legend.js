// The meanings of the signs and words on Regicide's table.
// @ts-check
import { addCatalogue, msg, t } from "/static/js/shared/i18n.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @type {[string, string][]} */
const LEGEND = [
  [
    msg("Suits"),
    msg("Clubs do double damage, diamonds draw, spades shield. Hearts put discarded cards back under the Tavern."),
  ],
  [msg("Full hand"), msg("8 cards alone, 7 with two players, 6 with three, 5 with four. Diamonds draw no more then.")],
  [msg("Jester"), msg("No damage, but it ends the enemy's immunity. Nobody is attacked, and you say who goes next.")],
  [msg("Royals in a hand"), msg("A Jack is worth 10, a Queen 15, a King 20. They are played alone, or with an ace.")],
  [msg("Ace"), msg("An animal, worth 1. It may go with one other card, and both suits act with the sum.")],
  [msg("Combos"), msg("Two to four cards of one rank, worth 10 or less together, may be played at once.")],
  [msg("Yield"), msg("Play nothing and take the attack, unless all the others yielded in their last turn.")],
  [msg("Immunity"), msg("The enemy's own suit has no power against it (crossed out). Its damage still counts.")],
  [msg("Shields"), msg("Spades lower the enemy's attack as long as it lives: blue on the bar of the attack.")],
  [msg("Health and attack"), msg("Hatched is what the chosen cards would take. Behind the arrow: what stays then.")],
  [msg("Red dashed cards"), msg("What the attack that is left would cost you from your hand, at the least.")],
  [
    msg("A royal falls"),
    msg("Exactly: it goes on top of the Tavern. Else it is discarded. Its cards are discarded too, and you play on."),
  ],
  [
    msg("The end"),
    msg("You win when the last King falls, and lose when one of you can't cover an attack, or can't play or yield."),
  ],
  [
    msg("Castle"),
    msg("The twelve royals. Struck through: fallen. Gold: fallen exactly, so that card waits in the Tavern."),
  ],
  [msg("Medals"), msg("Alone: gold if you win without a flipped Jester, silver with one, bronze with two.")],
];

/** Return the terms with their meanings. @returns {[string, string][]} */
export const legend = () => LEGEND.map(([term, meaning]) => [t(term), t(meaning)]);
