// Playback of a game step by step: the current step, the speed, and the link to a step.
// @ts-check
import { computed, effect, signal } from "../vendor.js";
import * as state from "./state.js";
import { forward, goToVersion, past } from "./state.js";

/** Milliseconds for a step at normal speed. */
const STEP_MS = 1200;
/** Speeds and their labels. @type {[number, string][]} */
export const SPEEDS = [
  [0.5, "½"],
  [1, "1"],
  [2, "2"],
];
export const speed = signal(1);
export const playing = signal(false);
/** The version that is shown. */
export const at = computed(() => past.value ?? state.game.value?.version ?? 0);

function step() {
  if (past.value !== null && past.value < state.game.value.version) forward();
  if (past.value === null || past.value >= state.game.value.version) playing.value = false;
}
effect(() => {
  if (!playing.value) return undefined;
  const timer = setInterval(step, STEP_MS / speed.value);
  return () => clearInterval(timer);
});

/** Play the game back from the shown step, or from the first step if the last one is shown. */
export function play() {
  if (at.value >= state.game.value.version) goToVersion(0);
  playing.value = true;
}

/** Return the link to a step, which carries no token. @param {string} id @param {number} version */
export const stepLink = (id, version) => `${location.origin}/play#${id}@${version}`;
