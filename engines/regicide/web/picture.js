// Regicide's board: the castle, the enemy with its meters, the cards played against it, the piles, and the hand.
// @ts-check
import { Back, Card, Face, Icon, Suit } from "/static/js/shared/cards.js";
import { cardName, msg, t } from "/static/js/shared/i18n.js";
import { html } from "/static/js/vendor.js";
import { ATTACK, byRank, cheapestCover, HEALTH, reachable, sumOfValues, tokens, worth } from "./card_values.js";

/** Power of a suit, in a word. @type {Record<string, string>} */
const POWERS = { H: msg("heals"), D: msg("draws"), C: msg("doubles"), S: msg("shields") };
/** @type {Record<string, string>} */
const POWERLESS = {
  H: msg("hearts don't heal"),
  D: msg("diamonds don't draw"),
  C: msg("clubs don't double"),
  S: msg("spades don't shield"),
};

/** With Jesters in the Tavern: after one is played, earlier spades count too (R10). */
const UNTIL_JESTER = msg("spades shield only after a Jester");

/**
 * Return the twelve royals in order: defeated royals, the current enemy, and royals of which only the rank is known.
 * @param {any} view
 * @param {any[]} events
 */
function royals(view, events) {
  const fallen = 12 - view.castle.count - (view.enemy ? 1 : 0);
  const told = events.filter(({ type }) => type === "enemy_defeated").slice(-fallen || undefined);
  const known = fallen ? told : [];
  return Array.from({ length: 12 }, (_, place) => {
    const rank = "JQK"[Math.floor(place / 4)];
    if (place === fallen && view.enemy) return { rank: view.enemy[0], suit: view.enemy[1], state: "now" };
    if (place >= fallen) return { rank, suit: "", state: "inside" };
    const one = known[place - fallen + known.length];
    return { rank: one?.enemy[0] ?? rank, suit: one?.enemy[1] ?? "", state: one?.exact ? "exact" : "fallen" };
  });
}

/** @type {Record<string, string>} */
const STATES = {
  now: msg("stands"),
  inside: msg("still hidden"),
  exact: msg("fell exactly"),
  fallen: msg("has fallen"),
};

/** @param {{view: any, events: any[]}} props */
export function Castle({ view, events }) {
  return html`<ol class="castle" aria-label=${t("Castle")}>${royals(view, events).map(
    (
      { rank, suit, state },
      place,
    ) => html`<li key=${place} class=${`${state} ${"HD".includes(suit) && suit ? "red" : ""}`}>
      <span aria-hidden="true">${rank}</span>${suit ? html`<${Suit} suit=${suit} />` : null}
      <span class="hidden">${suit ? cardName(rank + suit) : rank}: ${t(STATES[state])}</span></li>`,
  )}</ol>`;
}

/**
 * A meter. The lengths of its parts are proportional to their numbers.
 * @param {{look: string, label: string, value: number, max: number, parts: [string, number][]}} props
 */
function Tube({ look, label, value, max, parts }) {
  return html`<span class=${`${look} tube`} role="meter" aria-label=${label} aria-valuenow=${value} aria-valuemin="0"
    aria-valuemax=${max} aria-valuetext=${t("{left} of {all}", { left: value, all: max })}>
    ${parts.map(([kind, n]) => html`<i key=${kind} class=${kind} style=${{ flexGrow: n }}></i>`)}</span>`;
}

/** Meter: how much of the attack the choice covers. @param {{view: any, legal: any[], choice: string[]}} props */
export function Tally({ view: { phase, attack }, legal, choice }) {
  if (phase !== "suffer" || !legal.some(({ action }) => action.cards)) return null;
  const given = sumOfValues(choice);
  const value = Math.min(given, attack);
  return html`<div class="tally"><span aria-hidden="true">${t("To discard")}</span>
    <${Tube} look="sum" label=${t("To discard")} value=${value} max=${attack}
      parts=${[["on", value], ["off", attack - value]]} />
    <b class="display" aria-hidden="true">${t("{left} of {all}", { left: given, all: attack })}</b></div>`;
}

/** Return the first event of *type* in the answer to a dry run. @param {any} told @param {string} type */
const foreseen = (told, type) => told?.events?.find((/** @type {any} */ one) => one.type === type);

/** @param {{view: any, told: any}} props */
function Enemy({ view, told }) {
  const { enemy } = view;
  if (!enemy)
    return html`<section class="enemy" role="group" aria-label=${t("Enemy")}><div class="plate"><h2>
      ${t("The castle has fallen")}</h2></div></section>`;
  const [rank, suit] = enemy;
  const powerless = suit === "S" && view.players > 2 ? UNTIL_JESTER : POWERLESS[suit];
  const [all, most] = [HEALTH[rank], ATTACK[rank]];
  const left = all - view.damage;
  const hit = foreseen(told, "enemy_hit");
  const falls = foreseen(told, "enemy_defeated");
  const kept = falls ? 0 : Math.max(hit?.left ?? left, 0);
  const stays = falls ? 0 : (foreseen(told, "shielded")?.attack ?? view.attack);
  return html`<section class="enemy" role="group" aria-label=${t("Enemy")} data-hit="enemy">
    <${Card} key=${enemy} name=${enemy} />
    <div class="plate"><h2>${cardName(enemy)}</h2><span class="chip">${
      view.immune
        ? html`<span class="no"><${Suit} suit=${suit} /></span><span>
          <span class="w">${t("Immune:")} </span>${t(powerless)}</span>`
        : html`<span>${t("Immunity gone")}</span>`
    }</span></div>
    <div class="stat hp"><span class="label">${t("Health")}</span> <span class="big">${left}</span>
      <span class="of">${t("of {all}", { all })}</span>${" "}
      ${hit ? html`<span class="then"><span class="w">−${hit.damage} </span>→ ${kept}</span>` : null}</div>
    <${Tube} look="hp" label=${t("Health")} value=${left} max=${all}
      parts=${[["left", kept], ["go", left - kept], ["none", all - left]]} />
    <div class="stat bl"><span class="label">${t("Attack")}</span> <span class="big">${view.attack}</span>
      <span class="of">${t("of {all}", { all: most })}${
        view.attack < most ? html`<span class="w"> · ${t("shields {n}", { n: view.shield })}</span>` : null
      }</span>${" "}
      ${
        foreseen(told, "shielded")
          ? html`<span class="then"><span class="w"><${Icon} name="shield" /> ${view.attack - stays} </span>→ ${stays}
            </span>`
          : null
      }</div>
    <${Tube} look="bl" label=${t("Attack")} value=${view.attack} max=${most}
      parts=${[["left", stays], ["newsh", view.attack - stays], ["sh", most - view.attack]]} />
  </section>`;
}

/**
 * Cards played against the enemy, each with the name of its player, except in a solo game.
 * @param {{view: any, marks: Record<string, number>, events: any[], you: number | null, names: string[]}} props
 */
function Field({ view, marks, events, you, names }) {
  const plays = events.filter(({ type }) => type === "played");
  const by = (/** @type {string} */ card) => {
    const seat = view.players > 1 ? plays.findLast(({ cards }) => cards.includes(card))?.seat : undefined;
    return seat === undefined ? null : html`<span class="by">${seat === you ? t("you") : names[seat]}</span>`;
  };
  return html`<section class="field" aria-label=${t("In play")}><h2 class="label">${t("On the table")}</h2>
    <ol class=${view.table.length > 6 ? "many" : ""}>${view.table.map(
      (/** @type {string} */ card) =>
        html`<li key=${card}><${Card} name=${card} mark=${marks[`card:${card}`] ?? null} />${by(card)}</li>`,
    )}</ol></section>`;
}

/** Close the list of discarded cards when the focus leaves it. @param {any} event */
const closeLeft = ({ currentTarget, relatedTarget }) => {
  if (!currentTarget.contains(relatedTarget)) currentTarget.open = false;
};
/** @param {any} event */
const closeOnEscape = ({ currentTarget, key }) => {
  if (key === "Escape") currentTarget.open = false;
};

/** @param {{view: any, marks: Record<string, number>}} props */
function Piles({ view, marks }) {
  const { tavern, discard } = view;
  const top = discard[discard.length - 1];
  const mark = marks.discard;
  const pile = html`<span class="card" aria-hidden="true" data-pile="discard">
      ${top ? html`<${Face} key=${top} name=${top} />` : null}</span>
    <span class="cnt"><b>${discard.length}</b><br />${t("Discard")}</span>`;
  return html`<ul class="piles"><li>
    <span class=${`stack${tavern.count > 1 ? "" : " thin"}`} aria-hidden="true" data-pile="draw">
      <span class="card">${tavern.count ? html`<${Back} />` : null}</span></span>
      <span class="cnt"><b>${tavern.count}</b><br />${t("Tavern")}</span></li>
    <li class=${mark === undefined ? "" : `s${mark}`} data-last-move=${mark === undefined ? undefined : ""}>
      ${
        top
          ? html`<details class="looked" onFocusOut=${closeLeft} onKeyDown=${closeOnEscape}><summary
        aria-label=${`${t("Discard pile")}: ${t("{n} discarded", { n: discard.length })}`}>${pile}</summary>
        <div class="cards panel">${[...discard].sort(byRank).map((card) => html`<${Card} key=${card} name=${card} />`)}
        </div></details>`
          : html`<div class="looked">${pile}</div>`
      }</li>
    ${
      view.players === 1
        ? html`<li class=${view.jesters_left ? "" : "spent"}><span class="card jesters"><${Face} name="X1" /></span>
          <span class="cnt"><b>${view.jesters_left}</b><br />${t("Jesters to flip")}</span></li>`
        : null
    }</ul>`;
}

/** Word under a card of the hand. @param {{card: string, view: any, cost: boolean}} props */
function Caption({ card, view, cost }) {
  if (view.phase === "suffer") return html`<span class="word">${t("worth {n}", { n: worth(card) })}</span>`;
  if (cost) return html`<em class="word">${t("covers {n}", { n: worth(card) })}</em>`;
  if (card[0] === "X") return html`<span class="word">${t("ends immunity")}</span>`;
  const power = t(POWERS[card[1]]);
  return html`<span class="word">${view.immune && view.enemy?.[1] === card[1] ? html`<s>${power}</s>` : power}</span>`;
}

/** Return the cheapest cards of the hand that will cover the enemy's attack. @param {any} props @returns {string[]} */
function costs({ hand, choice, told }) {
  const blow = foreseen(told, "attacked");
  const kept = hand.filter((/** @type {string} */ card) => !choice.includes(card));
  return blow && told.certain !== null ? cheapestCover(kept, blow.attack) : [];
}

/** @param {any} props */
function Hand({ hand, view, legal, choice, choose, replaying, told }) {
  const playable = new Set(legal.flatMap((/** @type {any} */ { action }) => tokens(action)));
  const within = legal
    .filter((/** @type {any} */ { action }) => reachable(action, choice))
    .map((/** @type {any} */ { action }) => new Set(tokens(action)));
  const joins = (/** @type {string} */ card) => within.some((/** @type {any} */ all) => all.has(card));
  const cheapest = costs({ hand, choice, told });
  const cost = cheapest.some(joins) ? [] : cheapest;
  return html`<section class="hand" role="group" aria-label=${t("Your hand")}>
    <ol class=${hand.length > 6 ? "many" : ""} data-hand style=${{ "--n": hand.length }}>${[...hand]
      .sort(byRank)
      .map((card, index) => {
        if (replaying) return html`<li key=${card}><${Card} name=${card} /></li>`;
        const apart = playable.has(card) && !choice.includes(card) && !joins(card);
        const pressed = choice.includes(card);
        return html`<li key=${card} class=${apart ? "apart" : ""}
        style=${{ "--i": index }}><${Card} name=${card} token=${card} pressed=${pressed}
        disabled=${!playable.has(card)} press=${() => choose(card)} cost=${cost.includes(card)} />
        <span class="cap" aria-hidden="true">${index < 9 ? html`<kbd>${index + 1}</kbd>` : null}
          <${Caption} card=${card} view=${view} cost=${cost.includes(card)} /></span>
        ${pressed ? html`<span class="tick" aria-hidden="true">✓</span>` : null}</li>`;
      })}</ol></section>`;
}

/** @param {any} props */
export function Board(props) {
  const { view, you, names = [], events = [], marks = {}, told } = props;
  const own = you != null && Array.isArray(view.hands[you]) ? view.hands[you] : null;
  return html`<${Castle} view=${view} events=${events} />
    <div class="scene"><${Field} view=${view} marks=${marks} events=${events} you=${you} names=${names} />
      <${Enemy} view=${view} told=${told} />
      <${Piles} view=${view} marks=${marks} /></div>
    ${own ? html`<${Hand} ...${props} hand=${own} />` : html`<${Others} ...${props} />`}`;
}

/** The hands that a spectator may see in a replay, by seat. @param {any} props */
function Others({ view, names }) {
  const known = view.hands
    .map((/** @type {any} */ hand, /** @type {number} */ seat) => ({ hand, seat }))
    .filter((/** @type {any} */ { hand }) => Array.isArray(hand));
  return html`<div class="hand others">${known.map(
    (/** @type {any} */ { hand, seat }) => html`<section key=${seat} aria-label=${names[seat]}>
      <h3 class="label">${names[seat]}</h3><span class="row">${[...hand]
        .sort(byRank)
        .map((card) => html`<${Card} key=${card} name=${card} />`)}</span></section>`,
  )}</div>`;
}
