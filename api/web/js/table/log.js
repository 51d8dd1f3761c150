// The game log, and the strip that lists the moves of other players since the reader's last move.
// @ts-check
import { html, useEffect, useRef } from "../vendor.js";
import { Sign, Written } from "../shared/cards.js";
import { showing, since, skip } from "./scenes.js";
import * as state from "./state.js";
import { t } from "../shared/i18n.js";

/** @param {{open: boolean}} props */
export function Log({ open }) {
  const box = useRef(/** @type {any} */ (null));
  const { you } = state.game.value;
  const { value: past } = state.past;
  // Leave out cards dealt to other players.
  const told = state.events.value.filter((one) => one.text && (one.type !== "dealt" || one.seat === you));
  const last = told[told.length - 1];
  useEffect(() => {
    const { current: log } = box;
    const line = log.querySelector("[aria-current]") ?? log.lastChild;
    log.scrollTop += line.getBoundingClientRect().bottom - log.getBoundingClientRect().bottom;
  }, [last, open, past]);
  return html`<section class="panel logbox"><h2 id="log-name">${t("Game log")}</h2>
    <div class="log" id="log" role="log" aria-labelledby="log-name" tabindex=${open ? 0 : undefined} ref=${box}>
      ${
        told.length
          ? told.map((_, index) => html`<${Line} key=${keyOf(told, index)} told=${told} index=${index} />`)
          : html`<p class="quiet">${t("Nothing yet")}</p>`
      }
    </div></section>`;
}

/**
 * Return a key that stays the same when older events are dropped: version, type, and place within the version.
 * @param {any[]} told
 * @param {number} index
 */
function keyOf(told, index) {
  const { version, type } = told[index];
  return `${version}.${type}.${index - told.findIndex((other) => other.version === version)}`;
}

/** @param {{told: any[], index: number}} props */
function Line({ told, index }) {
  const { text, type, version } = told[index];
  const isCurrent = version === (state.past.value ?? state.game.value.version) && told[index + 1]?.version !== version;
  const isSetUp = type === "started" && told[index + 1]?.version === version;
  return html`<p class=${type === "turn_began" ? "turn" : ""} aria-current=${isCurrent ? "step" : undefined}>
    ${isSetUp ? `${text} ${t("Set-up:")}` : text}</p>`;
}

/** Number of lines for which the strip has room. A line may hold several moves of one seat. */
const LINES = 3;

/** Return the moves of other players as lines. Consecutive moves of one seat share a line. */
function lines() {
  const runs = /** @type {import("./scenes.js").Move[][]} */ ([]);
  for (const move of since.value) {
    const run = runs.at(-1);
    if (run && run[0].mover === move.mover) run.push(move);
    else runs.push([move]);
  }
  return runs.map(lineOf).filter(({ text }) => text);
}

/** Return consecutive moves of one seat as one line. @param {import("./scenes.js").Move[]} run */
export function lineOf(run) {
  const { brief } = state.ruleset.value ?? {};
  const names = state.names.value;
  const { you } = state.game.value;
  const text = run
    .map((move, place) =>
      brief
        ? brief(move.events, { names, you, last: place === run.length - 1, before: move.before })
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
            ) => html`<li key=${move.version} class=${`s${move.mover}${showing.value && move === last ? " now" : ""}`}>
              <${Sign} seat=${move.mover} /> <b>${move.name}</b> <${Written} text=${move.text} /></li>`,
          )}</ol>`
        : null
    }
    ${
      showing.value
        ? html`<button type="button" onClick=${skip}>${t("Skip")} <kbd aria-hidden="true">␣</kbd></button>`
        : null
    }</section>`;
}
