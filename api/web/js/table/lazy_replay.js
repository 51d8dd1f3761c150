// Loads the replay of earlier versions when needed, and the modules of ../review after the end of the game.
// @ts-check
import { effect, html, signal } from "../vendor.js";
import { drawer, isAway, past } from "./state.js";
import * as state from "./state.js";

/** Module for games that have ended. */
export const ending = signal(/** @type {typeof import("../review/after_game.js") | null} */ (null));
/** Module of the slider and its buttons. */
const player = state.loadedWhen(
  () => drawer.value || past.value !== null || state.isOver.value,
  () => import("./panels/replay_controls.js"),
);
async function loadEnding() {
  const loaded = await import("../review/after_game.js");
  await loaded.loadEnd();
  ending.value = loaded;
}
effect(() => {
  if (!state.isOver.value || !state.ruleset.value) return;
  // If the game ended while this page was open, the log holds only the last events: load all events.
  if ((state.events.peek()[0]?.version ?? 0) > 0) state.fetchLog().catch(state.showError);
  if (!ending.value) loadEnding().catch(state.showError);
});

/** Slider, buttons and speeds. */
export const Player = () => (player.value ? html`<${player.value.Player} />` : null);

/** Panel of the replay. @param {{lesson: boolean}} props */
export const Replay = ({ lesson }) =>
  player.value ? html`<${player.value.Replay} over=${lesson ? null : ending.value} />` : null;

/**
 * The panel that says how the game ended. It is empty before the end.
 * @param {{lesson: boolean, look: () => void}} props
 */
export function End({ lesson, look }) {
  const over = state.isOver.value && !lesson ? ending.value : null;
  const shown = over && !isAway.value && past.value === null;
  return html`<div role="status" class=${shown ? "veil" : "hidden"} data-end=${over?.endKind(state.game.value)}>
    ${shown ? html`<${over.Panel} look=${look} />` : null}</div>`;
}
