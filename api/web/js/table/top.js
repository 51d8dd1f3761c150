// The top bar: the game, the seats, and the menu.
// @ts-check
import { html, signal, useEffect, useState } from "../vendor.js";
import { Sign } from "../shared/cards.js";
import { rulesetTitle, t } from "../shared/i18n.js";
import { askForHint, drawer } from "./state.js";
import { marks, shownGame } from "./scenes.js";
import * as state from "./state.js";

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
      ${now ? html`<span class="turn">· ${seat.seat === you ? t("your turn") : t("to play")}</span>` : null}
      ${kind && html`<span class="n level">${kind}</span>`}${note ? html`<span class="n">${note}</span>` : null}</li>`;
  })}</ol>`;
}

/** Module of the menu's contents, loaded when the menu is first opened. */
const menu = signal(/** @type {typeof import("./panels/menu.js") | null} */ (null));
function loadMenu() {
  if (!menu.value) import("./panels/menu.js").then((loaded) => (menu.value = loaded)).catch(state.showError);
}

/** Close the menu after a click inside or outside it, and on Escape. @param {HTMLDetailsElement | null} menu */
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

/** @param {{lesson: boolean}} props */
export function Top({ lesson }) {
  const { ruleset, you } = state.game.value;
  return html`<header class="top">
    <p class="brand display"><a href="/" aria-label=${`${rulesetTitle(ruleset)}: ${t("All games")}`}>
      <img src="/static/icon.svg" alt="" /><span>${rulesetTitle(ruleset)}</span></a></p>
    <${Seats} /><${Clock} />
    <nav class="tools" aria-label=${t("More")}>
      ${
        you != null && !state.isOver.value && !lesson
          ? html`<button type="button" disabled=${!state.isMine.value}
            onClick=${askForHint}>${t("Hint")} <kbd aria-hidden="true">H</kbd></button>`
          : null
      }
      <button type="button" aria-expanded=${drawer.value ? "true" : "false"}
        onClick=${() => (drawer.value = !drawer.value)}>${t("Log")} <kbd aria-hidden="true">L</kbd></button>
      <details class="menu" ref=${closeMenu} onToggle=${loadMenu}><summary class="button" aria-label=${t("Menu")}>
        <svg viewBox="0 0 20 16" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"
          aria-hidden="true"><path d="M2 2H18M2 8H18M2 14H18" /></svg></summary><div class="panel sheet">
        ${menu.value ? html`<${menu.value.Sheet} lesson=${lesson} />` : null}
      </div></details>
    </nav>
  </header>`;
}
