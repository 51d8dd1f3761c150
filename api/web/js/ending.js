// After the end: with whose eyes to look back, the review, why AIs did what they did, the shuffle checked in the page, the record.
// @ts-check
import { html, signal } from "./vendor.js";
import { eyes, past } from "./replay.js";
import { savedGame } from "./saved.js";
export { Review } from "./review.js";
export { Why } from "./why.js";
import * as state from "./state.js";
import { addWords, t } from "./words.js";

addWords({
  en: {
    verify: "Check the shuffle", record: "Record (JSON)", eyes: "View as", yourEyes: "yourself", everybody: "everybody",
    "verify.fair": "Fair: nobody chose these cards.",
    "verify.ok": "The seed matches the fingerprint published before the first card was dealt ({commitment}…), and it reproduces the deal.",
    "verify.seed": "The seed matches the fingerprint published before the first card was dealt ({commitment}…).",
    "verify.promised": "This browser had that fingerprint before it added a random part of its own, which nobody could foresee.",
    "verify.others": "Others added a random part too. It could help only somebody who joined last and also runs the server.",
    "verify.unpromised": "This browser had no fingerprint yet when it added its own random part, so we can't tell whether the server picked one of several seeds.",
    "verify.unseeded": "No random part from this browser is known for this game, so we can't tell whether the server picked one of several seeds.",
    "verify.bad": "The seed does not match the published fingerprint!", "verify.deal": "The seed matches the fingerprint, but the deal doesn't follow from it!",
    "verify.part": "The seed matches the fingerprint, but the random part that this browser added is missing!",
    "verify.away": "This browser checks it over https or on this machine alone: use `regicide verify record.json`.",
    "notes.ok": "The AIs' notes on their {all} decisions are unchanged. This page received the seals of {n} of them during the game.",
    "notes.unheard": "The AIs' notes on their {all} decisions match the record. This page received no seals of them during the game.",
    "notes.bad": "The AIs' notes on their decisions were changed after the game!",
  },
  es: {
    verify: "Comprobar el barajado", record: "Registro (JSON)", eyes: "Ver como", yourEyes: "tú", everybody: "espectador",
    "verify.fair": "Correcto: nadie ha elegido estas cartas.",
    "verify.ok": "La semilla coincide con la huella publicada antes de repartir ({commitment}…), y con ella se obtiene este reparto.",
    "verify.seed": "La semilla coincide con la huella publicada antes de repartir ({commitment}…).",
    "verify.promised": "Este navegador tenía esa huella antes de añadir su propia parte aleatoria, que nadie podía prever.",
    "verify.others": "Otros también añadieron una parte aleatoria. Solo podría servirle a quien se unió el último y además administra el servidor.",
    "verify.unpromised": "Este navegador aún no tenía la huella cuando añadió su propia parte aleatoria: no se puede saber si el servidor eligió entre varias semillas.",
    "verify.unseeded": "No consta que este navegador añadiera una parte aleatoria a esta partida: no se puede saber si el servidor eligió entre varias semillas.",
    "verify.bad": "¡La semilla no coincide con la huella publicada!", "verify.deal": "La semilla coincide con la huella, ¡pero el reparto no sale de ella!",
    "verify.part": "La semilla coincide con la huella, ¡pero falta la parte aleatoria que añadió este navegador!",
    "verify.away": "Este navegador solo lo comprueba por https o en esta máquina: usa `regicide verify record.json`.",
    "notes.ok": "Las notas de las IA sobre sus {all} decisiones no han cambiado. Esta página recibió los sellos de {n} durante la partida.",
    "notes.unheard": "Las notas de las IA sobre sus {all} decisiones coinciden con el registro. Esta página no recibió ningún sello durante la partida.",
    "notes.bad": "¡Las notas de las IA sobre sus decisiones se cambiaron después de la partida!",
  },
});

/** @typedef {{key: string, values?: Record<string, unknown>}} Sentence */

/** What the last check has found: sentences, and whether nobody can have chosen the cards. */
const verdict = signal(/** @type {{fair: boolean, sentences: Sentence[]} | null} */ (null));

/** Check the record against what was known when the game began: its seed, its deal, and what its AIs noted. */
export async function verify() {
  if (!globalThis.crypto?.subtle) {
    verdict.value = { fair: false, sentences: [{ key: "verify.away" }] };
    return;
  }
  try {
    const { id, commitment } = state.game.value;
    // What was seen when the game was begun counts, not what is said now.
    const known = { commitment, ...savedGame(id) };
    const record = await state.client.ask(`/v1/games/${id}/record`);
    const { check, checkNotes } = await import("./shuffle.js");
    const found = await check(record, known, async (version, seat) =>
      (await state.client.ask(`/v1/games/${id}/views/${version}?seat=${seat}`)).view);
    const matches = found === "ok" || found === "seed";
    const others = record.client_seeds.some((/** @type {string | null} */ part) => part && part !== known.clientSeed);
    const promise = !known.clientSeed ? "unseeded" : known.promised ? "promised" : "unpromised";
    verdict.value = {
      fair: found === "ok" && promise === "promised" && !others,
      sentences: [
        { key: `verify.${found}`, values: { commitment: known.commitment.slice(0, 12) } },
        ...(matches && !record.position ? [{ key: `verify.${promise}` }] : []),
        ...(matches && others && promise === "promised" ? [{ key: "verify.others" }] : []),
        ...notesSentence(await checkNotes(record, state.seals)),
      ],
    };
  } catch (error) {
    state.complain(error);
  }
}

/** @param {{isAsSealed: boolean, all: number}} notes @returns {Sentence[]} */
function notesSentence({ isAsSealed, all }) {
  if (!isAsSealed) return [{ key: "notes.bad" }];
  const n = state.seals.size;
  return all ? [{ key: n ? "notes.ok" : "notes.unheard", values: { n, all } }] : [];
}

/** What must never be found. */
const WRONG = ["verify.bad", "verify.part", "verify.deal", "notes.bad"];

function Verdict() {
  const { fair, sentences } = verdict.value ?? { fair: false, sentences: [] };
  return html`<div role="status">${fair ? html`<p><strong>✓ ${t("verify.fair")}</strong></p>` : null}
    ${sentences.map(({ key, values }) => html`<p key=${key} class=${WRONG.includes(key) ? "problem" : ""}>${t(key, values)}</p>`)}</div>`;
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
  return html`<label class="row">${t("eyes")} <select value=${eyes.value ?? ""} onChange=${change}>
    <option value="">${you == null ? t("everybody") : t("yourEyes")}</option>
    ${seats.filter((/** @type {any} */ seat) => seat.seat !== you).map((/** @type {any} */ seat) => html`<option key=${seat.seat} value=${seat.seat}>${state.names.value[seat.seat]}</option>`)}
  </select></label>`;
}

/** All of it. */
export function Ending() {
  const isFinished = state.game.value.status === "finished";
  return html`<${Eyes} />${isFinished ? html`<div class="row"><button type="button" onClick=${verify}>${t("verify")}</button>
    <button type="button" onClick=${save}>${t("record")}</button></div>
    <${Verdict} />` : null}`;
}
