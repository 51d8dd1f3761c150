// The replay: slider, play and pause, a link to a step, and its panel.
// @ts-check
import { html, signal } from "../../vendor.js";
import { Link } from "../../shared/share_link.js";
import { at, play, playing, SPEEDS, speed, stepLink } from "../replay_playback.js";
import { back, forward, goToVersion, isAway, past } from "../state.js";
import * as state from "../state.js";
import { addCatalogue, t } from "../../shared/i18n.js";

await Promise.all([addCatalogue(new URL(".", import.meta.url).href), state.loadStyles("/static/css/drawer.css")]);

/** True while the link to the current step is shown. */
const sharing = signal(false);

/** @param {() => void} go */
const paused = (go) => () => {
  playing.value = false;
  go();
};

/** Slider, buttons and speeds. */
export function Player() {
  const { id, version: last } = state.game.value;
  const now = t("Step {version} of {last}", { version: at.value, last });
  return html`<div class="player" role="group" aria-label=${t("Replay")}>
    <button type="button" class="icon first" aria-label=${t("First step")} title=${t("First step")}
      onClick=${paused(() => goToVersion(0))}><svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
        <path d="M3 3h3v14H3zM17 3v14L7 10z" fill="currentcolor" /></svg></button>
    <button type="button" class="icon" aria-label=${t("Earlier")} title=${t("Earlier")}
      onClick=${paused(back)}>◀</button>
    <button type="button" class="play" aria-label=${playing.value ? t("Pause") : t("Play")}
      onClick=${playing.value ? paused(() => {}) : play}>
      <span aria-hidden="true">${playing.value ? "❚❚" : "▶"}</span>
      <span class="word">${playing.value ? t("Pause") : t("Play")}</span></button>
    <button type="button" class="icon" aria-label=${t("Later")} title=${t("Later")}
      onClick=${paused(forward)}>▶</button>
    <input type="range" min="0" max=${last} value=${at.value} aria-label=${t("Earlier moves")} aria-valuetext=${now}
      onInput=${(/** @type {any} */ event) => paused(() => goToVersion(Number(event.currentTarget.value)))()} />
    <span class="quiet step">${now}</span>
    <span class="seg" role="group" aria-label=${t("Speed")}>${SPEEDS.map(
      ([
        times,
        sign,
      ]) => html`<button type="button" key=${times} aria-pressed=${speed.value === times ? "true" : "false"}
        aria-label=${t("{n} times the speed", { n: sign })} onClick=${() => (speed.value = times)}>${sign}×</button>`,
    )}</span>
    <button type="button" class="share" aria-label=${t("Share")} aria-expanded=${sharing.value ? "true" : "false"}
      onClick=${() => (sharing.value = !sharing.value)}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d="M11 3l8 7-8 7v-4C6 13 3 14 1 17c0-6 4-10 10-10z" fill="currentcolor" /></svg>
      <span class="word">${t("Share")}</span></button>
    ${sharing.value ? html`<${Link} link=${stepLink(id, at.value)} title=${t("Link to this step")} />` : null}
  </div>`;
}

/** Return the events of the shown step as sentences. */
const told = () =>
  state.events.value
    .filter((one) => past.value !== null && one.version === at.value && one.text)
    .map((one) => one.text)
    .join(" ");

/**
 * Panel of the replay. After the end it also has the review and the check of the shuffle. While an earlier version is
 * shown, the slider is in the rail instead. @param {{over: typeof import("../../review/after_game.js") | null}} props
 */
export function Replay({ over }) {
  if (!state.game.value.view) return null;
  const text = told();
  return html`<section class="panel replay" aria-label=${t("Earlier moves")}><h2>
    ${state.isOver.value ? t("Replay") : t("Earlier moves")}</h2>
    ${past.value === null ? html`<${Player} />` : null}
    ${text ? html`<p class="told">${text}</p>` : null}
    ${over ? html`<${over.Why} /><${over.PlayOn} />` : null}
    ${
      past.value === null
        ? null
        : html`<button type="button" onClick=${paused(() => (past.value = null))}>${t("Back to the present")}</button>`
    }
    ${
      over && past.value === null && isAway.value
        ? html`<button type="button" onClick=${() => (isAway.value = false)}>${t("Show the result")}</button>`
        : null
    }
    ${over ? html`<${over.Review} /><${over.Ending} />` : null}
  </section>`;
}
