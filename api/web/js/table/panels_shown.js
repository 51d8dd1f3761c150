// State of the dialog and of the drawer beside the table: which is open.
// @ts-check
import { signal } from "../vendor.js";
import { setting } from "../shared/saved.js";
import { msg } from "../shared/i18n.js";
import * as state from "./state.js";

export const DIALOGS = {
  keys: msg("Keys and legend"),
  device: msg("Continue on another device"),
  leave: msg("Leave the game"),
};
export const dialog = signal(/** @type {keyof typeof DIALOGS | null} */ (null));
/** True while log, hints and replay are shown. */
export const drawer = signal(false);
/** Windows in which the drawer lies beside the table, not over it. */
export const WIDE = "(min-width: 900px) and (min-height: 560px)";
export const sound = signal(setting("sound", false));

/** Open the drawer, and ask what an AI would do. */
export function askForHint() {
  drawer.value = true;
  state.requestHint();
}
