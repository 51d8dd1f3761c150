// Which key does what, for who asks.
// @ts-check
import { html } from "./vendor.js";
import { addWords, t } from "./words.js";

addWords({
  en: {
    "key.digits": "choose a card or a cell, or take it back", "key.arrows": "go from one to the next", "key.space": "choose what has the focus",
    "key.enter": "do what is chosen", "key.hint": "ask for a hint", "key.log": "go to the log", "key.time": "back and forth in time", "key.help": "this list", "key.escape": "choose nothing",
  },
  es: {
    "key.digits": "elegir una carta o una casilla, o dejarla", "key.arrows": "ir de una a otra", "key.space": "elegir lo enfocado",
    "key.enter": "hacer lo elegido", "key.hint": "pedir una pista", "key.log": "ir al registro", "key.time": "atrás y adelante en el tiempo", "key.help": "esta lista", "key.escape": "no elegir nada",
  },
});

const KEYS = [["1–9", "digits"], ["← → ↑ ↓", "arrows"], ["␣", "space"], ["Enter", "enter"], ["Esc", "escape"], ["H", "hint"], ["L", "log"], ["[ ]", "time"], ["?", "help"]];

export function HelpKeys() {
  return html`<h2>${t("keys")}</h2><dl class="keys">${KEYS.map(([key, what]) => html`<div key=${what}><dt><kbd>${key}</kbd></dt><dd>${t(`key.${what}`)}</dd></div>`)}</dl>`;
}
