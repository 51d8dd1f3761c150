// Back and forth in time, and the shuffle checked in the page.
// @ts-check
import { effect, html, signal } from "./vendor.js";
import { savedGame } from "./saved.js";
import * as state from "./state.js";
import { addWords, t } from "./words.js";

addWords({
  en: {
    replay: "Back in time", replaying: "The table as it was at step {version}.", now: "Back to now", earlier: "Earlier", later: "Later", step: "Step {version} of {last}",
    verify: "Check the shuffle", record: "Record (JSON)", eyes: "Seen by", yourEyes: "yourself", everybody: "everybody",
    "verify.ok": "The seed matches the fingerprint published before the first card was dealt ({commitment}…), and the deal follows from it.",
    "verify.seed": "The seed matches the fingerprint published before the first card was dealt ({commitment}…).",
    "verify.bad": "The seed does not match the published fingerprint!", "verify.deal": "The seed matches the fingerprint, but the deal doesn't follow from it!", "verify.away": "This browser checks it over https or on this machine alone: use `regicide verify record.json`.",
  },
  es: {
    replay: "Atrás en el tiempo", replaying: "La mesa como estaba en el paso {version}.", now: "Volver a ahora", earlier: "Antes", later: "Después", step: "Paso {version} de {last}",
    verify: "Comprobar la baraja", record: "Registro (JSON)", eyes: "Visto por", yourEyes: "ti", everybody: "cualquiera",
    "verify.ok": "La semilla coincide con la huella publicada antes de repartir ({commitment}…), y el reparto sale de ella.",
    "verify.seed": "La semilla coincide con la huella publicada antes de repartir ({commitment}…).",
    "verify.bad": "¡La semilla no coincide con la huella publicada!", "verify.deal": "La semilla coincide con la huella, ¡pero el reparto no sale de ella!", "verify.away": "Este navegador solo lo comprueba por https o en esta máquina: usa `regicide verify record.json`.",
  },
});

export const past = signal(/** @type {number | null} */ (null));
export const pastView = signal(/** @type {any} */ (null));
/** With whose eyes, after the end; null: one's own. */
export const eyes = signal(/** @type {number | null} */ (null));
const verified = signal("");
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
  verified.value = "";
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

/** Check the record's seed against what was published when the game was created, and the deal against the seed. */
export async function verify() {
  if (!globalThis.crypto?.subtle) {
    verified.value = t("verify.away");
    return;
  }
  try {
    const { id } = state.game.value;
    // What was seen when the game was begun counts, not what is said now.
    const commitment = savedGame(id)?.commitment || state.game.value.commitment;
    const record = await state.client.ask(`/v1/games/${id}/record`);
    const { check } = await import("./shuffle.js");
    const found = await check(record, commitment, async (version, seat) =>
      (await state.client.ask(`/v1/games/${id}/views/${version}?seat=${seat}`)).view);
    verified.value = t(`verify.${found}`, { commitment: commitment.slice(0, 12) });
  } catch (error) {
    state.complain(error);
  }
}

export async function save() {
  const record = await state.client.ask(`/v1/games/${state.game.value.id}/record`).catch(state.complain);
  if (!record) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(record, null, 2)], { type: "application/json" }));
  link.download = `record-${record.id}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Whose eyes to look back with. */
function Eyes() {
  const { you, seats } = state.game.value;
  const change = (/** @type {any} */ event) => {
    eyes.value = event.currentTarget.value === "" ? null : Number(event.currentTarget.value);
    if (past.value === null) past.value = state.game.value.version;
  };
  return html`<label class="row">${t("eyes")} <select onChange=${change}>
    <option value="">${you == null ? t("everybody") : t("yourEyes")}</option>
    ${seats.filter((/** @type {any} */ seat) => seat.seat !== you).map((/** @type {any} */ seat) => html`<option key=${seat.seat} value=${seat.seat}>${state.names.value[seat.seat]}</option>`)}
  </select></label>`;
}

/** The slider through the game; `data-review` is where the review's graph goes, above its steps. */
export function Replay() {
  const { version: last, view } = state.game.value;
  const at = past.value ?? last;
  if (!view) return null;
  return html`<section class="panel replay" aria-label=${t("replay")}><h2>${t("replay")}</h2>
    <div class="row"><button type="button" class="icon" aria-label=${t("earlier")} title=${t("earlier")} onClick=${back}>◀</button>
      <input type="range" min="0" max=${last} value=${at} aria-label=${t("replay")} aria-valuetext=${t("step", { version: at, last })}
        onInput=${(/** @type {any} */ event) => go(Number(event.currentTarget.value))} />
      <button type="button" class="icon" aria-label=${t("later")} title=${t("later")} onClick=${forth}>▶</button></div>
    <p class="quiet">${t("step", { version: at, last })}</p>
    <div data-review hidden></div>
    ${past.value === null ? null : html`<button type="button" onClick=${() => (past.value = null)}>${t("now")}</button>`}
    ${state.isOver.value ? html`<${Eyes} />` : null}
    ${state.isOver.value && state.game.value.status === "finished" ? html`<div class="row"><button type="button" onClick=${verify}>${t("verify")}</button>
      <button type="button" onClick=${save}>${t("record")}</button></div><p role="status">${verified.value}</p>` : null}
  </section>`;
}
