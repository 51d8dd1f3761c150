// Regicide's board. It knows no rules: the list of legal actions says what may be chosen.
// @ts-check
import { html } from "./vendor.js";
import { Back, Card, Face, Suit, written } from "./cards.js";
import { addWords, cardName, suitName, t } from "./words.js";

addWords({
  en: {
    enemy: "Enemy", health: "Health", attack: "Attack", "health.of": "{left} of {all}", "attack.of": "attacks for {now}",
    shields: "shields {n}", immune: "The power of {suit} does nothing here; their damage counts", "not.immune": "Immunity gone",
    onTable: "In play", nothing: "Nothing yet", castle: "Castle", tavern: "Tavern", discards: "Discard pile",
    "castle.left": "{n} enemies still hidden", "castle.left.one": "1 enemy still hidden", "tavern.left": "{n} cards to draw", "tavern.left.one": "1 card to draw", "discards.n": "{n} discarded", hand: "Your hand",
    cards: "{n} cards", "cards.one": "1 card", jesters: "Jesters to flip: {n}", "castle.fallen": "The castle has fallen",
    "prompt.play": "Your turn: choose cards to attack with.", "prompt.only": "Your turn: press a button.", "prompt.cannot": "Your hand ({hand}) can't cover the attack of {attack}: flip a Jester.", "prompt.more": "{n} more needed.",
    "ask.cards": "Choose cards from your hand", "ask.more": "Discard {n} more", warning: "Your remaining hand ({hand}) won't cover the attack.", "hidden.drawn": "You draw cards: you'll see which.", "hidden.healed": "Which cards are healed, the shuffle decides.", "hidden.enemy": "The next enemy is turned up.",
    "prompt.suffer": "The enemy attacks: discard cards worth at least {attack}.", "prompt.chosen": "Chosen so far: {n}.",
    "prompt.choose": "Choose who goes next.", "power.H": "Hearts heal: discards go back under the Tavern.", "power.D": "Diamonds draw cards.",
    "power.C": "Clubs double the damage.", "power.S": "Spades lower the enemy's attack.", "brief.H": "heal", "brief.D": "draw", "brief.C": "×2", "brief.S": "shield", powers: "What the suits do", defeated: "Defeated: {n} of 12",
    others: "Others at the table", toPlay: "to play", yieldedMark: "yielded", "worth": "worth {n}",
  },
  es: {
    enemy: "Enemigo", health: "Vida", attack: "Ataque", "health.of": "{left} de {all}", "attack.of": "ataca con {now}",
    shields: "escudos {n}", immune: "El poder de {suit} no actúa aquí; su daño sí cuenta", "not.immune": "Sin inmunidad",
    onTable: "En juego", nothing: "Nada todavía", castle: "Castillo", tavern: "Posada", discards: "Descartes",
    "castle.left": "{n} enemigos ocultos", "castle.left.one": "1 enemigo oculto", "tavern.left": "{n} cartas por robar", "tavern.left.one": "1 carta por robar", "discards.n": "{n} descartadas", hand: "Tu mano",
    cards: "{n} cartas", "cards.one": "1 carta", jesters: "Comodines sin usar: {n}", "castle.fallen": "El castillo ha caído",
    "prompt.play": "Tu turno: elige cartas para atacar.", "prompt.only": "Tu turno: pulsa un botón.", "prompt.cannot": "Tu mano ({hand}) no cubre el ataque de {attack}: da la vuelta a un comodín.", "prompt.more": "Faltan {n}.",
    "ask.cards": "Elige cartas de tu mano", "ask.more": "Descarta {n} más", warning: "Lo que te queda ({hand}) no cubre el ataque.", "hidden.drawn": "Robas cartas: al hacerlo verás cuáles.", "hidden.healed": "Qué cartas se curan lo decide la mezcla.", "hidden.enemy": "Aparece el siguiente enemigo.",
    "prompt.suffer": "El enemigo ataca: descarta cartas que valgan al menos {attack}.", "prompt.chosen": "Elegido hasta ahora: {n}.",
    "prompt.choose": "Elige quién sigue.", "power.H": "Los corazones curan: descartes vuelven bajo la posada.", "power.D": "Los diamantes roban cartas.",
    "power.C": "Los tréboles duplican el daño.", "power.S": "Las picas reducen el ataque del enemigo.", "brief.H": "curan", "brief.D": "roban", "brief.C": "×2", "brief.S": "escudo", powers: "Qué hacen los palos", defeated: "Derrotados: {n} de 12",
    others: "Los demás", toPlay: "le toca", yieldedMark: "pasó", "worth": "vale {n}",
  },
});

const RANKS = "A23456789TJQKX";
const ATTACK = { J: 10, Q: 15, K: 20 };
const HEALTH = { J: 20, Q: 30, K: 40 };
const SIGNALS = ["eager", "reluctant"];

/** @param {string} one @param {string} other */
const byRank = (one, other) => RANKS.indexOf(one[0]) - RANKS.indexOf(other[0]) || (one < other ? -1 : 1);

/** @param {any} action @returns {string[]} */
export function tokens(action) {
  if (action.type === "choose") return [`choose ${action.seat}`];
  return action.cards || [action.type];
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

/** What a player may say now (R22): between a Jester and the choice of who goes next. @param {any} game */
export function signals(game) {
  const { view, you } = game;
  return view?.phase === "choose" && you != null && view.turn !== you ? SIGNALS : [];
}

/** What a card is worth when it is given up. @param {string} card */
const worth = (card) => /** @type {Record<string, number>} */ (ATTACK)[card[0]] ?? "XA23456789T".indexOf(card[0]);

/** What cards are worth together. @param {string[]} cards */
const together = (cards) => cards.filter((token) => token.length === 2).reduce((sum, card) => sum + worth(card), 0);

/** What to do now, in a sentence or two. @param {any} view @param {any} game @param {string[]} [choice] @param {any[]} [legal] */
export function prompt(view, game, choice = [], legal = []) {
  const { attack, phase } = view;
  const byCards = legal.some(({ action }) => action.cards);
  if (phase === "suffer" && legal.length && !byCards) return t("prompt.cannot", { hand: together(view.hands[game.you]), attack });
  if (phase === "play" && legal.length && !byCards) return t("prompt.only");
  const given = phase === "suffer" ? together(choice) : 0;
  const chosen = given ? ` ${t("prompt.chosen", { n: given })}` : "";
  const more = given && given < attack ? ` ${t("prompt.more", { n: attack - given })}` : "";
  return t(`prompt.${phase}`, { attack }) + chosen + more;
}

/** What the button asks for, as long as nothing is settled. @param {any} view @param {string[]} choice */
export function ask(view, choice) {
  const given = together(choice);
  return view.phase === "suffer" && given && given < view.attack ? t("ask.more", { n: view.attack - given }) : t("ask.cards");
}

/** Can the blow that an action leads to not be covered, as far as one can know? @param {any} game @param {any} action @param {any} told the dry run */
export function warning({ view, you }, action, { events }) {
  const blow = events.find((/** @type {any} */ one) => one.type === "attacked");
  if (!blow || draws(view, action)) return "";
  const hand = together(view.hands[you].filter((/** @type {string} */ card) => !action.cards?.includes(card)));
  return hand < blow.attack ? t("warning", { hand }) : "";
}

/** Does the seat draw cards by an action? @param {any} view @param {any} action */
function draws(view, action) {
  const diamonds = action.cards?.some((/** @type {string} */ card) => card[1] === "D") && !(view.immune && view.enemy?.[1] === "D");
  return action.type === "flip_jester" || (action.type === "play" && diamonds);
}

/** What will turn up that nobody knows yet. @param {any} game @param {any} action @param {any} told the dry run */
export function hidden({ view }, action, { events }) {
  const falls = events.some((/** @type {any} */ one) => one.type === "enemy_defeated");
  const heals = events.some((/** @type {any} */ one) => one.type === "healed" && !one.cards);
  return [heals ? t("hidden.healed") : "", draws(view, action) ? t("hidden.drawn") : "", falls ? t("hidden.enemy") : ""].filter(Boolean).join(" ");
}

/** @param {{label: string, value: number, max: number, text: string, kind: string}} props */
function Bar({ label, value, max, text, kind }) {
  return html`<div class=${`bar ${kind}`}><span>${label}</span>
    <meter aria-label=${label} min="0" max=${max} value=${value}>${text}</meter><span>${text}</span></div>`;
}

/** @param {{view: any}} props */
function Enemy({ view }) {
  const { enemy } = view;
  if (!enemy) return html`<section class="enemy panel"><h2>${t("castle.fallen")}</h2></section>`;
  const [rank, suit] = enemy;
  const all = /** @type {Record<string, number>} */ (HEALTH)[rank];
  const most = /** @type {Record<string, number>} */ (ATTACK)[rank];
  const left = all - view.damage;
  return html`<section class="enemy panel" aria-label=${t("enemy")}>
    <span class="card big" role="img" aria-label=${cardName(enemy)}><${Face} name=${enemy} /></span>
    <div class="facts">
      <h2>${written(enemy)} <span class="said">${cardName(enemy)}</span></h2>
      <${Bar} kind="health" label=${t("health")} value=${left} max=${all} text=${t("health.of", { left, all })} />
      <${Bar} kind="attack" label=${t("attack")} value=${view.attack} max=${most} text=${t("attack.of", { now: view.attack })} />
      <p class="immunity">${view.immune
        ? html`<${Suit} suit=${suit} /> ${t("immune", { suit: suitName(suit) })}`
        : t("not.immune")}${view.shield ? ` · ${t("shields", { n: view.shield })}` : ""}</p>
    </div>
  </section>`;
}

/** @param {{name: string, n: number, text: string, top?: string}} props */
function Pile({ name, n, text, top }) {
  return html`<li class="pile"><span class="card small stack" aria-hidden="true">${n === 0 ? html`<span class="gone"></span>`
    : top ? html`<${Face} name=${top} />` : html`<${Back} />`}</span><span><b>${name}</b><br />${text}</span></li>`;
}

/** @param {{view: any}} props */
function Piles({ view }) {
  const { castle, tavern, discard } = view;
  const fallen = 12 - castle.count - (view.enemy ? 1 : 0);
  return html`<ul class="piles plainlist">
    <${Pile} name=${t("castle")} n=${castle.count} text=${html`${t("castle.left", { n: castle.count })}<br />${t("defeated", { n: fallen })}`} />
    <${Pile} name=${t("tavern")} n=${tavern.count} text=${t("tavern.left", { n: tavern.count })} />
    <${Pile} name=${t("discards")} n=${discard.length} top=${discard[discard.length - 1]} text=${discard.length
      ? html`<details class="looked"><summary>${t("discards.n", { n: discard.length })}</summary><span class="cards">${[...discard].sort(byRank).map((card) =>
        html`<${Card} key=${card} name=${card} small />`)}</span></details>`
      : t("discards.n", { n: 0 })} />
    ${view.players === 1 ? html`<li class="pile"><span>${t("jesters", { n: view.jesters_left })}</span></li>` : null}
  </ul>`;
}

/** @param {{view: any, you: number | null, names: string[]}} props */
function Others({ view, you, names }) {
  const seats = view.hands.map((/** @type {any} */ hand, /** @type {number} */ seat) => ({ hand, seat })).filter((/** @type {any} */ one) => one.seat !== you);
  if (!seats.length) return null;
  return html`<ul class="others plainlist" aria-label=${t("others")}>${seats.map((/** @type {any} */ { hand, seat }) => {
    const n = hand.count ?? hand.length;
    return html`<li key=${seat} class=${`panel other${view.turn === seat && !view.outcome ? " now" : ""}`}>
      <b>${names[seat]}</b> <span class="quiet">${t("cards", { n })}${view.yielded[seat] ? ` · ${t("yieldedMark")}` : ""}</span>
      <span class="backs" aria-hidden=${Array.isArray(hand) ? undefined : "true"}>${Array.isArray(hand)
        ? [...hand].sort(byRank).map((card) => html`<${Card} key=${card} name=${card} small />`)
        : Array.from({ length: n }, (_, index) => html`<span key=${index} class="card tiny"><${Back} /></span>`)}</span></li>`;
  })}</ul>`;
}

/** @param {{hand: string[], legal: any[], choice: string[], choose: (token: string) => void, replaying: boolean}} props */
function Hand({ hand, legal, choice, choose, replaying }) {
  const playable = new Set(legal.flatMap(({ action }) => tokens(action)));
  const within = legal.filter(({ action }) => reachable(action, choice)).map(({ action }) => new Set(tokens(action)));
  const sorted = [...hand].sort(byRank);
  return html`<section class=${`hand${hand.length > 6 ? " many" : ""}`} aria-label=${t("hand")} data-hand>${sorted.map((card, index) => {
    if (replaying) return html`<${Card} key=${card} name=${card} />`;
    const apart = playable.has(card) && !choice.includes(card) && !within.some((all) => all.has(card));
    return html`<span key=${card} class=${apart ? "apart" : ""}><${Card} name=${card} token=${card} pressed=${choice.includes(card)}
      disabled=${!playable.has(card)} press=${() => choose(card)} />
      <span class="key" aria-hidden="true">${index < 9 ? index + 1 : ""}</span></span>`;
  })}</section>`;
}

/** @param {any} props */
export function Board({ view, you, names, legal, choice, choose, replaying = false }) {
  const own = you != null && Array.isArray(view.hands[you]) ? view.hands[you] : null;
  return html`<div class="regicide">
    <${Enemy} view=${view} />
    <section class="played panel" aria-label=${t("onTable")}><h3>${t("onTable")}</h3>
      <div class="cards">${view.table.length ? view.table.map((/** @type {string} */ card) => html`<${Card} key=${card} name=${card} small />`)
        : html`<span class="quiet">${t("nothing")}</span>`}</div></section>
    <${Piles} view=${view} />
    <${Others} view=${view} you=${own ? you : null} names=${names} />
    <ul class="powers plainlist quiet" aria-label=${t("powers")}>${["H", "D", "C", "S"].map((suit) => html`<li key=${suit}><${Suit} suit=${suit} /> <span class="long">${t(`power.${suit}`)}</span><span class="brief" aria-hidden="true">${t(`brief.${suit}`)}</span></li>`)}</ul>
    ${own ? html`<${Hand} hand=${own} legal=${legal} choice=${choice} choose=${choose} replaying=${replaying} />` : null}
  </div>`;
}
