// A notification when it is the reader's turn while the page is hidden.
// @ts-check
import { effect, html, signal } from "../../vendor.js";
import { addCatalogue, rulesetTitle, t } from "../../shared/i18n.js";
import { saveSetting, setting } from "../../shared/saved.js";
import * as state from "../state.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** Whether this browser can show notifications: over TLS, or on this machine. */
const canNotify = "Notification" in globalThis && globalThis.isSecureContext;
const notifies = signal(canNotify && setting("notify", false));

/** @param {boolean} on */
function keep(on) {
  notifies.value = on;
  saveSetting("notify", on);
}

/** Switch notifications on, if the reader allows them, or off. */
async function toggleNotifications() {
  keep(!notifies.value && (await Notification.requestPermission()) === "granted");
}

/** @param {string} ruleset @param {string} id */
function show(ruleset, id) {
  try {
    const looks = { body: rulesetTitle(ruleset), icon: "/static/icon-192.png", tag: id };
    const shown = new Notification(t("Your turn"), looks);
    shown.onclick = () => {
      globalThis.focus();
      shown.close();
    };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    keep(false); // phones only show notifications of service workers
  }
}

let wasMine = false;
effect(() => {
  const game = state.game.value;
  const mine = game?.you != null && game.to_act.includes(game.you);
  if (mine && !wasMine && notifies.peek() && document.hidden) show(game.ruleset, game.id);
  wasMine = mine;
});

/** Setting in the menu, where notifications can be shown. */
export const Setting = () =>
  canNotify
    ? html`<label class="row">${t("Notification on your turn")}
      <input type="checkbox" checked=${notifies.value} onChange=${toggleNotifications} /></label>`
    : null;
