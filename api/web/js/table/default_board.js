// Board for a ruleset that has no board module: shows the view as a tree. All actions are buttons.
// @ts-check
import { html } from "../vendor.js";

/** @param {{value: any}} props */
function Tree({ value }) {
  if (value === null || typeof value !== "object") return html`<span>${String(value)}</span>`;
  const entries = Object.entries(value);
  if (!entries.length) return html`<span class="quiet">–</span>`;
  return html`<dl class="tree">
    ${entries.map(([key, part]) => html`<div key=${key}><dt>${key}</dt><dd><${Tree} value=${part} /></dd></div>`)}
      </dl>`;
}

/** @param {any} props */
export function Board({ view }) {
  return html`<section class="panel"><${Tree} value=${view} /></section>`;
}
