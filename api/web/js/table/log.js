// Game log.
// @ts-check
import { html, useEffect, useRef } from "../vendor.js";
import * as state from "./state.js";
import { t } from "../shared/i18n.js";

/** @param {{open: boolean}} props */
export function Log({ open }) {
  const box = useRef(/** @type {any} */ (null));
  const { you } = state.game.value;
  // Cards dealt to others are left out, because they tell the reader nothing.
  const told = state.events.value.filter((one) => one.text && (one.type !== "dealt" || one.seat === you));
  const last = told[told.length - 1];
  useEffect(() => {
    box.current.scrollTop = box.current.scrollHeight;
  }, [last]);
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
    ${isSetUp ? `${text} ${t("Setting up the board:")}` : text}</p>`;
}
