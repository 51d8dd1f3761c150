// @ts-check
// Gridcannon's board. What can be selected comes from the list of legal actions.
import { Face } from "/static/js/shared/cards.js";
import { cardName, msg, t } from "/static/js/shared/i18n.js";
import { html, useEffect, useRef, useState } from "/static/js/vendor.js";
import { COLUMNS, ROWS, familyOf, isCell, isSlot, shotAt, shotsFrom } from "./lines.js";

/** @typedef {import("./lines.js").View} View */
/** @typedef {import("./lines.js").Shot} Shot */
/** @typedef {import("/static/js/board").Action} Action */
/** @typedef {import("/static/js/board").Legal} Legal */
/** @typedef {import("/static/js/board").Props<View>} Props */

/**
 * Return the tokens of an action in order; `draw` and `return` have none, so they are buttons.
 * @param {Action} action
 */
export function tokens(action) {
  switch (action.type) {
    case "place":
    case "force":
      return [action.cell];
    case "place_royal":
    case "armour":
      return [action.slot];
    case "reassign":
      return [action.source, action.target];
    case "switch":
      return [...action.slots];
    case "declare":
      return action.ploy === "reassignment" ? [action.card] : [action.card, action.ploy];
    case "recall":
      return [action.card];
    default:
      return [];
  }
}

/** Return whether the selection can be extended to this action. @param {Action} action @param {string[]} choice */
export function reachable(action, choice) {
  const whole = tokens(action);
  if (action.type === "switch") return choice.every((token) => whole.includes(token));
  return choice.every((token, place) => whole[place] === token);
}

/** Return whether the selection is this action. @param {Action} action @param {string[]} choice */
export function settled(action, choice) {
  return choice.length > 0 && choice.length === tokens(action).length && reachable(action, choice);
}

/**
 * Return the selection after a token is clicked: it is added, removed, or replaces the last tokens.
 * @param {Legal[]} legal
 * @param {string[]} choice
 * @param {string} token
 * @returns {string[] | null} null if the token fits no action
 */
export function after(legal, choice, token) {
  if (choice.includes(token)) return choice.filter((other) => other !== token);
  for (let kept = choice.length; kept >= 0; kept -= 1) {
    const next = [...choice.slice(0, kept), token];
    if (legal.some(({ action }) => tokens(action).includes(token) && reachable(action, next))) return next;
  }
  return null;
}

/** Return whether an action needs no selection. @param {Action} action */
export const usual = ({ type }) => type === "draw" || type === "return";

/** Sentences for the use of a ploy. @type {Record<string, string>} */
const PLOY_PROMPTS = {
  reassignment: msg("Reassignment: choose a card, then the cell it moves to."),
  switcheroo: msg("Switcheroo: choose two royals to swap."),
  forced_attack: msg("Forced attack: choose the cell that fires."),
};

/**
 * Return what to do now, in one sentence.
 * @param {View} view
 * @param {unknown} [_game]
 * @param {string[]} [choice]
 * @param {Legal[]} [legal]
 * @param {string} [wanted] what a lesson wants
 */
export function prompt(view, _game, choice = [], legal = [], wanted = "") {
  const has = (/** @type {string} */ type) => legal.some(({ action }) => action.type === type);
  if (choice.length === 1 && choice[0][0] === "X" && has("declare")) return t("Choose: switcheroo or forced attack.");
  if (wanted === "declare") return t("Declare a ploy: choose it in your arsenal.");
  if (view.ploys.length) return t(PLOY_PROMPTS[view.ploys[0].ploy]);
  const card = view.opening[0]?.card ?? view.drawn;
  if (!card)
    return view.phase === "draw" ? (has("declare") ? t("Draw a card, or play a ploy.") : t("Draw a card.")) : "";
  if (has("armour")) return t("Choose a marked royal to armour with {card}.", { card: short(card) });
  return view.phase === "place"
    ? t("Lay {card} on a marked cell.", { card: short(card) })
    : t("Place {card}: choose one of the marked places.", { card: short(card) });
}

/** Return whether an action is possible outside the turn: phones show it as a button. @param {Action} action */
export const aside = ({ type }) => type === "declare" || type === "recall";

/** Return what a seat may do when it isn't its turn, as a sentence. */
export const interrupt = () => t("You may play a ploy.");

/** Return a card's name in words: "7 of clubs". @param {string} card */
const cardLabel = (card) => (card[0] === "X" ? t("joker") : cardName(card));

const SUITS = /** @type {Record<string, string>} */ ({ C: "♣", D: "♦", H: "♥", S: "♠" });
const FAMILY_SUITS = /** @type {Record<string, string>} */ ({ red: "HD", black: "SC", C: "C", D: "D", H: "H", S: "S" });

/** Return a card as it is written in sentences: 7♣. @param {string} card */
const short = (card) => (card[0] === "X" ? "★" : card[0] === "T" ? `10${SUITS[card[1]]}` : card[0] + SUITS[card[1]]);
/** @param {string[]} cards */
const list = (cards) => cards.map(short).join(", ");

/** Suit symbols of a family, so that it is not told by colour alone. @param {{family: string}} props */
function Mark({ family }) {
  const signs = [...FAMILY_SUITS[family]].map((suit) => SUITS[suit]).join("");
  return html`<span class="gc-mark" data-family=${family} aria-hidden="true">${signs}</span>`;
}

/**
 * What the components of one board share.
 * @typedef {object} Board
 * @property {View} view
 * @property {number | null} you
 * @property {(seat: number) => string} who
 * @property {(token: string) => boolean} may whether it can be selected
 * @property {(token: string) => "next" | "instead" | null} way whether it extends the selection or replaces part of it
 * @property {(token: string) => boolean} isChosen
 * @property {(token: string) => void} pick
 * @property {(token: string) => number} keyOf the digit that selects it, 0 for none
 * @property {Shot[]} shots the lines that are highlighted
 * @property {string | null} lifted
 */

/** @param {View} view @param {string} card */
const ownerOf = (view, card) => view.families.indexOf(familyOf(card, view.players));

/** Digit that selects a token. @param {{board: Board, token: string}} props */
function Key({ board, token }) {
  const digit = board.keyOf(token);
  return digit > 0 ? html`<span class="gc-key" aria-hidden="true">${digit}</span>` : null;
}

/** Return the effect of one line in words. @param {Board} board @param {Shot} shot @param {boolean} fromCell */
function shotWords(board, shot, fromCell) {
  const { view, who } = board;
  const royal = view.royals[shot.slot].card;
  const attackers = shot.attackers.map((cell, place) => `${cell} ${shot.counts[place]}`).join(" + ");
  const told = fromCell
    ? t("Fires at {card} of {who} on {slot}: {attack} of {needed}", {
        card: short(royal),
        who: who(ownerOf(view, royal)),
        slot: shot.slot,
        attack: shot.attack,
        needed: shot.needed,
      })
    : t("{attackers} fire at it when {trigger} is played: {attack} of {needed}", {
        trigger: shot.trigger,
        attackers,
        attack: shot.attack,
        needed: shot.needed,
      });
  return shot.attack >= shot.needed ? `${told}, ${t("would kill")}` : told;
}

/**
 * Return a square in words: name, content, and the lines of fire from or at it.
 * @param {Board} board
 * @param {string} square
 */
function squareWords(board, square) {
  const { view, who, lifted } = board;
  const shots = shotsFrom(view, square, lifted ?? undefined).map((shot) => shotWords(board, shot, isCell(square)));
  if (isCell(square)) {
    const stack = view.grid[square];
    const top = stack.at(-1);
    const lying = !top
      ? t("empty")
      : stack.length === 1
        ? cardLabel(top)
        : t("{card} on {under}", { card: cardLabel(top), under: list(stack.slice(0, -1).reverse()) });
    return [`${square}: ${lying}`, ...(shots.length ? shots : [t("Hits no royal")])].join(". ");
  }
  const royal = view.royals[square];
  if (!royal) return `${square}: ${t("free place")}`;
  if (!royal.alive) return `${square}: ${t("dead, face down: {card}", { card: cardLabel(royal.card) })}`;
  const named = t("{card} of {who}", { card: cardLabel(royal.card), who: who(ownerOf(view, royal.card)) });
  const armour = royal.armour.length ? `, ${t("armour {cards}", { cards: list(royal.armour) })}` : "";
  return [`${square}: ${named}${armour}`, ...shots].join(". ");
}

/** How a square takes part in the lines that are highlighted. @param {Shot[]} shots @param {string} square */
function part(shots, square) {
  if (shots.some((shot) => shot.slot === square)) return "target";
  if (shots.some((shot) => shot.trigger === square)) return "trigger";
  return shots.some((shot) => shot.attackers.includes(square)) ? "attacker" : null;
}

/** Content of a cell, and what it adds to a highlighted line. @param {{board: Board, square: string}} props */
function Cell({ board, square }) {
  const { view, shots } = board;
  const stack = view.grid[square];
  const top = stack.at(-1);
  const shot = shots.find((other) => other.attackers.includes(square));
  return html`<span class="gc-stack" aria-hidden="true">
    ${top && html`<${Face} key=${top} name=${top} />`}
    ${stack.length > 1 && html`<span class="gc-count">${stack.length}</span>`}
    ${shot && html`<span class="gc-adds">+${shot.counts[shot.attackers.indexOf(square)]}</span>`}
  </span>`;
}

/**
 * Content of a slot: a royal with its armour, or a dead one face down.
 * @param {{board: Board, square: string}} props
 */
function Slot({ board, square }) {
  const { view, lifted } = board;
  const royal = view.royals[square];
  if (!royal) return null;
  if (!royal.alive) return html`<span class="gc-dead" aria-hidden="true"><i>${short(royal.card)}</i></span>`;
  const shot = /** @type {Shot} */ (shotAt(view, square, lifted ?? undefined));
  return html`<span class="gc-standing" aria-hidden="true">
    <${Face} key=${royal.card} name=${royal.card} />
    <span class="gc-armour">
      ${royal.armour.map((layer) => html`<b key=${layer} data-suit=${layer[1]}>${short(layer)}</b>`)}</span>
    <span class="gc-strength" data-kills=${shot.attack >= shot.needed ? "" : null}>${shot.attack}<i>/</i>
      ${shot.needed}</span>
  </span>`;
}

/** @param {{board: Board, square: string, tabbable: boolean, look: (square: string | null) => void}} props */
function Square({ board, square, tabbable, look }) {
  const { view, you, shots } = board;
  const royal = view.royals[square];
  const family = royal?.alive ? familyOf(royal.card, view.players) : null;
  const own = family !== null && you !== null && view.families[you] === family;
  return html`<button type="button" class=${isCell(square) ? "gc-cell" : "gc-slot"}
    data-token=${square} data-part=${part(shots, square)} data-family=${family} data-own=${own ? "" : null}
    data-may=${board.way(square)} aria-pressed=${board.isChosen(square)} aria-disabled=${!board.may(square)}
    aria-label=${squareWords(board, square)} tabindex=${tabbable ? 0 : -1} onClick=${() => board.pick(square)}
    onMouseEnter=${() => look(square)} onMouseLeave=${() => look(null)} onFocus=${() => look(square)}
      onBlur=${() => look(null)}>
    ${
      isCell(square)
        ? html`<${Cell} board=${board} square=${square} />`
        : html`<${Slot} board=${board} square=${square} />`
    }
    <${Key} board=${board} token=${square} />
  </button>`;
}

/**
 * Highlighted lines of fire, drawn from the trigger to the royal.
 * @param {{shots: Shot[]}} props
 */
function Fire({ shots }) {
  const at = (/** @type {string} */ square) => [COLUMNS.indexOf(square[0]) * 10 + 5, ROWS.indexOf(square[1]) * 10 + 5];
  return html`<svg class="gc-fire" viewBox="0 0 50 50" preserveAspectRatio="none" aria-hidden="true">
    ${shots.map((shot) => {
      const [[x1, y1], [x2, y2]] = [at(shot.trigger), at(shot.slot)];
      return html`<line key=${shot.slot} data-kills=${shot.attack >= shot.needed ? "" : null} x1=${x1} y1=${y1}
        x2=${x2} y2=${y2} />`;
    })}
  </svg>`;
}

const STEPS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
});

/** Return the square that an arrow key leads to, or null. @param {string} from @param {string} key */
export function beside(from, key) {
  if (!(key in STEPS)) return null;
  const [right, down] = STEPS[key];
  const square = (COLUMNS[COLUMNS.indexOf(from[0]) + right] ?? "-") + (ROWS[ROWS.indexOf(from[1]) + down] ?? "-");
  return isCell(square) || isSlot(square) ? square : null;
}

/** @param {{board: Board, look: (square: string | null) => void}} props */
function Squares({ board, look }) {
  const table = useRef(/** @type {HTMLTableElement | null} */ (null));
  const [last, setLast] = useState("c3");
  const walk = (/** @type {KeyboardEvent} */ event) => {
    const from = /** @type {HTMLElement} */ (event.target).dataset.token;
    const next = from && !event.ctrlKey && !event.altKey && !event.metaKey && beside(from, event.key);
    if (from && event.key in STEPS) event.stopPropagation();
    if (!next) return;
    event.preventDefault();
    setLast(next);
    /** @type {HTMLElement | null | undefined} */ (table.current?.querySelector(`[data-token=${next}]`))?.focus();
  };
  return html`<div class="gc-frame">
    <table class="gc-table" ref=${table} onKeyDown=${walk}>
      <caption class="hidden">
        ${t("The 3 by 3 grid, columns b to d and rows 2 to 4, with the places for royals around it.")}</caption>
      <thead><tr><td></td>${COLUMNS.map((column) => html`<th key=${column} scope="col">${column}</th>`)}</tr></thead>
      <tbody>${ROWS.map(
        (row) =>
          html`<tr key=${row}><th scope="row">${row}</th>${COLUMNS.map((column) => {
            const square = column + row;
            const tabbable = square === last || board.may(square);
            return html`<td key=${square}>
              ${
                (isCell(square) || isSlot(square)) &&
                html`<${Square} board=${board} square=${square} tabbable=${tabbable} look=${look} />`
              }</td>`;
          })}</tr>`,
      )}</tbody>
    </table>
    <${Fire} shots=${board.shots} />
  </div>`;
}

/** Ploys that a joker can be. */
const JOKERS = ["switcheroo", "forced_attack"];
/** @type {Record<string, string>} */
const PLOYS = { reassignment: msg("reassignment"), switcheroo: msg("switcheroo"), forced_attack: msg("forced attack") };
/** @type {Record<string, string>} */
const FAMILIES = {
  red: msg("red"),
  black: msg("black"),
  C: msg("clubs"),
  D: msg("diamonds"),
  H: msg("hearts"),
  S: msg("spades"),
};

/** Ploy card of an arsenal; the reader's own are buttons. @param {{board: Board, card: string, seat: number}} props */
function PloyCard({ board, card, seat }) {
  const { view, you } = board;
  const barred = view.recalled.includes(card);
  const name = cardLabel(card) + (barred ? ` (${t("recalled: unavailable until the board changes")})` : "");
  const face = html`<${Face} name=${card} />`;
  if (seat !== you)
    return html`<span class="gc-ploy" role="img" aria-label=${name} data-barred=${barred ? "" : null}>${face}</span>`;
  const pressed = board.isChosen(card);
  return html`<button type="button" class="gc-ploy" data-token=${card} data-may=${board.way(card)}
    data-barred=${barred ? "" : null}
      aria-pressed=${pressed} disabled=${!board.may(card)} aria-label=${name}
        title=${barred ? t("recalled: unavailable until the board changes") : null}
      onClick=${() => board.pick(card)}>${face}<${Key} board=${board} token=${card} /></button>
    ${
      pressed &&
      JOKERS.filter(board.may).map(
        (ploy) => html`<button type="button" class="gc-word" key=${ploy} data-token=${ploy}
      data-may=${board.way(ploy)} aria-pressed=${board.isChosen(ploy)} onClick=${() => board.pick(ploy)}>
        ${t(PLOYS[ploy])}<${Key} board=${board} token=${ploy} /></button>`,
      )
    }`;
}

/** Number of royals in a family, by number of players. */
const ROYALS = /** @type {Record<number, number>} */ ({ 2: 6, 4: 3 });

/**
 * A seat: family, royals, arsenal, and whether it is on turn or out.
 * @param {{board: Board, seat: number}} props
 */
function Seat({ board, seat }) {
  const { view, you, who } = board;
  const family = view.families[seat];
  const mine = (/** @type {string | null} */ card) =>
    card !== null && card[0] in { J: 1, Q: 1, K: 1 } && familyOf(card, view.players) === family;
  const standing = Object.values(view.royals).filter((royal) => royal.alive && mine(royal.card)).length;
  const dead = Object.values(view.royals).filter((royal) => !royal.alive && mine(royal.card)).length;
  const left = ROYALS[view.players] - standing - dead;
  const out = dead === ROYALS[view.players];
  const onTurn = view.turn === seat && !view.outcome;
  return html`<li class="gc-seat" data-turn=${onTurn ? "" : null} data-out=${out ? "" : null}
    data-you=${seat === you ? "" : null}>
    <span class="gc-who"><${Mark} family=${family} /> <strong>${who(seat)}</strong>
      <span class="hidden">, ${t("family")} ${t(FAMILIES[family])}</span>
      ${onTurn && html` <em>${seat === you ? t("your turn") : t("on turn")}</em>`}
        ${out && html` <em>${t("out")}</em>`}</span>
    <span class="gc-standing-count">
      ${t("royals: {count} alive, {dead} fallen, {left} to come", { count: standing, dead, left })}</span>
    <span class="gc-arsenal">${
      view.arsenals[seat].length
        ? view.arsenals[seat].map((card) => html`<${PloyCard} key=${card} board=${board} card=${card} seat=${seat} />`)
        : html`<small>${t("no ploys")}</small>`
    }</span>
  </li>`;
}

/** Declared ploys, first to be used first; the reader's own can be recalled. @param {{board: Board}} props */
function Queue({ board }) {
  const { view, you, who } = board;
  if (!view.ploys.length) return null;
  return html`<section class="gc-queue" aria-label=${t("Ploys declared")}>
    <h2>${t("Ploys declared")}</h2>
    <ol>${view.ploys.map(
      ({ seat, card, ploy }, place) => html`<li key=${card}>
      ${
        seat === you && board.may(card)
          ? html`<button type="button" class="gc-ploy" data-token=${card} data-may=${board.way(card)}
            aria-pressed=${board.isChosen(card)} aria-label=${`${t("Recall")}: ${cardLabel(card)}`}
            onClick=${() => board.pick(card)}><${Face} name=${card} /><${Key} board=${board} token=${card} /></button>`
          : html`<span class="gc-ploy" role="img" aria-label=${cardLabel(card)}><${Face} name=${card} /></span>`
      }
      <span><strong>${t(PLOYS[ploy])}</strong> <${Mark} family=${view.families[seat]} /> ${who(seat)}
        ${
          place === 0 &&
          html`<small>
            ${
              seat === you && board.may(card)
                ? t("{who} must use or recall it now: press its card to recall it", { who: who(seat) })
                : t("{who} must use or recall it now", { who: who(seat) })
            }</small>`
        }</span>
    </li>`,
    )}</ol>
  </section>`;
}

/** The turn limit is shown when fewer turns than this remain. */
const NEAR = 20;

/** Drawn card, draw pile, and cards that are known to be at its bottom. @param {{board: Board}} props */
function Piles({ board }) {
  const { view, who } = board;
  const { count, bottom } = view.draw_pile;
  const opening = view.opening[0];
  const inHand = opening?.card ?? view.drawn;
  const placer = opening ? opening.seat : view.drawn && view.phase === "place_royal" ? ownerOf(view, view.drawn) : null;
  const title =
    placer === null || !inHand ? t("Drawn") : t("{who} places {card}", { card: short(inHand), who: who(placer) });
  return html`<div class="gc-piles">
    <figure class="gc-drawn"><figcaption>${title}</figcaption>
      ${
        inHand
          ? html`<span role="img" aria-label=${cardLabel(inHand)}><${Face} key=${inHand} name=${inHand} />
        </span>`
          : html`<span class="gc-none"><span class="hidden">${t("no card")}</span></span>`
      }</figure>
    <figure class="gc-pile"><figcaption>${t("Draw pile")}</figcaption>
      <span class="gc-back" data-empty=${count ? null : ""}><b>${count}</b> <span class="hidden">
        ${t("{count} cards", { count: "" })}</span></span></figure>
    <p class="gc-facts">
      ${
        view.turns > 0 &&
        html`<span>
          ${
            view.turn_limit && view.turn_limit - view.turns < NEAR
              ? t("Turn {turns} of {limit}", { turns: view.turns, limit: view.turn_limit })
              : t("Turn {turns}", { turns: view.turns })
          }</span>`
      }
      ${bottom.length > 0 && html`<span>${t("Returned under the pile: {cards}", { cards: list(bottom) })}</span>`}</p>
  </div>`;
}

/** @type {Record<string, string>} */
const REASONS = {
  last_family: msg("No other family is left."),
  all_fell: msg("The last families fell together."),
  exhausted: msg("No card is left to draw."),
  turn_limit: msg("The turn limit is reached."),
};

/** Result of the game. @param {{board: Board}} props */
function Outcome({ board }) {
  const { outcome } = board.view;
  if (!outcome) return null;
  const result = outcome.winner === null ? t("A draw") : t("{who} has won", { who: board.who(outcome.winner) });
  return html`<p class="gc-outcome"><strong>${result}</strong> ${t(REASONS[outcome.reason])}</p>`;
}

const SQUARES = ROWS.flatMap((row) => COLUMNS.map((column) => column + row)).filter(
  (square) => isCell(square) || isSlot(square),
);

/** On a small screen, scroll to what can be selected if none of it is visible, except in lessons. */
function showChoices() {
  const lowest = document.querySelector(".actbar")?.getBoundingClientRect().top ?? innerHeight;
  const all = [...document.querySelectorAll(".gc-table [data-may]")];
  const isSeen = (/** @type {Element} */ one) =>
    one.getBoundingClientRect().top >= 0 && one.getBoundingClientRect().bottom <= lowest;
  if (innerWidth <= 760 && !document.querySelector(".lesson") && !all.some(isSeen))
    all[0]?.scrollIntoView({ block: "center" });
}

/** The board, from the view of a seat or a spectator. @param {Props} props */
export function Board({ view, you, names, legal, choice, choose, replaying }) {
  const [looked, look] = useState(/** @type {string | null} */ (null));
  useEffect(showChoices, [legal]);
  const open = replaying ? [] : legal;
  const lifted =
    choice.length > 0 && isCell(choice[0]) && open.some(({ action }) => action.type === "reassign") ? choice[0] : null;
  const may = (/** @type {string} */ token) =>
    after(open, choice, token) !== null && open.some(({ action }) => tokens(action).includes(token));
  const way = (/** @type {string} */ token) =>
    !may(token)
      ? null
      : choice.includes(token) || after(open, choice, token)?.length === choice.length + 1
        ? "next"
        : "instead";
  const ploys = (you === null ? [] : view.arsenals[you]).flatMap((card) =>
    choice.includes(card) ? [card, ...JOKERS] : [card],
  );
  const reached = [...SQUARES, ...view.ploys.map(({ card }) => card), ...ploys].filter(may).slice(0, 9);
  const square = looked ?? choice.findLast((token) => isCell(token) || isSlot(token)) ?? null;
  /** @type {Board} */
  const board = {
    view,
    you,
    lifted,
    who: (seat) => (seat === you ? `${names[seat]} (${t("you")})` : names[seat]),
    may,
    way,
    keyOf: (token) => reached.indexOf(token) + 1,
    isChosen: (token) => choice.includes(token),
    pick: (token) => {
      const next = after(open, choice, token);
      if (next === null) return;
      for (const other of choice) if (!next.includes(other)) choose(other);
      for (const other of next) if (!choice.includes(other)) choose(other);
    },
    shots: square ? shotsFrom(view, square, lifted ?? undefined) : [],
  };
  const seats = view.families.map((_, seat) => seat);
  return html`<section class="gc-board" aria-label=${t("Gridcannon board")} data-players=${view.players}>
    <div class="gc-layout">
    <${Outcome} board=${board} />
    <${Squares} board=${board} look=${look} />
    <p class="gc-look" aria-hidden="true">
      ${
        square
          ? squareWords(board, square)
          : t("Point at a cell to see which royals it would hit. 11/12 on a royal means 11 damage of the 12 needed.")
      }</p>
    <div class="gc-side">
      <${Piles} board=${board} />
      <${Queue} board=${board} />
      <ul class="gc-seats" aria-label=${t("Families and ploys")}>
        ${seats.map((seat) => html`<${Seat} key=${seat} board=${board} seat=${seat} />`)}</ul>
    </div>
  </div></section>`;
}
