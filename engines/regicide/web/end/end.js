// Regicide's part of the panel at the end of a game: drawing ("crest"), Castle, and numbers.
// @ts-check
import { Card, Icon } from "/static/js/shared/cards.js";
import { addCatalogue, msg, t } from "/static/js/shared/i18n.js";
import { html } from "/static/js/vendor.js";
import { Castle } from "../picture.js";

await addCatalogue(new URL(".", import.meta.url).href);
const sheet = document.createElement("link");
document.head.append(Object.assign(sheet, { rel: "stylesheet", href: new URL("end.css", import.meta.url).href }));

/** @typedef {{game: any, events: any[]}} Props */

/** @param {any[]} events */
const fallen = (events) => events.filter(({ type }) => type === "enemy_defeated");

/** Drawing of the last King in a laurel, or of the enemy that beat the players. @param {Props} props */
export function Crest({ game: { outcome, view }, events }) {
  const won = outcome?.result === "won";
  const card = won ? fallen(events).at(-1)?.enemy : view.enemy;
  if (!outcome || !card) return null;
  return html`${won ? html`<${Icon} name="laurels" />` : null}<${Card} name=${card} />`;
}

/** @type {Record<string, string>} */
const MEDALS = { gold: msg("A gold victory"), silver: msg("A silver victory"), bronze: msg("A bronze victory") };

/** The medal of a solo win. @param {Props} props */
export function Honour({ game: { outcome } }) {
  const { medal } = outcome;
  return medal ? html`<p class=${`medal ${medal}`}><${Icon} name="medal" />${t(MEDALS[medal])}</p>` : null;
}

/** The Castle at the end of the game. @param {Props} props */
export const Progress = ({ game: { view }, events }) => html`<${Castle} view=${view} events=${fallen(events)} />`;

/** Return the panel's numbers, with labels. @param {Props} props @returns {[number, string][]} */
export function figures({ game: { view }, events }) {
  const exact = fallen(events).filter((one) => one.exact).length;
  const flipped = events.filter(({ type }) => type === "jester_flipped").length;
  const turns = events.filter(({ type }) => type === "played" || type === "yielded").length;
  return [
    [exact, exact === 1 ? t("exact kill") : t("exact kills")],
    view.players === 1
      ? [flipped, flipped === 1 ? t("Jester flipped") : t("Jesters flipped")]
      : [turns, turns === 1 ? t("turn") : t("turns")],
  ];
}
