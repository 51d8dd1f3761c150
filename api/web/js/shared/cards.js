// Drawings of cards: a face with pips, and one for cards narrower than 64 px.
// @ts-check
import { html } from "../vendor.js";
import { cardName } from "./i18n.js";

/**
 * Put a file of SVG symbols into the page, so that `<use href="#name">` finds them.
 * @param {string} address
 */
async function loadSymbols(address) {
  const response = await fetch(address).catch(() => null);
  if (!response) return void setTimeout(() => loadSymbols(address).catch(console.error), LATE_MS); // retry later
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  const { documentElement } = new DOMParser().parseFromString(await response.text(), "image/svg+xml");
  document.body.append(document.importNode(documentElement, true));
}
/** Milliseconds after which the page loads what its first paint doesn't need. */
export const LATE_MS = 1500;

/** Load icons after the page is drawn, because they only decorate it. @param {string} address */
export const loadIcons = (address) =>
  setTimeout(() => loadSymbols(address).catch((error) => console.error(error)), LATE_MS);

// A failure is only logged: cards can be read without their figures.
loadSymbols("/static/pictures/cards.svg").catch((error) => console.error(error));
loadIcons("/static/pictures/animals.svg");

/** SVG paths of suits, in a square of 20 by 20 around 0. @type {Record<string, string>} */
const SUITS = {
  H: "M0 9C-6 4-9.5 1-9.5-3.5A4.7 4.7 0 0 1 0-5.5 4.7 4.7 0 0 1 9.5-3.5C9.5 1 6 4 0 9Z",
  D: "M0-10 7 0 0 10-7 0Z",
  S: "M0-10C4-5 9.5-1.5 9.5 2.5A4.3 4.3 0 0 1 1.8 5Q2 8 4 9.5H-4Q-2 8-1.8 5A4.3 4.3 0 0 1-9.5 2.5C-9.5-1.5-4-5 0-10Z",
  C:
    "M0-10A4.4 4.4 0 0 1 3.6-3 4.4 4.4 0 1 1 1.6 3.8Q2 8 4 9.5H-4Q-2 8-1.6 3.8A4.4 4.4 0 1 1-3.6-3 4.4 " +
    "4.4 0 0 1 0-10Z",
};
/** @type {Record<string, string>} */
const SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };

/** y of the pips in the outer and the middle columns; those in the lower half are upside down. */
const PIPS = /** @type {Record<string, [number[], number[]]>} */ ({
  2: [[], [26, 114]],
  3: [[], [26, 70, 114]],
  4: [[30, 110], []],
  5: [[30, 110], [70]],
  6: [[28, 70, 112], []],
  7: [[28, 70, 112], [49]],
  8: [
    [28, 70, 112],
    [49, 91],
  ],
  9: [[24, 55, 86, 117], [70]],
  T: [
    [24, 55, 86, 117],
    [40, 101],
  ],
});

/** Return a rank as it is written. @param {string} rank */
const rankText = (rank) => (rank === "T" ? "10" : rank);

/** Return a card as it is written in sentences: 7♠. @param {string} name */
export function written(name) {
  return name.startsWith("X") ? cardName(name) : rankText(name[0]) + SIGNS[name[1]];
}

/** Classes by which a suit is coloured. @param {string} suit */
const coloured = (suit) => (suit === "H" || suit === "D" ? `${suit} red` : suit);

/** Sign of a suit, as SVG. @param {{suit: string}} props */
export function Suit({ suit }) {
  return html`<svg class=${`suit ${coloured(suit)}`} viewBox="-11 -11 22 22" aria-hidden="true">
    <path d=${SUITS[suit]} /></svg>`;
}

/** Sentence in which cards such as 7♠ are coloured. @param {{text: string}} props */
export function Written({ text }) {
  return text
    .split(/((?:10|[2-9AJQK])[♣♦♥♠])/)
    .map((part, place) =>
      place % 2 ? html`<span class=${`cn ${coloured("CDHS"["♣♦♥♠".indexOf(part.slice(-1))])}`}>${part}</span>` : part,
    );
}

/** Sign of a seat: circle, square, triangle or hexagon. @param {{seat: number}} props */
export function Sign({ seat }) {
  const paths = [
    "M10 1.5a8.5 8.5 0 1 1 0 17a8.5 8.5 0 1 1 0-17Z",
    "M2 2H18V18H2Z",
    "M10 1 19.4 18H.6Z",
    "M10 .5 18.4 5.3V14.7L10 19.5 1.6 14.7V5.3Z",
  ];
  return html`<svg class=${`sign s${seat}`} viewBox="0 0 20 20" aria-hidden="true"><path d=${paths[seat]} /></svg>`;
}

/** Icon from a loaded file of symbols. @param {{name: string}} props */
export const Icon = ({ name }) =>
  html`<svg class="ic" viewBox="0 0 512 512" aria-hidden="true"><use href=${`#i-${name}`} /></svg>`;

/** @param {{rank: string, suit: string, x: number, y: number, size: number}} props */
function Rank({ rank, x, y, size }) {
  const wide = rank === "T";
  return html`<text x=${x} y=${y} font-size=${size} textLength=${wide ? size * 0.76 : undefined}
    lengthAdjust="spacingAndGlyphs">${rankText(rank)}</text>`;
}

/**
 * Suit in a square, as a path: the browser draws it several times as fast as a `<use>`.
 * @param {{suit: string, x: number, y: number, size: number}} props
 */
const Pip = ({ suit, x, y, size }) => html`<path d=${SUITS[suit]}
  transform=${`translate(${x + size / 2} ${y + size / 2}) scale(${size / 22})`} />`;

/** Rank and suit in the upper left corner. @param {{rank: string, suit: string}} props */
const Index = ({ rank, suit }) =>
  html`<${Rank} rank=${rank} x=${13.5} y=${28} size=${28} /><${Pip} suit=${suit} x=${5.5} y=${33} size=${16} />`;

/** King, Queen or Jack. @param {{rank: string, suit: string}} props */
function Court({ rank, suit }) {
  return html`<use href=${`#c-${rank}${suit}`} />
    <g class="full"><${Index} rank=${rank} suit=${suit} />
      <path d="M80 140V109a6 6 0 0 1 6-6H100V140Z" fill="#fffaf0" />
      <g transform="rotate(180 50 70)"><${Rank} rank=${rank} x=${11} y=${22} size=${20} />
        <${Pip} suit=${suit} x=${4.5} y=${24} size=${12} /></g></g>
    <g class="tiny"><path d="M0 0H32V52a8 8 0 0 1-8 8H0Z" fill="#fffaf0" />
      <${Rank} rank=${rank} x=${16} y=${33} size=${38} /><${Pip} suit=${suit} x=${5} y=${36} size=${22} /></g>`;
}

/** Ace with its animal. @param {{suit: string}} props */
function Ace({ suit }) {
  return html`<g class="full"><${Index} rank="A" suit=${suit} />
      <use href=${`#a-${suit}`} x="18" y="34" width="68" height="68" /><${Pip} suit=${suit} x=${40} y=${106}
        size=${20} />
      <g transform="rotate(180 50 70)"><${Index} rank="A" suit=${suit} /></g></g>
    <g class="tiny"><${Rank} rank="A" x=${20} y=${40} size=${46} /><${Pip} suit=${suit} x=${58} y=${10} size=${34} />
      <use href=${`#a-${suit}`} x="14" y="54" width="74" height="74" /></g>`;
}

/** Card with a number. @param {{rank: string, suit: string}} props */
function Numbered({ rank, suit }) {
  const [outer, middle] = PIPS[rank];
  const places = [
    ...outer.flatMap((y) => [
      [37, y],
      [64, y],
    ]),
    ...middle.map((y) => [50.5, y]),
  ];
  return html`<g class="full"><${Index} rank=${rank} suit=${suit} />
      ${places.map(
        ([x, y]) => html`<path key=${`${x} ${y}`} d=${SUITS[suit]}
          transform=${`translate(${x} ${y}) scale(${y > 70 ? -0.72 : 0.72})`} />`,
      )}
      <g transform="rotate(180 50 70)"><${Index} rank=${rank} suit=${suit} /></g></g>
    <g class="tiny"><${Rank} rank=${rank} x=${rank === "T" ? 30 : 25} y=${54} size=${60} />
      <${Pip} suit=${suit} x=${30} y=${66} size=${62} /></g>`;
}

/** Jester, with his name below. @param {{title?: string}} props */
const Fool = ({ title }) => html`<rect x="7" y="7" width="86" height="126" rx="6" fill="none" stroke="#7a2331"
    stroke-width="2" /><use href="#i-jester" x="14" y="28" width="72" height="72" fill="#7a2331" />
  <text x="50" y="122" font-size="21" fill="#4c121d">${title ?? cardName("X")}</text>`;

/**
 * Face of a card. It has no accessible name, because the element around it has one.
 * @param {{name: string, title?: string}} props
 */
export function Face({ name, title }) {
  const [rank, suit] = name;
  const joker = rank === "X";
  return html`<svg class=${`face ${joker ? "X" : coloured(suit)}`} viewBox="0 0 100 140" aria-hidden="true"
    focusable="false">${
      joker
        ? html`<${Fool} title=${title} />`
        : rank === "A"
          ? html`<${Ace} suit=${suit} />`
          : rank in PIPS
            ? html`<${Numbered} rank=${rank} suit=${suit} />`
            : html`<${Court} rank=${rank} suit=${suit} />`
    }</svg>`;
}

/** Back of a card. */
export const Back = () => html`<span class="back" aria-hidden="true"></span>`;

/**
 * A card: a button if `press` is given, else an image with a name. `mark`: the seat whose last move changed the card.
 * @param {{name: string, pressed?: boolean, disabled?: boolean, press?: () => void, label?: string, token?: string,
 *   title?: string, mark?: number | null, cost?: boolean}} props
 */
export function Card({ name, pressed, disabled, press, label, token, title, mark = null, cost }) {
  const look = `card${mark === null ? "" : ` s${mark}`}`;
  const moved = mark === null ? undefined : "";
  const drawn = html`<${Face} name=${name} title=${title} />${mark === null ? null : html`<${Tab} seat=${mark} />`}`;
  if (!press) {
    return html`<span class=${look} role="img" aria-label=${label || cardName(name)} data-card=${name}
      data-last-move=${moved} data-cost=${cost ? "" : undefined}>${drawn}</span>`;
  }
  // aria-disabled, because a disabled button would lose the focus when the board changes.
  return html`<button type="button" class=${look} data-token=${token || name} data-card=${name}
    aria-pressed=${pressed ? "true" : "false"} aria-disabled=${disabled ? "true" : "false"}
    aria-label=${label || cardName(name)} data-last-move=${moved} data-cost=${cost ? "" : undefined}
    onClick=${() => disabled || press()}>${drawn}</button>`;
}

/** Sign of the seat that moved last, drawn on a card that this seat moved. @param {{seat: number}} props */
export const Tab = ({ seat }) => html`<span class=${`tab s${seat}`} aria-hidden="true"><${Sign} seat=${seat} /></span>`;
