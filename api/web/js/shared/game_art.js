// Picture of a game: the cards that its entry for the lobby lists, and its own drawing (`Scenery`).
// @ts-check
import { html } from "../vendor.js";
import { Face } from "./cards.js";
import { GAMES, RULESETS } from "./games.js";

/** @param {{ruleset: string}} props */
export function GameArt({ ruleset }) {
  const { pieces, Scenery } = GAMES[ruleset] ?? { pieces: [], Scenery: () => null };
  const icon = RULESETS.find(({ name }) => name === ruleset)?.icon;
  if (!pieces.length) return html`<div class="art plain">${icon && html`<img src=${icon} alt="" />`}</div>`;
  return html`<div class="art" aria-hidden="true"><${Scenery} />
    ${pieces.map(
      ([card, x, y, width, angle, pale]) => html`<span key=${card} class=${`card${pale ? " pale" : ""}`}
      style=${{ "--x": x, "--y": y, "--wide": width, rotate: `${angle}deg` }}><${Face} name=${card} /></span>`,
    )}</div>`;
}
