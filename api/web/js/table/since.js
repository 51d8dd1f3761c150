// The strip: what the others did since the reader's own move.
// @ts-check
import { html } from "../vendor.js";
import { Sign, Written } from "../shared/cards.js";
import { t } from "../shared/i18n.js";
import { scene, since, skip } from "./scenes.js";
import * as state from "./state.js";

/** How many moves the strip has room for. */
const LINES = 3;

/** Return the moves as lines: those of one seat in a row are one line. */
function lines() {
  const runs = /** @type {import("./scenes.js").Move[][]} */ ([]);
  for (const move of since.value) {
    const run = runs.at(-1);
    if (run && run[0].mover === move.mover) run.push(move);
    else runs.push([move]);
  }
  return runs.map(lineOf).filter(({ text }) => text);
}

/** @param {import("./scenes.js").Move[]} run */
function lineOf(run) {
  const { brief } = state.ruleset.value ?? {};
  const names = state.names.value;
  const text = run
    .map((move, place) =>
      brief
        ? brief(move.events, { names, last: place === run.length - 1 })
        : move.events
            .map((one) => one.text)
            .filter(Boolean)
            .join(" "),
    )
    .filter(Boolean)
    .join(brief ? "; " : " ");
  const mover = Number(run[0].mover);
  return { version: run[0].version, mover, name: brief ? names[mover] : "", text };
}

export function Since() {
  const moves = lines();
  const last = moves.at(-1);
  return html`<section class="since" aria-label=${t("Since your move")}>
    <h2>${t("Since your move")}</h2>
    ${
      moves.length
        ? html`<ol>${moves.slice(-LINES).map(
            (
              move,
            ) => html`<li key=${move.version} class=${`s${move.mover}${scene.value && move === last ? " now" : ""}`}>
              <${Sign} seat=${move.mover} /> <b>${move.name}</b> <${Written} text=${move.text} /></li>`,
          )}</ol>`
        : null
    }
    ${
      scene.value
        ? html`<button type="button" onClick=${skip}>${t("Skip")} <kbd aria-hidden="true">␣</kbd></button>`
        : null
    }</section>`;
}
