// The picture of the race: a track with its goal, the players' cards, and who is on turn.
import { html, t } from "/static/js/game_api.js";

/** Return the tokens of an action: a step is chosen on the track; to rest and to dash are buttons. */
export const tokens = ({ type, steps }) => (type === "step" && steps ? [`+${steps}`] : []);

/** One square: a button if a step ends there. */
function Square({ at, view, legal, choice, choose }) {
  const token = `+${at - view.total}`;
  const step = legal.find(({ action }) => tokens(action)[0] === token);
  const look = `race-square${at === view.total ? " here" : ""}${at >= view.goal ? " goal" : ""}`;
  const text = at === view.total ? "●" : at === view.goal ? "⚑" : at;
  if (!step) return html`<li class=${look}><span class="race-place">${text}</span></li>`;
  return html`<li class=${look}><button type="button" class="race-place" data-token=${token}
    aria-pressed=${choice.includes(token)} aria-label=${step.label} onClick=${() => choose(token)}>${text}</button></li>`;
}

/** A player's hidden card, its own or one that was shown. */
function Runner({ seat, view, you, names }) {
  const card = view.cards[seat];
  const spent = view.dashed.includes(seat);
  const said = card === null ? t("hidden card") : spent ? t("card {card}, used", { card }) : t("card {card}", { card });
  return html`<li class=${`race-runner${seat === view.turn ? " turn" : ""}${spent ? " spent" : ""}`}>
    <span class="race-card" aria-hidden="true">${card ?? "?"}</span>
    <span>${names[seat]}${seat === you ? ` (${t("you")})` : ""}<small>${said}${seat === view.turn ? ` · ${t("on turn")}` : ""}</small></span>
  </li>`;
}

export function Board({ view, you, names, legal, choice, choose, replaying }) {
  const squares = Array.from({ length: Math.max(view.goal, view.total) + 1 }, (_, at) => at);
  return html`<section class="panel race-board" aria-label=${t("The track")}>
    <p>${t("{total} of {goal} steps", { total: view.total, goal: view.goal })}${view.resting ? ` · ${t("the last player rested")}` : ""}</p>
    <ol class="race-track">${squares.map(
      (at) => html`<${Square} key=${at} at=${at} view=${view} legal=${replaying ? [] : legal} choice=${choice} choose=${choose} />`,
    )}</ol>
    <ul class="race-runners">${view.cards.map(
      (_, seat) => html`<${Runner} key=${seat} seat=${seat} view=${view} you=${you} names=${names} />`,
    )}</ul></section>`;
}
