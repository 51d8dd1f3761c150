// Slider through the versions of a game; after its end also the review.
// @ts-check
import { effect, html, signal } from "../vendor.js";
import * as state from "./state.js";
import { back, forward, goToVersion, past } from "./state.js";
import { t } from "../shared/i18n.js";

/** Module for games that have ended, loaded then. */
const ending = signal(/** @type {typeof import("../review/ending.js") | null} */ (null));
effect(() => {
  if (state.isOver.value && !ending.value)
    import("../review/ending.js").then((loaded) => (ending.value = loaded)).catch(state.showError);
});

/** Panel with the slider. */
export function Replay() {
  const { version: last, view } = state.game.value;
  const at = past.value ?? last;
  if (!view) return null;
  const told = state.events.value
    .filter((one) => past.value !== null && one.version === at && one.text)
    .map((one) => one.text)
    .join(" ");
  return html`<section class="panel replay" aria-label=${t("Earlier moves")}><h2>
    ${state.isOver.value ? t("Replay") : t("Earlier moves")}</h2>
    <div class="row">
      <button type="button" class="icon" aria-label=${t("Earlier")} title=${t("Earlier")} onClick=${back}>◀</button>
      <input type="range" min="0" max=${last} value=${at} aria-label=${t("Earlier moves")}
        aria-valuetext=${t("Step {version} of {last}", { version: at, last })}
        onInput=${(/** @type {any} */ event) => goToVersion(Number(event.currentTarget.value))} />
      <button type="button" class="icon" aria-label=${t("Later")} title=${t("Later")} onClick=${forward}>▶</button>
        </div>
    <p class="quiet">${t("Step {version} of {last}", { version: at, last })}</p>
    ${told ? html`<p class="told">${told}</p>` : null}
    ${state.isOver.value && ending.value ? html`<${ending.value.Why} />` : null}
    ${
      past.value === null
        ? null
        : html`<button type="button" onClick=${() => (past.value = null)}>${t("Back to the present")}</button>`
    }
    ${state.isOver.value && ending.value ? html`<${ending.value.Review} /><${ending.value.Ending} />` : null}
  </section>`;
}
