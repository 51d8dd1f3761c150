// The end of a game: what is said of it is loaded then.
// @ts-check
import { html } from "../vendor.js";
import { ending } from "./replay.js";
import { isAway, past } from "./state.js";
import * as state from "./state.js";

/**
 * The one element that says how the game ended: empty until then.
 * @param {{lesson: boolean, look: () => void}} props
 */
export function End({ lesson, look }) {
  const over = state.isOver.value && !lesson ? ending.value : null;
  const shown = over && !isAway.value && past.value === null;
  return html`<div role="status" class=${shown ? "veil" : "hidden"} data-end=${over?.endKind(state.game.value)}>
    ${shown ? html`<${over.Panel} look=${look} />` : null}</div>`;
}
