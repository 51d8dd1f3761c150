// Hidden cards that the solver of a puzzle knows: the other hand, the Tavern from the top, the next enemies.
// @ts-check
import { Written, written } from "/static/js/shared/cards.js";
import { addCatalogue, t } from "/static/js/shared/i18n.js";
import { html } from "/static/js/vendor.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @param {string[]} cards */
const list = (cards) => cards.map(written).join(" ");

/** Return the cards of the Tavern as a sentence; healed cards are at its bottom. @param {any} props */
function tavern({ start, events }) {
  /** From the top; null for a healed card. @type {(string | null)[]} */
  const pile = [...start.tavern];
  for (const { type, exact, enemy, cards, count = cards?.length } of events) {
    if (type === "drawn") pile.shift();
    else if (type === "healed") pile.push(...Array(count).fill(null));
    else if (type === "enemy_defeated" && exact) pile.unshift(enemy);
  }
  const left = pile.filter((card) => card !== null);
  const n = pile.length - left.length;
  const under = n === 1 ? t("Below: 1 healed card, hidden.") : t("Below: {n} healed cards, hidden.", { n });
  const top = left.length ? t("Tavern, from the top: {cards}.", { cards: list(left) }) : t("Tavern: empty.");
  return n ? `${top} ${under}` : top;
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
