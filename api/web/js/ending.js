// After the end: with whose eyes to look back, the shuffle checked in the page, the record.
// @ts-check
import { html, signal } from "./vendor.js";
import { eyes, past } from "./replay.js";
import { savedGame } from "./saved.js";
import * as state from "./state.js";
import { addWords, t } from "./words.js";

addWords({
  en: {
    verify: "Check the shuffle", record: "Record (JSON)", eyes: "Seen by", yourEyes: "yourself", everybody: "everybody",
    "verify.fair": "Fair: nobody chose these cards.",
    "verify.ok": "The seed matches the fingerprint published before the first card was dealt ({commitment}…), and the deal follows from it.",
    "verify.seed": "The seed matches the fingerprint published before the first card was dealt ({commitment}…).",
    "verify.bad": "The seed does not match the published fingerprint!", "verify.deal": "The seed matches the fingerprint, but the deal doesn't follow from it!", "verify.away": "This browser checks it over https or on this machine alone: use `regicide verify record.json`.",
  },
  es: {
    verify: "Comprobar la baraja", record: "Registro (JSON)", eyes: "Visto por", yourEyes: "ti", everybody: "cualquiera",
    "verify.fair": "Limpia: nadie eligió estas cartas.",
    "verify.ok": "La semilla coincide con la huella publicada antes de repartir ({commitment}…), y el reparto sale de ella.",
    "verify.seed": "La semilla coincide con la huella publicada antes de repartir ({commitment}…).",
    "verify.bad": "¡La semilla no coincide con la huella publicada!", "verify.deal": "La semilla coincide con la huella, ¡pero el reparto no sale de ella!", "verify.away": "Este navegador solo lo comprueba por https o en esta máquina: usa `regicide verify record.json`.",
  },
});

const verified = signal("");
const fair = signal(false);

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
    fair.value = found === "ok";
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

/** All of it. */
export function Ending() {
  const isFinished = state.game.value.status === "finished";
  return html`<${Eyes} />${isFinished ? html`<div class="row"><button type="button" onClick=${verify}>${t("verify")}</button>
    <button type="button" onClick=${save}>${t("record")}</button></div>
    <p role="status">${fair.value ? html`<strong>✓ ${t("verify.fair")}</strong> ` : null}${verified.value}</p>` : null}`;
}
