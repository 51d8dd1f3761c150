// Regicide in the lobby and in the list of lessons.
// @ts-check
import { msg } from "/static/js/shared/i18n.js";

export const about = msg("Team up with an expert AI against twelve royals.");
export const intro = msg(
  "Together you defeat twelve royals, one after the other. A turn: play a card against the royal, its suit " +
    "has a power; then the royal attacks, and you discard cards worth at least its attack. You win when the " +
    "last King falls. You lose as soon as one of you can't.",
);
export const cards = ["JS", "KH", "QD"];
export const look = "fan";
/** @type {Record<string, string>} */
export const options = {
  first_seat: msg("Who begins"),
  solo_yield: msg("A solo player may yield, but not twice in a row"),
};
/** @type {Record<string, string>} */
export const values = { random: msg("at random") };

/** Return whether an option has an effect for this number of players. @param {string} option @param {number} players */
export const fits = (option, players) => option !== "solo_yield" || players === 1;
