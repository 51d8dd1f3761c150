// Which version of the game is shown, and as which seat sees it.
// @ts-check
import { effect, signal } from "../vendor.js";
import * as state from "./state.js";

/** The earlier version that is shown; null: the present. */
export const past = signal(/** @type {number | null} */ (null));
export const pastView = signal(/** @type {any} */ (null));
/** With whose viewpoint, after the end; null: one's own. */
export const viewpoint = signal(/** @type {number | null} */ (null));

/** Views that were asked for, the newest last. @type {Map<string, any>} */
const views = new Map();
const MOST = 200;

let asked = 0;
effect(() => {
  const version = past.value;
  const number = ++asked;
  if (version === null) {
    pastView.value = null;
    return;
  }
  const { id } = state.game.peek();
  const key = `${id}/${version}/${viewpoint.value}`;
  const seat = viewpoint.value === null ? "" : `?seat=${viewpoint.value}`;
  if (views.has(key)) {
    pastView.value = views.get(key);
    return;
  }
  state.client
    .ask(`/v1/games/${id}/views/${version}${seat}`)
    .then((read) => {
      views.set(key, read.view);
      if (views.size > MOST) views.delete([...views.keys()][0]);
      if (number === asked) pastView.value = read.view;
    })
    .catch(state.showError);
});

/** Another table: nothing of the last one stays. */
export function returnToPresent() {
  past.value = null;
  viewpoint.value = null;
}

/** @param {number} to */
export function goToVersion(to) {
  const last = state.game.value.version;
  past.value = to >= last && !state.isOver.value ? null : Math.min(Math.max(to, 0), last);
}

export function back() {
  if (state.game.value) goToVersion((past.value ?? state.game.value.version) - 1);
}

export function forward() {
  if (past.value !== null) goToVersion(past.value + 1);
}
