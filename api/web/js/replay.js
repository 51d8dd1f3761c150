// Back and forth in time.
// @ts-check
import { effect, html, signal } from "./vendor.js";
import * as state from "./state.js";
import { addWords, t } from "./words.js";

addWords({
  en: {
    replay: "Earlier moves", replayEnd: "Replay", replaying: "The table as it was at step {version}.", now: "Back to the present", earlier: "Earlier", later: "Later", step: "Step {version} of {last}",
  },
  es: {
    replay: "Jugadas anteriores", replayEnd: "Repetición", replaying: "La mesa como estaba en el paso {version}.", now: "Volver al presente", earlier: "Antes", later: "Después", step: "Paso {version} de {last}",
  },
});

export const past = signal(/** @type {number | null} */ (null));
export const pastView = signal(/** @type {any} */ (null));
/** With whose eyes, after the end; null: one's own. */
export const eyes = signal(/** @type {number | null} */ (null));
/** What is there to be seen after the end alone. */
const ending = signal(/** @type {typeof import("./ending.js") | null} */ (null));
effect(() => {
  if (state.isOver.value && !ending.value) import("./ending.js").then((loaded) => (ending.value = loaded)).catch(state.complain);
});
/** Views that were asked for, the newest last. @type {Map<string, any>} */
const views = new Map();
const MOST = 200;

let asked = 0;
effect(() => {
  const version = past.value;
  const number = ++asked;
  if (version === null) {
    pastView.value = null;
    return;
  }
  const { id } = state.game.peek();
  const key = `${id}/${version}/${eyes.value}`;
  const seat = eyes.value === null ? "" : `?seat=${eyes.value}`;
  if (views.has(key)) {
    pastView.value = views.get(key);
    return;
  }
  state.client.ask(`/v1/games/${id}/views/${version}${seat}`).then((read) => {
    views.set(key, read.view);
    if (views.size > MOST) views.delete([...views.keys()][0]);
    if (number === asked) pastView.value = read.view;
  }).catch(state.complain);
});

/** Another table: nothing of the last one stays. */
export function present() {
  past.value = null;
  eyes.value = null;
}

/** @param {number} to */
function go(to) {
  const last = state.game.value.version;
  past.value = to >= last && !state.isOver.value ? null : Math.min(Math.max(to, 0), last);
}

export function back() {
  if (state.game.value) go((past.value ?? state.game.value.version) - 1);
}

export function forth() {
  if (past.value !== null) go(past.value + 1);
}

/** The slider through the game; after the end with the review. */
export function Replay() {
  const { version: last, view } = state.game.value;
  const at = past.value ?? last;
  if (!view) return null;
  const told = state.events.value.filter((one) => past.value !== null && one.version === at && one.text).map((one) => one.text).join(" ");
  return html`<section class="panel replay" aria-label=${t("replay")}><h2>${t(state.isOver.value ? "replayEnd" : "replay")}</h2>
    <div class="row"><button type="button" class="icon" aria-label=${t("earlier")} title=${t("earlier")} onClick=${back}>◀</button>
      <input type="range" min="0" max=${last} value=${at} aria-label=${t("replay")} aria-valuetext=${t("step", { version: at, last })}
        onInput=${(/** @type {any} */ event) => go(Number(event.currentTarget.value))} />
      <button type="button" class="icon" aria-label=${t("later")} title=${t("later")} onClick=${forth}>▶</button></div>
    <p class="quiet">${t("step", { version: at, last })}</p>
    ${told ? html`<p class="told">${told}</p>` : null}
    ${state.isOver.value && ending.value ? html`<${ending.value.Why} />` : null}
    ${past.value === null ? null : html`<button type="button" onClick=${() => (past.value = null)}>${t("now")}</button>`}
    ${state.isOver.value && ending.value ? html`<${ending.value.Review} /><${ending.value.Ending} />` : null}
  </section>`;
}
