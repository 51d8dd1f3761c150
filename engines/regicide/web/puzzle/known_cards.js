// Hidden cards that the solver of a puzzle knows: the other hand, the Tavern from the top, the next enemies.
// @ts-check
import { Written, written } from "/static/js/shared/cards.js";
import { addCatalogue, t } from "/static/js/shared/i18n.js";
import { html } from "/static/js/vendor.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @param {string[]} cards */
const list = (cards) => cards.map(written).join(" ");

/** Return the cards of the Tavern as a sentence; healed cards are at its bottom. @param {any} props */
function tavern({ start, views, events }) {
  const left = start.tavern.slice(events.filter((/** @type {any} */ { type }) => type === "drawn").length);
  const healed = views[0].tavern.count - left.length;
  const under = healed > 0 ? ` ${t("Below: {n} healed cards, hidden.", { n: healed })}` : "";
  return (left.length ? t("Tavern, from the top: {cards}.", { cards: list(left) }) : t("Tavern: empty.")) + under;
}

/**
 * @param {{start: any, views: any[], you: number | null, names: string[], events: any[]}} props `start`: the puzzle's
 *   position; `views`: of each seat
 */
export function Known(props) {
  const { start, views, you, names } = props;
  const castle = start.castle.slice(start.castle.length - views[0].castle.count);
  const hands = views.map(({ hands }, seat) =>
    seat === you ? "" : `${names[seat]}: ${list(hands[seat]) || t("no cards")}.`,
  );
  const next = castle.length ? t("Next enemy: {cards}.", { cards: list(castle) }) : "";
  return html`<p class="known">${[...hands, next, tavern(props)]
    .filter(Boolean)
    .map((line) => html`<span key=${line}><${Written} text=${line} /> </span>`)}</p>`;
}
