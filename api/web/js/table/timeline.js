// The version of the game that is shown, and the seat from whose view.
// @ts-check
import { effect, signal } from "../vendor.js";
import * as state from "./state.js";

/** The earlier version that is shown; null for the present. */
export const past = signal(/** @type {number | null} */ (null));
export const pastView = signal(/** @type {any} */ (null));
/** The seat from whose view the replay is shown; null for the reader's own. */
export const viewpoint = signal(/** @type {number | null} */ (null));

/** Cache of views, newest last. @type {Map<string, any>} */
const views = new Map();
const MAX_CACHED_VIEWS = 200;

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
      if (views.size > MAX_CACHED_VIEWS) views.delete([...views.keys()][0]);
      if (number === asked) pastView.value = read.view;
    })
    .catch(state.showError);
});

/** Reset for another table. */
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
