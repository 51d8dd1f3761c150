// Cards, drawn by ourselves: an index, pips of four paths, courts and Jesters as glyphs.
// @ts-check
import { html } from "../vendor.js";
import { cardName } from "./i18n.js";

/** Each in a square of 20 by 20 around 0. @type {Record<string, string>} */
const SUITS = {
  H: "M0 9C-6 4-9.5 1-9.5-3.5A4.7 4.7 0 0 1 0-5.5 4.7 4.7 0 0 1 9.5-3.5C9.5 1 6 4 0 9Z",
  D: "M0-10 7 0 0 10-7 0Z",
  S: "M0-10C4-5 9.5-1.5 9.5 2.5A4.3 4.3 0 0 1 1.8 5Q2 8 4 9.5H-4Q-2 8-1.8 5A4.3 4.3 0 0 1-9.5 2.5C-9.5-1.5-4-5 0-10Z",
  C:
    "M0-10A4.4 4.4 0 0 1 3.6-3 4.4 4.4 0 1 1 1.6 3.8Q2 8 4 9.5H-4Q-2 8-1.6 3.8A4.4 4.4 0 1 1-3.6-3 4.4 " +
    "4.4 0 0 1 0-10Z",
};

/** In a square of 40 by 40 around 0. @type {Record<string, string>} */
const GLYPHS = {
  K: "M-17 14V-7L-9 1 0-14 9 1 17-7V14ZM-1.5-22H1.5V-19.5H4V-17H1.5V-14H-1.5V-17H-4V-19.5H-1.5Z",
  Q:
    "M-15 14-19-6-10 2-6-12 0 0 6-12 10 2 19-6 15 14ZM-6-18A3 3 0 1 1-6-12 3 3 0 1 1-6-18ZM6-18A3 3 0 1 1" +
    " 6-12 3 3 0 1 1 6-18Z",
  J: "M-2.5 20V8H-11V3.5H-2.5V-14L0-20 2.5-14V3.5H11V8H2.5V20Z",
  X:
    "M-16 14C-12 2-10-4-18-8-10-12-5-8-3-3-3-11 0-15 3-18 4-12 6-8 5-3 8-8 13-11 19-7 12-3 12 4 16 " +
    "14ZM-18-11A2.6 2.6 0 1 1-18-5.8 2.6 2.6 0 1 1-18-11ZM3-22A2.6 2.6 0 1 1 3-16.8 2.6 2.6 0 1 1 " +
    "3-22ZM19-10A2.6 2.6 0 1 1 19-4.8 2.6 2.6 0 1 1 19-10Z",
};

/** Where the pips of 2-10 lie, right of the index: columns of 26, 38 and 50, rows from 16 to 68. */
const LEFT = 27,
  MIDDLE = 39,
  RIGHT = 51;
/** @type {Record<string, number[][]>} */
const PIPS = {
  A: [[MIDDLE, 42]],
  2: [
    [MIDDLE, 22],
    [MIDDLE, 62],
  ],
  3: [
    [MIDDLE, 18],
    [MIDDLE, 42],
    [MIDDLE, 66],
  ],
  4: [
    [LEFT, 22],
    [RIGHT, 22],
    [LEFT, 62],
    [RIGHT, 62],
  ],
  5: [
    [LEFT, 20],
    [RIGHT, 20],
    [MIDDLE, 42],
    [LEFT, 64],
    [RIGHT, 64],
  ],
  6: [
    [LEFT, 18],
    [RIGHT, 18],
    [LEFT, 42],
    [RIGHT, 42],
    [LEFT, 66],
    [RIGHT, 66],
  ],
  7: [
    [LEFT, 18],
    [RIGHT, 18],
    [MIDDLE, 30],
    [LEFT, 42],
    [RIGHT, 42],
    [LEFT, 66],
    [RIGHT, 66],
  ],
  8: [
    [LEFT, 18],
    [RIGHT, 18],
    [MIDDLE, 30],
    [LEFT, 42],
    [RIGHT, 42],
    [MIDDLE, 54],
    [LEFT, 66],
    [RIGHT, 66],
  ],
  9: [
    [LEFT, 15],
    [RIGHT, 15],
    [LEFT, 33],
    [RIGHT, 33],
    [MIDDLE, 42],
    [LEFT, 51],
    [RIGHT, 51],
    [LEFT, 69],
    [RIGHT, 69],
  ],
  T: [
    [LEFT, 15],
    [RIGHT, 15],
    [MIDDLE, 24],
    [LEFT, 33],
    [RIGHT, 33],
    [LEFT, 51],
    [RIGHT, 51],
    [MIDDLE, 60],
    [LEFT, 69],
    [RIGHT, 69],
  ],
};

/** Return a card's name for a screen reader: "7 of spades". @param {string} name @param {unknown} [_words] */
export function spoken(name, _words) {
  return cardName(name);
}

/** Return a card's name as it is written in sentences: 7♠. @param {string} name */
export function written(name) {
  if (name.startsWith("X")) return cardName(name);
  return name[0].replace("T", "10") + { C: "♣", D: "♦", H: "♥", S: "♠" }[name[1]];
}

/** A suit's sign alone. @param {{suit: string}} props */
export function Suit({ suit }) {
  return html`<svg class=${`suit suit-${suit}`} viewBox="-11 -11 22 22" aria-hidden="true"><path d=${SUITS[suit]} />
    </svg>`;
}

/** The drawing of a card; its name is said by what is around it. @param {{name: string}} props */
export function Face({ name }) {
  const joker = name.startsWith("X");
  const [rank, suit] = name;
  const glyph = GLYPHS[rank];
  return html`<svg class=${`face suit-${joker ? "X" : suit}`} viewBox="0 0 60 84" aria-hidden="true" focusable="false">
    <rect class="paper" x="1" y="1" width="58" height="82" rx="6" />
    ${
      joker
        ? null
        : html`<text class="rank" x=${rank === "T" ? 11.5 : 11} y="21" text-anchor="middle"
          textLength=${rank === "T" ? 17 : undefined} lengthAdjust="spacingAndGlyphs">${rank === "T" ? "10" : rank}
            </text>
      <path d=${SUITS[suit]} transform="translate(11 33) scale(.68)" />`
    }
    ${
      glyph
        ? html`<path class="glyph" d=${glyph}
          transform=${joker ? "translate(30 42) scale(1.05)" : "translate(37 40) scale(.95)"} />
          ${joker ? null : html`<path d=${SUITS[suit]} transform="translate(37 69) scale(.7)" />`}`
        : PIPS[rank].map(
            ([x, y]) =>
              html`<path d=${SUITS[suit]} transform=${`translate(${x} ${y}) scale(${rank === "A" ? 1.4 : 0.52})`} />`,
          )
    }
  </svg>`;
}

/** The back of a card. */
export function Back() {
  return html`<svg class="face back" viewBox="0 0 60 84" aria-hidden="true" focusable="false">
    <rect class="paper" x="1" y="1" width="58" height="82" rx="6" />
    <path class="weave" d="M8 8H52V76H8ZM8 30 30 8 52 30M8 54 52 10M8 76 52 32M30 76 52 54M52 54 30 76M52 30 8 76" />
  </svg>`;
}

/**
 * A card: a button if something happens when it is pressed, else a picture with its name.
 * @param {{name: string, pressed?: boolean, disabled?: boolean, press?: () => void, label?: string, small?: boolean,
 *   token?: string, title?: string, hint?: string}} props
 */
export function Card({ name, pressed, disabled, press, label, small, token, title }) {
  const size = small ? " small" : "";
  if (!press) {
    return html`<span class=${`card${size}`} role="img" aria-label=${label || cardName(name)} title=${title}>
      <${Face} name=${name} /></span>`;
  }
  // aria-disabled keeps the focus where it is when the board changes; a disabled button would lose it.
  return html`<button type="button" class=${`card${size}`} data-token=${token || name}
    aria-pressed=${pressed ? "true" : "false"}
    aria-disabled=${disabled ? "true" : "false"} aria-label=${label || cardName(name)} title=${title}
    onClick=${() => disabled || press()}><${Face} name=${name} /></button>`;
}
