// Where the end of a game is said: empty until then.
// @ts-check
import { effect, html, signal } from "../vendor.js";
import { past } from "./state.js";
import * as state from "./state.js";

/** True once the reader has put the panel away, to look at the table. */
export const isAway = signal(false);

/** Return the seats that have won. @param {any} outcome @returns {number[]} */
const winnersOf = (outcome) => outcome?.winners || (outcome?.winner == null ? [] : [outcome.winner]);

/** Return what the end is for the reader: the value of `data-end`. @param {any} game */
export function kindOf({ outcome, status, you }) {
  if (status === "abandoned") return "abandoned";
  if (you == null) return "watched";
  const winners = winnersOf(outcome);
  if (winners.length) return winners.includes(you) ? "won" : "lost";
  return ["won", "lost"].includes(outcome?.result) ? outcome.result : "drawn";
}

const panel = signal(/** @type {typeof import("./end_panel.js") | null} */ (null));
effect(() => {
  if (state.isOver.value && !panel.value)
    import("./end_panel.js").then((loaded) => (panel.value = loaded)).catch(state.showError);
});

/** The one element that says how the game ended: empty until then. @param {{lesson: boolean, look: () => void}} props */
export function End({ lesson, look }) {
  const over = state.isOver.value && !lesson;
  const shown = over && !isAway.value && past.value === null;
  return html`<div role="status" class=${shown ? "veil" : "hidden"} data-end=${over ? kindOf(state.game.value) : undefined}>
    ${shown && panel.value ? html`<${panel.value.Panel} look=${look} kind=${kindOf(state.game.value)} />` : null}</div>`;
}
