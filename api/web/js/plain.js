// Any ruleset: its view as a tree, its actions as buttons.
// @ts-check
import { html } from "./vendor.js";

/** @param {any} action @returns {string[]} */
export function tokens(action) {
  return [JSON.stringify(action)];
}

/** @param {any} action @param {string[]} choice */
export function reachable(action, choice) {
  return choice.every((token) => token === tokens(action)[0]);
}

/** @param {any} action @param {string[]} choice */
export function settled(action, choice) {
  return choice.length === 1 && reachable(action, choice);
}

/** @param {{value: any}} props */
function Tree({ value }) {
  if (value === null || typeof value !== "object") return html`<span>${String(value)}</span>`;
  const entries = Object.entries(value);
  if (!entries.length) return html`<span class="quiet">–</span>`;
  return html`<dl class="tree">${entries.map(([key, part]) => html`<div key=${key}><dt>${key}</dt><dd><${Tree} value=${part} /></dd></div>`)}</dl>`;
}

/** @param {any} props */
export function Board({ view }) {
  return html`<section class="panel"><${Tree} value=${view} /></section>`;
}
