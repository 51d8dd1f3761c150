// Explanation of an AI's action, after the end of a game.
// @ts-check
import { html, signal } from "../vendor.js";
import { past } from "../table/state.js";
import * as state from "../table/state.js";
import { language, t } from "../shared/i18n.js";

/** Types of events that an AI does not decide. */
const BESIDE = new Set([...state.SEATING, "signal"]);

/**
 * The explanation. `about`: its game, version and language. `why`: its text, null until the text has arrived.
 * @type {import("../vendor.js").Signal<{about: string, why: string | null} | null>}
 */
const answer = signal(null);

/** @param {number} version */
const about = (version) => `${state.game.value.id}/${version}/${language.value}`;

/** @param {number} version */
async function ask(version) {
  const asked = about(version);
  const begun = await state.post("/hints", { version });
  if (!begun) return;
  answer.value = { about: asked, why: null };
  try {
    const result = await state.client.finished(begun, { wait: 1 });
    if (answer.value?.about === asked) answer.value = result && { about: asked, why: result.why };
  } catch (error) {
    if (answer.value?.about === asked) answer.value = null;
    state.showError(error);
  }
}

/** Button that requests the explanation of the shown step, and the explanation once it is there. */
export function Why() {
  const { you, seats } = state.game.value;
  const made = state.events.value.find(
    (one) => one.version === past.value && one.seat != null && !BESIDE.has(one.type),
  );
  if (you == null || past.value === null || seats[made?.seat]?.kind !== "ai") return null;
  const version = past.value - 1;
  const known = answer.value?.about === about(version) ? answer.value : null;
  return html`<div class="why" aria-live="polite">${
    known?.why
      ? html`<p>${known.why}</p>`
      : html`<button type="button" aria-disabled=${known ? "true" : "false"} onClick=${() => known || ask(version)}>
        ${known ? t("Thinking…") : t("Why did {name} do that?", { name: state.names.value[made.seat] })}</button>`
  }</div>`;
}
