// Gridcannon's board: the grid with its lines of fire, the families, the ploys and the drawn card.
// @ts-check
import { Back, Face, Icon, Sign, Tab } from "/static/js/shared/cards.js";
import { t } from "/static/js/shared/i18n.js";
import { html, useRef, useState } from "/static/js/vendor.js";
import { after, COLUMNS, cardLabel, familyOf, HEALTH, isCell, isSlot, list, ROWS, short } from "./geometry.js";
import { shotAt, shotsFrom, tokens } from "./geometry.js";
import { JOKERS, Key, ownerOf, Piles, Queue, Seats } from "./seat_areas.js";

/** @typedef {import("./geometry.js").View} View */
/** @typedef {import("./geometry.js").Shot} Shot */
/** @typedef {import("./seat_areas.js").Board} Board */
/** @typedef {import("/static/js/board").Props<View>} Props */

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
 * Return a square in words: its name, its content, and the lines of fire that start or end there.
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

/** Return the role of a square in the highlighted lines. @param {Shot[]} shots @param {string} square */
function part(shots, square) {
  if (shots.some((shot) => shot.slot === square)) return "target";
  if (shots.some((shot) => shot.trigger === square)) return "trigger";
  return shots.some((shot) => shot.attackers.includes(square)) ? "attacker" : null;
}

/** Content of a cell, and its value in a highlighted line. @param {{board: Board, square: string}} props */
function Cell({ board, square }) {
  const { view, shots, ghost } = board;
  const stack = view.grid[square];
  const top = stack.at(-1);
  const shot = shots.find((other) => other.attackers.includes(square));
  const adds = shot?.counts[shot.attackers.indexOf(square)];
  return html`<span class="gc-stack" aria-hidden="true">
    ${
      top &&
      html`<span class=${`card${stack.length > 1 ? "" : " one"}`} data-card=${top}><${Face} name=${top} />
      </span>`
    }
    ${ghost === square && html`<span class="gc-ghost"><span class="card"><${Face} name=${view.drawn} /></span></span>`}
    ${stack.length > 1 && html`<span class="gc-count">${stack.length}</span>`}
    ${shot && html`<span class="gc-adds" data-zero=${adds ? null : ""}>+${adds}</span>`}
  </span>`;
}

/** Maximum number of armour layers drawn beside a royal; of more, only the sum is drawn. */
const LAYERS = 2;

/**
 * Content of a slot: a royal with its owner's sign and its armour, or a dead royal face down.
 * @param {{board: Board, square: string}} props
 */
function Slot({ board, square }) {
  const { view, lifted, shots } = board;
  const royal = view.royals[square];
  if (!royal) return null;
  if (!royal.alive)
    return html`<span class="gc-dead" aria-hidden="true"><span class="card" data-card=${royal.card}><${Back} /></span>
      <svg viewBox="0 0 100 100"><path d="M15 15 85 85M85 15 15 85" /></svg></span>`;
  const shot = /** @type {Shot} */ (shotAt(view, square, lifted ?? undefined));
  const aimed = shots.some((one) => one.slot === square && one.attack >= one.needed);
  return html`<span class="gc-standing" aria-hidden="true">
    <span class="card" data-card=${royal.card}><${Face} name=${royal.card} /></span>
    <span class="gc-gutter"><span class="gc-pennant"><${Sign} seat=${ownerOf(view, royal.card)} /></span>
      ${
        royal.armour.length > LAYERS
          ? html`<b>+${shot.needed - HEALTH[royal.card[0]]}</b>`
          : royal.armour.map(
              (layer) => html`<b key=${layer} class=${"HD".includes(layer[1]) ? "red" : ""} data-card=${layer}>
                ${short(layer)}</b>`,
            )
      }</span>
    <span class="gc-strength" data-kills=${shot.attack >= shot.needed ? "" : null}>
      <${Icon} name=${aimed ? "skull" : "cannon"} />${shot.attack}<i>/</i>${shot.needed}</span>
  </span>`;
}

/** @param {{board: Board, square: string, tabbable: boolean, look: (square: string | null) => void}} props */
function Square({ board, square, tabbable, look }) {
  const { view, you, shots, marks } = board;
  const royal = view.royals[square];
  const family = royal?.alive ? familyOf(royal.card, view.players) : null;
  const own = family !== null && you !== null && view.families[you] === family;
  const mark = marks[square];
  const moved = mark !== undefined;
  return html`<button type="button" class=${`${isCell(square) ? "gc-cell" : "gc-slot"}${moved ? ` s${mark}` : ""}`}
    data-token=${square} data-part=${part(shots, square)} data-family=${family} data-own=${own ? "" : null}
    data-dead=${royal && !royal.alive ? "" : null} data-last-move=${moved ? "" : null}
    data-may=${board.way(square)} data-hit=${square} aria-pressed=${board.isChosen(square)}
      aria-disabled=${!board.may(square)}
    aria-label=${squareWords(board, square)} tabindex=${tabbable ? 0 : -1} onClick=${() => board.pick(square)}
    onMouseEnter=${() => look(square)} onMouseLeave=${() => look(null)} onFocus=${() => look(square)}
      onBlur=${() => look(null)}>
    ${
      isCell(square)
        ? html`<${Cell} board=${board} square=${square} />`
        : html`<${Slot} board=${board} square=${square} />`
    }
    ${moved ? html`<${Tab} seat=${mark} />` : null}<${Key} board=${board} token=${square} />
  </button>`;
}

const BURST = "M0-34l9 22 20-15-7 24 25 1-21 14 17 18-24-5-4 24-14-20-19 17 3-26-26-1 21-14-14-21 24 8z";

/**
 * Highlighted lines of fire, from the trigger to the edge of the royal's slot.
 * @param {{shots: Shot[]}} props
 */
function Fire({ shots }) {
  const at = (/** @type {string} */ square) => [
    COLUMNS.indexOf(square[0]) * 100 + 50,
    ROWS.indexOf(square[1]) * 100 + 50,
  ];
  return html`<svg class="gc-fire" viewBox="0 0 500 500" preserveAspectRatio="none" aria-hidden="true">
    ${shots.map((shot) => {
      const [[x1, y1], [x, y]] = [at(shot.trigger), at(shot.slot)];
      const [x2, y2] = [x - Math.sign(x - x1) * 50, y - Math.sign(y - y1) * 50];
      const line = `M${x1} ${y1}L${x2} ${y2}`;
      return html`<g key=${shot.slot} data-kills=${shot.attack >= shot.needed ? "" : null}><path class="f1" d=${line} />
        <path class="f2" d=${line} /><path class="f3" d=${line} />
        ${
          shot.attack >= shot.needed
            ? html`<path class="f4" transform=${`translate(${x2} ${y2}) scale(.62)`} d=${BURST} />`
            : null
        }</g>`;
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
    <table class="gc-table" role="table" ref=${table} onKeyDown=${walk}>
      <caption class="hidden">
        ${t("The 3 by 3 grid, columns b to d and rows 2 to 4, with the places for royals around it.")}</caption>
      <thead role="rowgroup"><tr role="row"><td role="cell"></td>${COLUMNS.map(
        (column) => html`<th key=${column} scope="col" role="columnheader"><b>${column}</b></th>`,
      )}</tr></thead>
      <tbody role="rowgroup">${ROWS.map(
        (row) =>
          html`<tr key=${row} role="row"><th scope="row" role="rowheader"><b>${row}</b></th>${COLUMNS.map((column) => {
            const square = column + row;
            const tabbable = square === last || board.may(square);
            return html`<td key=${square} role="cell">
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

const SQUARES = ROWS.flatMap((row) => COLUMNS.map((column) => column + row)).filter(
  (square) => isCell(square) || isSlot(square),
);

/** The board, from the view of a seat or a spectator. @param {Props} props */
export function Board({ view, you, names, legal, choice, choose, replaying, marks = {} }) {
  const [looked, look] = useState(/** @type {string | null} */ (null));
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
  const laying = view.drawn !== null && open.some(({ action }) => action.type === "place");
  /** @type {Board} */
  const board = {
    view,
    marks,
    ghost: laying ? (choice.find(isCell) ?? null) : null,
    you,
    lifted,
    names,
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
    // Armour and switches don't fire, so a selected slot shows no lines; a hovered slot does.
    shots: square && (isCell(square) || !choice.includes(square)) ? shotsFrom(view, square, lifted ?? undefined) : [],
  };
  const seats = view.families.map((_, seat) => seat);
  const mine = you ?? -1;
  const about = square
    ? squareWords(board, square)
    : t(
        "Point at a cell to see which royals it would hit. 11/12 on a royal: its line would do 11 now, and it falls " +
          "at 12.",
      );
  return html`<section class="gc-board" aria-label=${t("Gridcannon board")} data-players=${view.players}>
    <div class="gc-middle"><${Squares} board=${board} look=${look} /></div>
    <div class="gc-them"><${Seats} board=${board} seats=${seats.filter((seat) => seat !== mine)}
      label=${t("Families and ploys")} /><${Queue} board=${board} />
      <p class="gc-look" aria-hidden="true">${about}</p></div>
    <div class="gc-me"><${Piles} board=${board} />${
      you === null ? null : html`<${Seats} board=${board} seats=${[you]} label=${t("Your family and ploys")} />`
    }</div></section>`;
}
