// Contents of a table's menu.
// @ts-check
import { html } from "../../vendor.js";
import { Choices, rulesLink, toggleColours } from "../../shared/theme_and_language.js";
import { fourColours, saveSetting } from "../../shared/saved.js";
import { addCatalogue, msg, t } from "../../shared/i18n.js";
import { letters, setLetters } from "../keys.js";
import { Setting as Notifications } from "./notify.js";
import { askForHint, dialog, drawer, sound } from "../state.js";
import { pace, PACES, setPace } from "../scenes.js";
import * as state from "../state.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @type {Record<number, string>} */
const PACE_NAMES = { 0: msg("at once"), 300: msg("quick"), 600: msg("normal"), 1200: msg("slow") };

function toggleSound() {
  sound.value = !sound.value;
  saveSetting("sound", sound.value);
}

/** Settings that are stored in this browser. */
function Settings() {
  const check = (/** @type {boolean} */ on, /** @type {() => void} */ change, /** @type {string} */ text) =>
    html`<label class="row">${text} <input type="checkbox" checked=${on} onChange=${change} /></label>`;
  return html`<label class="row">${t("Moves of the others")}
      <select value=${pace.value} onChange=${(/** @type {any} */ { currentTarget }) => setPace(+currentTarget.value)}>
        ${PACES.map((one) => html`<option value=${one}>${t(PACE_NAMES[one])}</option>`)}</select></label>
    ${check(fourColours.value, toggleColours, t("Suits in four colours"))}
    ${check(sound.value, toggleSound, t("Sound"))}
    <${Notifications} />
    ${check(letters.value, () => setLetters(!letters.value), t("Keys that are single letters"))}`;
}

/** @param {{lesson: boolean}} props */
export function Sheet({ lesson }) {
  const { ruleset, you, status } = state.game.value;
  return html`${
    state.isMine.value && !lesson
      ? html`<button type="button" onClick=${askForHint}>${t("What would an AI do?")}</button>`
      : null
  }
        <button type="button" onClick=${() => (drawer.value = !drawer.value)}>${t("Game log")}</button>
        <button type="button" onClick=${() => (dialog.value = "keys")}>${t("Keys and legend")} <kbd>?</kbd></button>
        <a class="button" href=${rulesLink(ruleset)} target="_blank" rel="noopener">${t("Rules")}</a>
        ${
          state.client.token && !lesson
            ? html`<button type="button" onClick=${() => (dialog.value = "device")}>${t("Continue on another device")}
            </button>`
            : null
        }
        ${
          you != null && status === "active" && !lesson
            ? html`<button type="button" onClick=${() => (dialog.value = "leave")}>${t("Leave the game")}</button>`
            : null
        }
        <${Settings} /><div class="row"><${Choices} /></div>`;
}
