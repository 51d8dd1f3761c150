// Which key does what, for who asks.
// @ts-check
import { html } from "./vendor.js";
import { addWords, t } from "./words.js";

addWords({
  en: {
    "key.digits": "choose a card or a cell, or take it back", "key.arrows": "go from one to the next", "key.space": "select the focused card",
    "key.enter": "confirm", "key.hint": "ask for a hint", "key.log": "go to the log", "key.time": "previous or next step", "key.help": "this list", "key.escape": "clear the selection",
  },
  es: {
    "key.digits": "elegir una carta o una casilla, o dejarla", "key.arrows": "ir de una a otra", "key.space": "elegir la carta enfocada",
    "key.enter": "confirmar", "key.hint": "pedir una pista", "key.log": "ir al historial", "key.time": "paso anterior o siguiente", "key.help": "esta lista", "key.escape": "deshacer la selección",
  },
});

const KEYS = [["1–9", "digits"], ["← → ↑ ↓", "arrows"], ["␣", "space"], ["Enter", "enter"], ["Esc", "escape"], ["H", "hint"], ["L", "log"], ["[ ]", "time"], ["?", "help"]];

export function HelpKeys() {
  return html`<h2>${t("keys")}</h2><dl class="keys">${KEYS.map(([key, what]) => html`<div key=${what}><dt><kbd>${key}</kbd></dt><dd>${t(`key.${what}`)}</dd></div>`)}</dl>`;
}
