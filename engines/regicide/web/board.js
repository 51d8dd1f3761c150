// Regicide's browser module. The list of legal actions says what can be selected.
// @ts-check
import { loadIcons, written } from "/static/js/shared/cards.js";
import { t } from "/static/js/shared/i18n.js";
import { html } from "/static/js/vendor.js";
import { sumOfValues } from "./card_values.js";

export { reachable, settled, tokens } from "./card_values.js";
export { Board, Tally } from "./picture.js";

loadIcons(new URL("icons.svg", import.meta.url).href);

/** Load the function that repeats the deal, to check a shuffle. */
export const loadDeal = async () => (await import("./deal.js")).deal;

/** Return the signals allowed now (R22): after a Jester, before the next player is chosen. @param {any} game */
export function signals(game) {
  const { view, you } = game;
  if (view?.phase !== "choose" || you == null || view.turn === you) return [];
  return [
    ["eager", t("I want to go next")],
    ["reluctant", t("I'd rather not go next")],
  ];
}

/**
 * Return one or two sentences that tell the reader what to do now.
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
    ? t("Discard cards worth {n} more", { n: view.attack - given })
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
 * Return sentences on the hidden cards that an action will reveal.
 * @param {any} game
 * @param {any} action
 * @param {any} told the server's dry run of the action
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

/** Return the tokens of the board that the events of a move changed. @param {any[]} events */
export function marks(events) {
  const [{ type, seat, cards = [], next }] = events;
  const cleared = events.some((one) => one.type === "table_cleared") ? ["discard"] : [];
  if (type === "played") return [...cards.map((/** @type {string} */ card) => `card:${card}`), ...cleared];
  if (type === "discarded") return ["discard"];
  return [`seat:${type === "chosen" ? next : seat}`, ...cleared];
}

/** Types of events of the whole game that the board needs: defeated enemies, and cards with their players. */
export const remembers = ["enemy_defeated", "played"];

/** Return the `data-hit` values of the elements that a move hit. @param {any[]} events */
export const struck = (events) => (events.some(({ type }) => type === "enemy_hit") ? ["enemy"] : []);

/** Return the sound of a move. @param {any[]} events */
export function soundOf(events) {
  const types = events.map(({ type }) => type);
  if (types.includes("enemy_defeated")) return "fall";
  return types.includes("enemy_hit") ? "hit" : "play";
}

/** Return whether a move is shown together with the one before it. @param {any[]} events */
export const continues = ([{ type }]) => type === "discarded";

/** Return the keyboard shortcuts of this game with their meanings. @returns {[string, string][]} */
export const letters = () => [
  ["Y", t("yield")],
  ["F", t("flip a Jester")],
];

/** Return the letter that selects an action without cards. @param {any} action */
export const keyOf = ({ type }) => (type === "yield" ? "y" : type === "flip_jester" ? "f" : undefined);

/**
 * Return a move in a few words, without the player's name: "6♥: 6 damage, 6 healed".
 * @param {any[]} events
 * @param {{names: string[], you: number | null}} place
 */
export function brief(events, { names, you }) {
  const [{ type, cards = [], next }] = events;
  const list = cards.map(written).join(" ");
  if (type === "discarded") return cards.length ? t("discards {cards}", { cards: list }) : null;
  if (type === "yielded") return t("yields");
  if (type === "jester_flipped") return t("flips a Jester");
  if (type === "chosen") return t("lets {next} go next", { next: names[next] });
  if (type !== "played") return null;
  const parts = events.map(part).filter(Boolean);
  const drawn = events.filter((one) => one.type === "drawn" && one.seat === you).map(({ card }) => written(card));
  if (drawn.length) parts.push(t("you draw {cards}", { cards: drawn.join(" ") }));
  return parts.length ? `${list}: ${parts.join(", ")}` : list;
}

/** Return the effect of an event in a few words, or "". @param {any} event */
function part(event) {
  switch (event.type) {
    case "enemy_hit":
      return t("{n} damage", { n: event.damage });
    case "healed": {
      const n = event.count ?? event.cards.length;
      return n === 1 ? t("1 healed") : t("{n} healed", { n });
    }
    case "shielded":
      return event.amount === 1 ? t("1 shield") : t("{n} shields", { n: event.amount });
    case "immunity_cancelled":
      return t("no immunity any more");
    case "enemy_defeated":
      return event.exact
        ? t("{enemy} falls exactly", { enemy: written(event.enemy) })
        : t("{enemy} falls", { enemy: written(event.enemy) });
    default:
      return "";
  }
}

/** Return the first event of a type in a dry run. @param {any} told @param {string} type */
const eventOf = ({ events }, type) => events.find((/** @type {any} */ one) => one.type === type);

/**
 * Return the effects of a play in two sentences; null for other actions, whose texts come from the server.
 * @param {any} game
 * @param {any} action
 * @param {any} told the dry run
 */
export function foretold({ view }, action, told) {
  const hit = eventOf(told, "enemy_hit");
  const fallen = eventOf(told, "enemy_defeated");
  const blow = eventOf(told, "attacked");
  if (action.type !== "play" || !hit) return null;
  const enemy = written(view.enemy);
  const first = t("{cards}: {n} damage.", { cards: action.cards.map(written).join(" "), n: hit.damage });
  if (fallen)
    return `${first} ${fallen.exact ? t("{enemy} falls exactly.", { enemy }) : t("{enemy} falls.", { enemy })}`;
  return `${first} ${
    blow
      ? t("{enemy} keeps {left} and attacks you for {attack}.", { enemy, left: hit.left, attack: blow.attack })
      : t("{enemy} keeps {left} and can't hurt you.", { enemy, left: hit.left })
  }`;
}

/**
 * Return the effect of an action in a few words, for the second line of its button.
 * @param {any} _game
 * @param {any} _action
 * @param {any} told
 */
export function effect(_game, _action, told) {
  const hit = eventOf(told, "enemy_hit");
  const fallen = eventOf(told, "enemy_defeated");
  const blow = eventOf(told, "attacked");
  if (fallen) return fallen.exact ? t("falls exactly") : t("falls");
  const parts = [hit && t("{n} damage", { n: hit.damage }), blow && t("attack of {n}", { n: blow.attack })];
  return parts.filter(Boolean).join(" · ");
}

/**
 * Return the note beside a seat's name: whether it yielded, and its number of cards unless it is `you`.
 * @param {any} view
 * @param {number} seat
 * @param {number | null} you
 */
export function seatNote(view, seat, you) {
  if (seat === you) return view.yielded[seat] ? t("yielded") : null;
  const n = view.hands[seat].count ?? view.hands[seat].length;
  return html`<span class="fan" aria-hidden="true">${Array.from(
    { length: n },
    (_, place) => html`<i key=${place}>
    </i>`,
  )}
    </span> ${n}<span class="w"> ${n === 1 ? t("card") : t("cards")}</span>${
      view.yielded[seat] ? ` · ${t("yielded")}` : ""
    }`;
}

/** Load the legend of the signs on the table, for the dialog of keyboard shortcuts. */
export const loadLegend = async () => (await import("./legend/legend.js")).legend;

/** Load drawing, Castle and numbers for the panel at the end of a game. */
export const loadEnd = () => import("./end/end.js");

/** Load the list of hidden cards that the solver of a puzzle knows. */
export const loadKnown = () => import("./puzzle/known_cards.js");
