// The families: royals, arsenals and ploys of each seat, the drawn card and the pile.
// @ts-check
import { Back, Face, Sign, Tab } from "/static/js/shared/cards.js";
import { msg, t } from "/static/js/shared/i18n.js";
import { html } from "/static/js/vendor.js";
import { cardLabel, FAMILY_SUITS, familyOf, list, short, SUITS } from "./geometry.js";

/** @typedef {import("./geometry.js").View} View */
/** @typedef {import("./geometry.js").Shot} Shot */

/**
 * The data that the components of one board share.
 * @typedef {object} Board
 * @property {View} view
 * @property {number | null} you
 * @property {string[]} names
 * @property {(seat: number) => string} who
 * @property {(token: string) => boolean} may whether the token can be selected
 * @property {(token: string) => "next" | "instead" | null} way whether a token extends or partly replaces the selection
 * @property {(token: string) => boolean} isChosen
 * @property {(token: string) => void} pick
 * @property {(token: string) => number} keyOf the digit that selects the token, 0 for none
 * @property {Shot[]} shots the lines that are highlighted
 * @property {string | null} lifted
 * @property {string | null} ghost the cell above which the drawn card is shown
 * @property {Record<string, number>} marks
 */

/** @param {View} view @param {string} card */
export const ownerOf = (view, card) => view.families.indexOf(familyOf(card, view.players));

/** Digit that selects a token. @param {{board: Board, token: string}} props */
export function Key({ board, token }) {
  const digit = board.keyOf(token);
  return digit > 0 ? html`<span class="gc-key" aria-hidden="true">${digit}</span>` : null;
}

/** Suit symbols of a family, so that colour isn't the only sign of it. @param {{family: string}} props */
function Mark({ family }) {
  const signs = [...FAMILY_SUITS[family]].map((suit) => SUITS[suit]).join("");
  return html`<span class="gc-mark" data-family=${family} aria-hidden="true">${signs}</span>`;
}

/** Ploys that a joker can be played as. */
export const JOKERS = ["switcheroo", "forced_attack"];
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

/** Return face, CSS class and last-move mark of a ploy card. @param {Board} board @param {string} card */
function ployFace({ marks }, card) {
  const mark = marks[`ploy:${card}`];
  const moved = mark === undefined ? null : "";
  const tab = moved === null ? null : html`<${Tab} seat=${mark} />`;
  const face = html`<${Face} name=${card} title=${t("Joker")} />${tab}`;
  return { face, look: `card gc-ploy${moved === null ? "" : ` s${mark}`}`, moved };
}

/** Ploy card that can't be pressed. @param {{board: Board, card: string, name: string, barred?: boolean}} props */
function ShownPloy({ board, card, name, barred = false }) {
  const { face, look, moved } = ployFace(board, card);
  return html`<span class=${look} role="img" aria-label=${name} data-barred=${barred ? "" : null} data-card=${card}
    data-last-move=${moved}>${face}</span>`;
}

/** Ploy card of an arsenal; the reader's own are buttons. @param {{board: Board, card: string, seat: number}} props */
function PloyCard({ board, card, seat }) {
  const barred = board.view.recalled.includes(card);
  const name = cardLabel(card) + (barred ? ` (${t("recalled: unavailable until the board changes")})` : "");
  if (seat !== board.you) return html`<${ShownPloy} board=${board} card=${card} name=${name} barred=${barred} />`;
  const { face, look, moved } = ployFace(board, card);
  const pressed = board.isChosen(card);
  return html`<button type="button" class=${look} data-token=${card} data-may=${board.way(card)} data-card=${card}
      data-barred=${barred ? "" : null} data-last-move=${moved} aria-pressed=${pressed} disabled=${!board.may(card)}
      aria-label=${name} onClick=${() => board.pick(card)}>${face}<${Key} board=${board} token=${card} /></button>
    ${
      pressed &&
      JOKERS.filter(board.may).map(
        (ploy) => html`<button type="button" class="gc-word" key=${ploy} data-token=${ploy}
      data-may=${board.way(ploy)} aria-pressed=${board.isChosen(ploy)} onClick=${() => board.pick(ploy)}>
        ${t(PLOYS[ploy])}<${Key} board=${board} token=${ploy} /></button>`,
      )
    }`;
}

/** Return a family's royals in order, each alive, dead, or not yet placed. @param {View} view @param {string} family */
function royalsOf(view, family) {
  const placed = new Map(
    Object.values(view.royals)
      .filter(Boolean)
      .map((royal) => [royal.card, royal.alive]),
  );
  return [...FAMILY_SUITS[family]].flatMap((suit) =>
    ["J", "Q", "K"].map((rank) => {
      const alive = placed.get(rank + suit);
      return { card: rank + suit, state: alive === undefined ? "todo" : alive ? "stands" : "dead" };
    }),
  );
}
/** @type {Record<string, string>} */
const STATES = { todo: msg("to come"), stands: msg("stands"), dead: msg("has fallen") };

/**
 * A seat: family, royals, arsenal, and whether it has the turn or is out of the game.
 * @param {{board: Board, seat: number}} props
 */
function Seat({ board, seat }) {
  const { view, you, names } = board;
  const family = view.families[seat];
  const held = view.arsenals[seat];
  const royals = royalsOf(view, family);
  const out = royals.every(({ state }) => state === "dead");
  const onTurn = view.turn === seat && !view.outcome;
  return html`<li class="gc-seat" data-turn=${onTurn ? "" : null} data-out=${out ? "" : null} data-family=${family}
    data-you=${seat === you ? "" : null}>
    <h2 class="gc-who"><${Sign} seat=${seat} /><span class="name">${names[seat]}</span>${
      seat === you ? ` (${t("you")})` : ""
    } <${Mark} family=${family} />
      <span class="q">${t(FAMILIES[family])}${onTurn ? ` · ${seat === you ? t("your turn") : t("on turn")}` : ""}${
        out ? ` · ${t("out")}` : ""
      }</span></h2>
    <ol class="gc-royals" aria-label=${t("Royals")}>${royals.map(
      ({ card, state }) => html`<li key=${card} class=${`${state} ${"HD".includes(card[1]) ? "red" : ""}`}>
        <span aria-hidden="true">${state === "todo" ? card[0] : short(card)}</span><span
          class="hidden">${state === "todo" ? card[0] : cardLabel(card)}: ${t(STATES[state])}</span>
      </li>`,
    )}</ol>
    <span class="gc-arsenal" data-many=${held.length > 3 ? "" : null}>${
      held.length
        ? html`${seat === you ? html`<small>${t("Arsenal")}</small>` : null}${held.map(
            (card) => html`<${PloyCard} key=${card} board=${board} card=${card} seat=${seat} />`,
          )}`
        : html`<small>${t("no ploys")}</small>`
    }</span>
  </li>`;
}

/** A list of seats. @param {{board: Board, seats: number[], label: string}} props */
export const Seats = ({ board, seats, label }) =>
  html`<ul class="gc-seats" aria-label=${label}>
    ${seats.map((seat) => html`<${Seat} key=${seat} board=${board} seat=${seat} />`)}</ul>`;

/** Declared ploys in the order of their use; the reader's own can be recalled. @param {{board: Board}} props */
export function Queue({ board }) {
  const { view, you, who } = board;
  if (!view.ploys.length) return null;
  return html`<section class="gc-queue" aria-label=${t("Ploys declared")}>
    <h2>${t("Ploys declared")}</h2>
    <ol>${view.ploys.map(
      ({ seat, card, ploy }, place) => html`<li key=${card}>
      ${
        seat === you && board.may(card)
          ? html`<button type="button" class="card gc-ploy" data-token=${card} data-may=${board.way(card)}
            aria-pressed=${board.isChosen(card)} aria-label=${`${t("Recall")}: ${cardLabel(card)}`}
            onClick=${() => board.pick(card)}><${Face} name=${card} title=${t("Joker")} /><${Key} board=${board}
              token=${card} /></button>`
          : html`<${ShownPloy} board=${board} card=${card} name=${cardLabel(card)} />`
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

/** Number of remaining turns below which the turn limit is shown. */
const NEAR = 20;

/** Drawn card, draw pile, and the cards known to be at the bottom of the pile. @param {{board: Board}} props */
export function Piles({ board }) {
  const { view, who } = board;
  const { count, bottom } = view.draw_pile;
  const opening = view.opening[0];
  const inHand = opening?.card ?? view.drawn;
  const mine = opening ? opening.seat === board.you : view.turn === board.you;
  const placer = opening ? opening.seat : view.drawn && view.phase === "place_royal" ? ownerOf(view, view.drawn) : null;
  const title =
    placer === null || !inHand
      ? t("Drawn")
      : placer === view.turn
        ? t("{who} places {card}", { card: short(inHand), who: who(placer) })
        : t("{card} ({family}): {who} places it", {
            card: short(inHand),
            family: t(FAMILIES[view.families[placer]]),
            who: who(placer),
          });
  const mark = (/** @type {string} */ token) => (token in board.marks ? board.marks[token] : null);
  const [drew, returned] = [mark("drawn"), mark("pile")];
  return html`<div class="gc-piles">
    <figure class="gc-drawn">${
      inHand
        ? html`<span class=${`card${drew === null ? "" : ` s${drew}`}`} role="img" aria-label=${cardLabel(inHand)}
            data-drag=${mine ? "" : null} data-card=${inHand}
            data-last-move=${drew === null ? null : ""}><${Face} key=${inHand} name=${inHand}
            title=${t("Joker")} />${drew === null ? null : html`<${Tab} seat=${drew} />`}</span>`
        : html`<span class="card gc-none"><span class="hidden">${t("no card")}</span></span>`
    }<figcaption>${title}</figcaption></figure>
    <figure class="gc-pile"><span class=${`stack${returned === null ? "" : ` s${returned}`}`} data-pile="draw"
        data-last-move=${returned === null ? null : ""}><span class="card" aria-hidden="true">
        ${count ? html`<${Back} />` : null}</span></span>
      <figcaption><b>${count}</b> ${t("to draw")}</figcaption></figure>
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
      ${
        bottom.length > 0 &&
        html`<span>
        ${t("Passed over, under the pile: {cards}", { cards: list(bottom) })}</span>`
      }</p>
  </div>`;
}
