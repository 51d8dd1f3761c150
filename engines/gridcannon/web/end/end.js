// Gridcannon's part of the panel at the end of a game: drawing ("crest") and numbers.
// @ts-check
import { Card, Icon } from "/static/js/shared/cards.js";
import { addCatalogue, t } from "/static/js/shared/i18n.js";
import { html } from "/static/js/vendor.js";
import { familyOf } from "../geometry.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @typedef {{game: any, events: any[]}} Props */

/** Maximum number of royals of a family in the drawing. */
const MOST = 2;

/**
 * Return the living royals of a seat, the highest first.
 * @param {any} view
 * @param {number} seat
 * @returns {string[]}
 */
function standing(view, seat) {
  const own = Object.values(view.royals).filter(
    (royal) => royal?.alive && familyOf(royal.card, view.players) === view.families[seat],
  );
  return own.map(({ card }) => card).sort((one, other) => "KQJ".indexOf(one[0]) - "KQJ".indexOf(other[0]));
}

/** Return the dead royals, in the order of their deaths. @param {any[]} events @returns {string[]} */
const fallen = (events) => events.filter(({ type }) => type === "killed").map(({ card }) => card);

/**
 * Drawing: a laurel, or for a loser the last own royal that fell; then the winner's living royals.
 * @param {Props} props
 */
export function Crest({ game: { outcome, view, you }, events }) {
  if (!outcome || outcome.winner === null) return null;
  const isOwn = (/** @type {string} */ card) => you !== null && familyOf(card, view.players) === view.families[you];
  const lost = you === outcome.winner ? null : fallen(events).findLast(isOwn);
  return html`${lost ? html`<span class="lost"><${Card} name=${lost} /></span>` : html`<${Icon} name="laurels" />`}
    ${standing(view, outcome.winner)
      .slice(0, MOST)
      .map((card) => html`<${Card} key=${card} name=${card} />`)}`;
}

/** Return the panel's numbers, with labels. @param {Props} props @returns {[number, string][]} */
export function figures({ game: { view, you }, events }) {
  const isOwn = (/** @type {string} */ card) => you !== null && familyOf(card, view.players) === view.families[you];
  const others = fallen(events).filter((card) => !isOwn(card)).length;
  const kept = you === null ? 0 : view.arsenals[you].length;
  return [
    [view.turns, view.turns === 1 ? t("turn") : t("turns")],
    you === null
      ? [others, others === 1 ? t("royal fell") : t("royals fell")]
      : [others, others === 1 ? t("rival royal fell") : t("rival royals fell")],
    .../** @type {[number, string][]} */ (
      you === null ? [] : [[kept, kept === 1 ? t("ploy unused") : t("ploys unused")]]
    ),
  ];
}
