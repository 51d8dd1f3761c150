// The top bar: the game, the seats, and the menu.
// @ts-check
import { html, signal, useEffect, useState } from "../vendor.js";
import { Sign } from "../shared/cards.js";
import { Choices, fourColours, rulesLink, toggleColours } from "../shared/page.js";
import { saveSetting, setting } from "../shared/saved.js";
import { msg, rulesetTitle, t } from "../shared/i18n.js";
import { letters, setLetters } from "./keys.js";
import { marks, pace, PACES, setPace, shownGame } from "./scenes.js";
import * as state from "./state.js";

export const DIALOGS = {
  keys: msg("Keys and legend"),
  device: msg("Continue on another device"),
  leave: msg("Leave the game"),
};
export const dialog = signal(/** @type {keyof typeof DIALOGS | null} */ (null));
/** True while log, hints and replay are shown. */
export const drawer = signal(false);
export const sound = signal(setting("sound", false));
/** Module of notifications, loaded after the first paint. */
const notify = signal(/** @type {typeof import("./notify.js") | null} */ (null));
addEventListener("load", () =>
  setTimeout(() => import("./notify.js").then((it) => (notify.value = it)).catch(state.showError), 1000),
);

/** @type {Record<number, string>} */
const PACE_NAMES = { 0: msg("at once"), 300: msg("quick"), 600: msg("normal"), 1200: msg("slow") };

function Clock() {
  const { deadline } = state.game.value;
  const [, tick] = useState(0);
  useEffect(() => {
    if (!deadline) return undefined;
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, [deadline]);
  if (!deadline) return null;
  const left = Math.max(0, Math.round((Date.parse(deadline) - Date.now()) / 1000));
  return html`<span class="clock" role="timer">${t("{n} s left", { n: left })}</span>`;
}

function Seats() {
  const { seats, you } = state.game.value;
  const { to_act, view } = shownGame.value;
  return html`<ol class="seats" aria-label=${t("Players")}>${seats.map((/** @type {any} */ seat) => {
    const now = to_act.includes(seat.seat);
    const kind = seat.kind === "ai" && seat.name ? t("AI, {level}", { level: t(seat.level) }) : "";
    const note = view && state.ruleset.value?.seatNote?.(view, seat.seat, you);
    return html`<li key=${seat.seat} class=${`seat s${seat.seat}`} data-seat=${seat.seat}
      data-last-move=${`seat:${seat.seat}` in marks.value ? "" : undefined} aria-current=${now ? "true" : undefined}>
      <${Sign} seat=${seat.seat} /><b>${state.names.value[seat.seat]}${
        seat.seat === you ? html`<span class="hidden"> (${t("you")})</span>` : ""
      }</b>
      ${now ? html`<span class="turn">· ${t("to play")}</span>` : null}
      ${kind && html`<span class="n level">${kind}</span>`}${note ? html`<span class="n">${note}</span>` : null}</li>`;
  })}</ol>`;
}

/** Close the menu at a click in or outside it, and at Escape. @param {HTMLDetailsElement | null} menu */
function closeMenu(menu) {
  menus.abort();
  if (!menu) return;
  menus = new AbortController();
  const { signal } = menus;
  const onClick = (/** @type {MouseEvent} */ { target }) => {
    const inside = /** @type {Element} */ (target).closest?.(".menu");
    if (!inside || /** @type {Element} */ (target).closest(".sheet a, .sheet button")) menu.open = false;
  };
  const onKey = (/** @type {KeyboardEvent} */ { key }) => {
    if (key === "Escape") menu.open = false;
  };
  addEventListener("click", onClick, { signal });
  addEventListener("keydown", onKey, { signal });
}
let menus = new AbortController();

/** Open the drawer, and ask what an AI would do. */
export function askForHint() {
  drawer.value = true;
  state.requestHint();
}

function toggleSound() {
  sound.value = !sound.value;
  saveSetting("sound", sound.value);
}

/** Settings that belong to this browser. */
function Settings() {
  const check = (/** @type {boolean} */ on, /** @type {() => void} */ change, /** @type {string} */ text) =>
    html`<label class="row">${text} <input type="checkbox" checked=${on} onChange=${change} /></label>`;
  return html`<label class="row">${t("Moves of the others")}
      <select value=${pace.value} onChange=${(/** @type {any} */ { currentTarget }) => setPace(+currentTarget.value)}>
        ${PACES.map((one) => html`<option value=${one}>${t(PACE_NAMES[one])}</option>`)}</select></label>
    ${check(fourColours.value, toggleColours, t("Suits in four colours"))}
    ${check(sound.value, toggleSound, t("Sound"))}
    ${notify.value ? html`<${notify.value.Setting} />` : null}
    ${check(letters.value, () => setLetters(!letters.value), t("Keys that are single letters"))}`;
}

/** @param {{lesson: boolean}} props */
export function Top({ lesson }) {
  const { ruleset, you, status } = state.game.value;
  return html`<header class="top">
    <p class="brand display"><a href="/" aria-label=${`${rulesetTitle(ruleset)}: ${t("All games")}`}>
      <img src="/static/icon.svg" alt="" /><span>${rulesetTitle(ruleset)}</span></a></p>
    <${Seats} /><${Clock} />
    <nav class="tools" aria-label=${t("More")}>
      ${
        state.isMine.value && !lesson
          ? html`<button type="button" onClick=${askForHint}>${t("Hint")} <kbd aria-hidden="true">H</kbd></button>`
          : null
      }
      <button type="button" aria-expanded=${drawer.value ? "true" : "false"}
        onClick=${() => (drawer.value = !drawer.value)}>${t("Log")} <kbd aria-hidden="true">L</kbd></button>
      <details class="menu" ref=${closeMenu}><summary class="button" aria-label=${t("Menu")}>
        <svg viewBox="0 0 20 16" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"
          aria-hidden="true"><path d="M2 2H18M2 8H18M2 14H18" /></svg></summary><div class="panel sheet">
        ${
          state.isMine.value && !lesson
            ? html`<button type="button" onClick=${askForHint}>${t("What would an AI do?")}</button>`
            : null
        }
        <button type="button" onClick=${() => (drawer.value = !drawer.value)}>${t("Game log")}</button>
        <button type="button" onClick=${() => (dialog.value = "keys")}>${t("Keys and legend")} <kbd>?</kbd></button>
        <a class="button" href=${rulesLink(ruleset)} target="_blank" rel="noopener">${t("Rules")}</a>
        ${
          state.client.token
            ? html`<button type="button" onClick=${() => (dialog.value = "device")}>${t("Continue on another device")}
            </button>`
            : null
        }
        ${
          you != null && status === "active" && !lesson
            ? html`<button type="button" onClick=${() => (dialog.value = "leave")}>${t("Leave the game")}</button>`
            : null
        }
        <${Settings} /><div class="row"><${Choices} /></div>
      </div></details>
    </nav>
  </header>`;
}
