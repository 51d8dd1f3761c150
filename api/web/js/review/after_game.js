// After the end of a game: viewpoint of the replay, check of the shuffle, download of the record.
// @ts-check
import { effect, html, signal } from "../vendor.js";
import { past, viewpoint } from "../table/state.js";
import { keepResult } from "../shared/results.js";
import { savedGame } from "../shared/saved.js";
export { Review } from "./review.js";
export { endKind } from "../shared/results.js";
export { loadEnd, Panel } from "./end_panel.js";
export { PlayOn } from "./play_on.js";
export { Why } from "./ai_explanation.js";
import * as state from "../table/state.js";
import { addCatalogue, msg, t } from "../shared/i18n.js";

await addCatalogue(new URL(".", import.meta.url).href);

effect(() => {
  if (state.isOver.value) keepResult(state.game.value);
});

/** @typedef {{text: string, values?: Record<string, unknown>, isBad?: boolean}} Sentence */

/** Sentences for the results of `check`. @type {Record<string, string>} */
const SEED = {
  ok: msg(
    "The seed matches the fingerprint published before the first card was dealt ({commitment}…), and it " +
      "reproduces the deal.",
  ),
  seed: msg("The seed matches the fingerprint published before the first card was dealt ({commitment}…)."),
  bad: msg("The seed does not match the published fingerprint!"),
  deal: msg("The seed matches the fingerprint, but the deal doesn't follow from it!"),
  part: msg("The seed matches the fingerprint, but the random part that this browser added is missing!"),
};
/** Sentences on whether the server could have drawn several seeds and chosen one of them. */
const CHOICE = {
  promised: msg(
    "This browser had that fingerprint before it added a random part of its own, which nobody could foresee.",
  ),
  unpromised: msg(
    "This browser had no fingerprint yet when it added its own random part, so we can't tell whether the " +
      "server picked one of several seeds.",
  ),
  unseeded: msg(
    "No random part from this browser is known for this game, so we can't tell whether the server picked one " +
      "of several seeds.",
  ),
};

const SEALED = msg(
  "The AIs' notes on their {all} decisions are unchanged. This page received the seals of {n} of them during the game.",
);
const UNSEALED = msg(
  "The AIs' notes on their {all} decisions match the record. This page received no seals of them during the game.",
);

/** Result of the last check. `fair`: true if nobody can have chosen the cards. */
const verdict = signal(/** @type {{fair: boolean, sentences: Sentence[]} | null} */ (null));

/** Check seed, deal and AI notes of the record against what this browser saved when the game began. */
export async function verify() {
  if (!globalThis.crypto?.subtle) {
    verdict.value = {
      fair: false,
      sentences: [
        { text: msg("This browser checks it over https or on this machine alone: use `regicide verify record.json`.") },
      ],
    };
    return;
  }
  try {
    const { id, commitment } = state.game.value;
    // The saved commitment takes precedence, because the server could send another one now.
    const known = { commitment, ...savedGame(id) };
    const record = await state.client.ask(`/v1/games/${id}/record`);
    const { check, checkNotes } = await import("./shuffle_check.js");
    const found = await check(
      record,
      known,
      await state.ruleset.value?.loadDeal?.(),
      async (version, seat) => (await state.client.ask(`/v1/games/${id}/views/${version}?seat=${seat}`)).view,
    );
    const matches = found === "ok" || found === "seed";
    const others = record.client_seeds.some((/** @type {string | null} */ part) => part && part !== known.clientSeed);
    const promise = !known.clientSeed ? "unseeded" : known.promised ? "promised" : "unpromised";
    verdict.value = {
      fair: found === "ok" && promise === "promised" && !others,
      sentences: [
        { text: SEED[found], values: { commitment: known.commitment.slice(0, 12) }, isBad: !matches },
        ...(matches && !record.position ? [{ text: CHOICE[promise] }] : []),
        ...(matches && others && promise === "promised"
          ? [
              {
                text: msg(
                  "Others added a random part too. It could help only somebody who joined last and also runs " +
                    "the server.",
                ),
              },
            ]
          : []),
        ...notesSentence(await checkNotes(record, state.seals)),
      ],
    };
  } catch (error) {
    state.showError(error);
  }
}

/** @param {{isAsSealed: boolean, all: number}} notes @returns {Sentence[]} */
function notesSentence({ isAsSealed, all }) {
  if (!isAsSealed)
    return [{ text: msg("The AIs' notes on their decisions were changed after the game!"), isBad: true }];
  const n = state.seals.size;
  if (!all) return [];
  return [{ text: n ? SEALED : UNSEALED, values: { n, all } }];
}

function Verdict() {
  const { fair, sentences } = verdict.value ?? { fair: false, sentences: [] };
  return html`<div role="status">
    ${fair ? html`<p><strong>✓ ${t("Fair: nobody chose these cards.")}</strong></p>` : null}
    ${sentences.map(
      ({ text, values, isBad }) => html`<p key=${text} class=${isBad ? "problem" : ""}>
      ${t(text, values)}</p>`,
    )}</div>`;
}

export async function save() {
  const record = await state.client.ask(`/v1/games/${state.game.value.id}/record`).catch(state.showError);
  if (!record) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(record, null, 2)], { type: "application/json" }));
  link.download = `record-${record.id}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Choice of the seat from whose view the replay is shown. */
function Eyes() {
  const { you, seats } = state.game.value;
  const change = (/** @type {any} */ event) => {
    viewpoint.value = event.currentTarget.value === "" ? null : Number(event.currentTarget.value);
    if (past.value === null) past.value = state.game.value.version;
  };
  return html`<label class="row">${t("View as")} <select value=${viewpoint.value ?? ""} onChange=${change}>
    <option value="">${you == null ? t("everybody") : t("yourself")}</option>
    ${seats
      .filter((/** @type {any} */ seat) => seat.seat !== you)
      .map(
        (/** @type {any} */ seat) => html`<option
      key=${seat.seat} value=${seat.seat}>${state.names.value[seat.seat]}</option>`,
      )}
  </select></label>`;
}

/** Panel of a game that has ended. */
export function Ending() {
  const isFinished = state.game.value.status === "finished";
  return html`<${Eyes} />${
    isFinished
      ? html`<div class="row"><button type="button" onClick=${verify}>${t("Check the shuffle")}</button>
    <button type="button" onClick=${save}>${t("Record (JSON)")}</button></div>
    <${Verdict} />`
      : null
  }`;
}
