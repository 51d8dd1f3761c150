// Regicide's board. What can be selected comes from the list of legal actions.
// @ts-check
import { Back, Card, Face, Suit, written } from "/static/js/shared/cards.js";
import { cardName, msg, suitName, t } from "/static/js/shared/i18n.js";
import { html } from "/static/js/vendor.js";

/** Load the deal on demand, to check a shuffle. */
export const loadDeal = async () => (await import("./deal.js")).deal;

const RANKS = "A23456789TJQKX";
const ATTACK = { J: 10, Q: 15, K: 20 };
const HEALTH = { J: 20, Q: 30, K: 40 };
/** @type {Record<string, string>} */
const POWERS = {
  H: msg("Hearts heal: discards go back under the Tavern."),
  D: msg("Diamonds draw cards."),
  C: msg("Clubs double the damage."),
  S: msg("Spades lower the enemy's attack."),
};
/** Short forms for narrow screens. @type {Record<string, string>} */
const BRIEFLY = { H: msg("heal"), D: msg("draw"), C: "×2", S: msg("shield") };
/** @type {Record<string, string>} */
const MEDALS = { gold: msg("gold"), silver: msg("silver"), bronze: msg("bronze") };

/** @param {string} one @param {string} other */
const byRank = (one, other) => RANKS.indexOf(one[0]) - RANKS.indexOf(other[0]) || (one < other ? -1 : 1);

/** @param {any} action @returns {string[]} */
export function tokens(action) {
  return action.cards ?? [];
}

/** @param {any} action @param {string[]} choice */
export function reachable(action, choice) {
  const all = tokens(action);
  return choice.every((token) => all.includes(token));
}

/** @param {any} action @param {string[]} choice */
export function settled(action, choice) {
  return tokens(action).length === choice.length && reachable(action, choice);
}

/** Return the signals allowed now (R22): after a Jester, before the next player is chosen. @param {any} game */
export function signals(game) {
  const { view, you } = game;
  if (view?.phase !== "choose" || you == null || view.turn === you) return [];
  return [
    ["eager", t("I want to go next")],
    ["reluctant", t("I'd rather not go next")],
  ];
}

/** Return the value of a discarded card. @param {string} card */
const worth = (card) => /** @type {Record<string, number>} */ (ATTACK)[card[0]] ?? "XA23456789T".indexOf(card[0]);

/** Return the sum of the values of cards. @param {string[]} cards */
const sumOfValues = (cards) => cards.filter((token) => token.length === 2).reduce((sum, card) => sum + worth(card), 0);

/**
 * Return what to do now, in a sentence or two.
 * @param {any} view
 * @param {any} game
 * @param {string[]} [choice]
 * @param {any[]} [legal]
 */
export function prompt(view, game, choice = [], legal = []) {
  const { attack, phase } = view;
  const byCards = legal.some(({ action }) => action.cards);
  if (phase === "suffer" && legal.length && !byCards)
    return t("Your hand ({hand}) can't cover the attack of {attack}: flip a Jester.", {
      hand: sumOfValues(view.hands[game.you]),
      attack,
    });
  if (phase === "play" && legal.length && !byCards) return t("Your turn: press a button.");
  const given = phase === "suffer" ? sumOfValues(choice) : 0;
  const chosen = given ? ` ${t("Chosen so far: {n}.", { n: given })}` : "";
  const more = given && given < attack ? ` ${t("{n} more needed.", { n: attack - given })}` : "";
  if (phase === "choose") return t("Choose who goes next.");
  if (phase === "play") return t("Your turn: choose cards to attack with.");
  return t("The enemy attacks: discard cards worth at least {attack}.", { attack }) + chosen + more;
}

/** Return the label of the main button while no action is selected. @param {any} view @param {string[]} choice */
export function ask(view, choice) {
  const given = sumOfValues(choice);
  return view.phase === "suffer" && given && given < view.attack
    ? t("Discard {n} more", { n: view.attack - given })
    : t("Choose cards from your hand");
}

/**
 * Return a warning if the hand that an action leaves cannot cover the enemy's attack, else "".
 * @param {any} game
 * @param {any} action
 * @param {any} told the dry run
 */
export function warning({ view, you }, action, { events }) {
  const blow = events.find((/** @type {any} */ one) => one.type === "attacked");
  if (!blow || draws(view, action)) return "";
  const hand = sumOfValues(view.hands[you].filter((/** @type {string} */ card) => !action.cards?.includes(card)));
  return hand < blow.attack ? t("Your remaining hand ({hand}) won't cover the attack.", { hand }) : "";
}

/** Return whether an action draws cards. @param {any} view @param {any} action */
function draws(view, action) {
  const diamonds =
    action.cards?.some((/** @type {string} */ card) => card[1] === "D") && !(view.immune && view.enemy?.[1] === "D");
  return action.type === "flip_jester" || (action.type === "play" && diamonds);
}

/**
 * Return what an action reveals that is still hidden, in sentences.
 * @param {any} game
 * @param {any} action
 * @param {any} told the dry run
 */
export function hidden({ view }, action, { events }) {
  const falls = events.some((/** @type {any} */ one) => one.type === "enemy_defeated");
  const heals = events.some((/** @type {any} */ one) => one.type === "healed" && !one.cards);
  return [
    heals ? t("Which cards are healed, the shuffle decides.") : "",
    draws(view, action) ? t("You draw cards: you'll see which.") : "",
    falls ? t("The next enemy is turned up.") : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** Return the headline of a victory with a medal, or null. @param {any} outcome */
export const victory = ({ medal }) => (medal ? t("A {medal} victory", { medal: t(MEDALS[medal]) }) : null);

/** @param {{label: string, value: number, max: number, text: string, kind: string}} props */
function Bar({ label, value, max, text, kind }) {
  return html`<div class=${`bar ${kind}`}><span>${label}</span>
    <meter aria-label=${label} min="0" max=${max} value=${value}>${text}</meter><span>${text}</span></div>`;
}

/** @param {{view: any}} props */
function Enemy({ view }) {
  const { enemy } = view;
  if (!enemy) return html`<section class="enemy panel"><h2>${t("The castle has fallen")}</h2></section>`;
  const [rank, suit] = enemy;
  const all = /** @type {Record<string, number>} */ (HEALTH)[rank];
  const most = /** @type {Record<string, number>} */ (ATTACK)[rank];
  const left = all - view.damage;
  return html`<section class="enemy panel" aria-label=${t("Enemy")}>
    <span class="card big" role="img" aria-label=${cardName(enemy)}><${Face} name=${enemy} /></span>
    <div class="facts">
      <h2>${written(enemy)} <span class="said">${cardName(enemy)}</span></h2>
      <${Bar} kind="health" label=${t("Health")} value=${left} max=${all} text=${t("{left} of {all}", { left, all })} />
      <${Bar} kind="attack" label=${t("Attack")} value=${view.attack} max=${most}
        text=${t("attacks for {now}", { now: view.attack })} />
      <p class="immunity">${
        view.immune
          ? html`<${Suit} suit=${suit} />
            ${" "}${t("The power of {suit} does nothing here; their damage counts", { suit: suitName(suit) })}`
          : t("Immunity gone")
      }${view.shield ? ` · ${t("shields {n}", { n: view.shield })}` : ""}</p>
    </div>
  </section>`;
}

/** @param {{name: string, n: number, text: string, top?: string}} props */
function Pile({ name, n, text, top }) {
  return html`<li class="pile"><span class="card small stack" aria-hidden="true">${
    n === 0 ? html`<span class="gone"></span>` : top ? html`<${Face} name=${top} />` : html`<${Back} />`
  }</span><span><b>${name}</b><br />${text}</span></li>`;
}

/** @param {{view: any}} props */
function Piles({ view }) {
  const { castle, tavern, discard } = view;
  const fallen = 12 - castle.count - (view.enemy ? 1 : 0);
  return html`<ul class="piles plainlist">
    <${Pile} name=${t("Castle")} n=${castle.count}
      text=${html`${
        castle.count === 1 ? t("1 enemy still hidden") : t("{n} enemies still hidden", { n: castle.count })
      }<br />${t("Defeated: {n} of 12", { n: fallen })}`} />
    <${Pile} name=${t("Tavern")} n=${tavern.count}
      text=${tavern.count === 1 ? t("1 card to draw") : t("{n} cards to draw", { n: tavern.count })} />
    <${Pile} name=${t("Discard pile")} n=${discard.length} top=${discard[discard.length - 1]} text=${
      discard.length
        ? html`<details class="looked"><summary>${t("{n} discarded", { n: discard.length })}</summary>
          <span class="cards">${[...discard]
            .sort(byRank)
            .map((card) => html`<${Card} key=${card} name=${card} small />`)}</span></details>`
        : t("{n} discarded", { n: 0 })
    } />
    ${
      view.players === 1
        ? html`<li class="pile"><span>${t("Jesters to flip: {n}", { n: view.jesters_left })}</span></li>`
        : null
    }
  </ul>`;
}

/** @param {{view: any, you: number | null, names: string[]}} props */
function Others({ view, you, names }) {
  const seats = view.hands
    .map((/** @type {any} */ hand, /** @type {number} */ seat) => ({ hand, seat }))
    .filter((/** @type {any} */ one) => one.seat !== you);
  if (!seats.length) return null;
  return html`<ul class="others plainlist" aria-label=${t("Others at the table")}>${seats.map(
    (/** @type {any} */ { hand, seat }) => {
      const n = hand.count ?? hand.length;
      return html`<li key=${seat} class=${`panel other${view.turn === seat && !view.outcome ? " now" : ""}`}>
      <b>${names[seat]}</b> <span class="quiet">${n === 1 ? t("1 card") : t("{n} cards", { n })}
        ${view.yielded[seat] ? ` · ${t("yielded")}` : ""}</span>
      <span class="backs" aria-hidden=${Array.isArray(hand) ? undefined : "true"}>${
        Array.isArray(hand)
          ? [...hand].sort(byRank).map((card) => html`<${Card} key=${card} name=${card} small />`)
          : Array.from({ length: n }, (_, index) => html`<span key=${index} class="card tiny"><${Back} /></span>`)
      }</span></li>`;
    },
  )}</ul>`;
}

/**
 * @param {{hand: string[], legal: any[], choice: string[], choose: (token: string) => void, replaying: boolean}} props
 */
function Hand({ hand, legal, choice, choose, replaying }) {
  const playable = new Set(legal.flatMap(({ action }) => tokens(action)));
  const within = legal.filter(({ action }) => reachable(action, choice)).map(({ action }) => new Set(tokens(action)));
  const sorted = [...hand].sort(byRank);
  return html`<section class=${`hand${hand.length > 6 ? " many" : ""}`} aria-label=${t("Your hand")} data-hand>
    ${sorted.map((card, index) => {
      if (replaying) return html`<${Card} key=${card} name=${card} />`;
      const apart = playable.has(card) && !choice.includes(card) && !within.some((all) => all.has(card));
      return html`<span key=${card} class=${apart ? "apart" : ""}>
        <${Card} name=${card} token=${card} pressed=${choice.includes(card)}
      disabled=${!playable.has(card)} press=${() => choose(card)} />
      <span class="key" aria-hidden="true">${index < 9 ? index + 1 : ""}</span></span>`;
    })}</section>`;
}

/** @param {any} props */
export function Board({ view, you, names, legal, choice, choose, replaying = false }) {
  const own = you != null && Array.isArray(view.hands[you]) ? view.hands[you] : null;
  return html`<div class="regicide">
    <${Enemy} view=${view} />
    <section class="played panel" aria-label=${t("In play")}><h3>${t("In play")}</h3>
      <div class="cards">${
        view.table.length
          ? view.table.map((/** @type {string} */ card) => html`<${Card} key=${card} name=${card} small />`)
          : html`<span class="quiet">${t("Nothing yet")}</span>`
      }</div></section>
    <${Piles} view=${view} />
    <${Others} view=${view} you=${own ? you : null} names=${names} />
    <ul class="powers plainlist quiet" aria-label=${t("What the suits do")}>
      ${Object.keys(POWERS).map(
        (suit) => html`<li key=${suit}><${Suit} suit=${suit} /> <span class="long">
        ${t(POWERS[suit])}</span><span class="brief" aria-hidden="true">${t(BRIEFLY[suit])}</span></li>`,
      )}</ul>
    ${
      own ? html`<${Hand} hand=${own} legal=${legal} choice=${choice} choose=${choose} replaying=${replaying} />` : null
    }
  </div>`;
}
