// Regicide's entry in the lobby and in the list of lessons.
// @ts-check
import { html } from "/static/js/vendor.js";
import { msg } from "/static/js/shared/i18n.js";

export const about = msg("Together against twelve corrupted royals.");
export const rule = msg(
  "Play cards against a royal, then discard enough to cover its attack: together you win when the last King falls.",
);
export const minutes = 15;
export const intro = msg(
  "Together you defeat twelve royals, one after the other. A turn: play a card against the royal, its suit " +
    "has a power; then the royal attacks, and you discard cards worth at least its attack. You win when the " +
    "last King falls, and lose as soon as one of you can't cover an attack.",
);
/** @type {[string, number, number, number, number][]} */
export const pieces = [
  ["QH", -168, 26, 104, -14],
  ["JC", 168, 26, 104, 14],
  ["QS", -92, 8, 118, -7],
  ["JD", 92, 8, 118, 7],
  ["KS", 0, -4, 138, 0],
];
const WALL =
  "M0 130V74h24V58h26v16h26V58h26v16h22V26h14V12h16v14h16V12h16v14h16V12h16v14h12v48h26V58h26v16h30V58h26v16h30V58" +
  "h26v16h22V26h14V12h16v14h16V12h16v14h16V12h16v14h12v48h20V58h26v16h26V58h26v16h14v56Z";
/** Drawing of the castle's wall, behind the cards. */
export const Scenery = () => html`<svg class="wall" viewBox="0 0 600 130" preserveAspectRatio="xMidYMax slice">
  <path d=${WALL} /></svg>`;
/** @type {Record<string, string>} */
export const options = {
  first_seat: msg("Who begins"),
  solo_yield: msg("A solo player may yield, but not twice in a row"),
};
/** @type {Record<string, string>} */
export const values = { random: msg("at random") };

/** Return whether an option has an effect for this number of players. @param {string} option @param {number} players */
export const fits = (option, players) => option !== "solo_yield" || players === 1;
