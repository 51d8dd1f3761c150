// Under the headline of an end: what decided it, who waits for another game, and what can be done now.
// @ts-check
import { html, signal, useEffect, useState } from "../vendor.js";
import { Sign, Written } from "../shared/cards.js";
import { Link } from "../shared/link.js";
import { sleep } from "../shared/client.js";
import { tableLink } from "../shared/saved.js";
import { play, stepLink } from "../table/playback.js";
import * as state from "../table/state.js";
import { askForReview } from "./review.js";
import { t } from "../shared/i18n.js";

/** Seconds between two looks at who has asked for another game. */
const LOOK_SECONDS = 3;
/** Maximum number of sentences on what decided a game. */
const DECISIVE = 3;
const asked = signal(/** @type {number[]} */ ([]));

/** Return the sentences of what decided the game: events that its ruleset calls decisive, and the end. */
function decided() {
  const { version } = state.game.value;
  const types = ["ended", "abandoned", ...(state.ruleset.value?.decisive ?? [])];
  return state.events.value
    .filter((one) => one.version === version && one.text && types.includes(one.type))
    .map(({ text }) => text)
    .slice(-DECISIVE);
}

async function again() {
  state.problem.value = null;
  try {
    const { nextGame } = await import("../shared/new_game.js");
    const next = await nextGame(state.client, state.game.value.id);
    location.assign(tableLink(next.id, next.token));
  } catch (error) {
    state.showError(error);
  }
}

/** Look every few seconds who has asked for another game, until everybody has. */
function useAsked() {
  const { id, seats, status } = state.game.value;
  const people = seats.filter((/** @type {any} */ { kind }) => kind === "human").length;
  useEffect(() => {
    if (status !== "finished" || people < 2) return undefined;
    const left = new AbortController();
    const look = async () => {
      while (!left.signal.aborted && asked.value.length < people) {
        if (document.visibilityState === "visible")
          asked.value = (await state.client.ask(`/v1/games/${id}/next`, { signal: left.signal })).asked;
        await sleep(1000 * LOOK_SECONDS, left.signal);
      }
    };
    look().catch((error) => left.signal.aborted || state.showError(error));
    return () => left.abort();
  }, [id, status]);
}

/** Who waits for another game. */
function Ready() {
  const { you } = state.game.value;
  const waiting = asked.value.filter((seat) => seat !== you);
  if (!waiting.length) return null;
  return html`<ul class="ready plainlist">${waiting.map(
    (seat) =>
      html`<li key=${seat}><${Sign} seat=${seat} />
        ${t("{name} waits for another game", { name: state.names.value[seat] })}</li>`,
  )}</ul>`;
}

/** @param {{look: () => void}} props `look` shows the drawer with the review instead of this panel */
export function EndActions({ look }) {
  const { id, you, status, version } = state.game.value;
  const [sharing, setSharing] = useState(false);
  useAsked();
  const review = () => {
    look();
    askForReview();
    requestAnimationFrame(() => document.querySelector(".review")?.scrollIntoView({ block: "start" }));
  };
  return html`${decided().map((text) => html`<p class="decided" key=${text}><${Written} text=${text} /></p>`)}
    <div class="row acts">
      ${
        you != null && status === "finished"
          ? html`<button type="button" class="primary" onClick=${again}>${t("Play again")}</button>`
          : null
      }
      <button type="button" onClick=${play}>${t("Replay")}</button>
      ${status === "finished" ? html`<button type="button" onClick=${review}>${t("Review")}</button>` : null}
      <button type="button" aria-expanded=${sharing ? "true" : "false"} onClick=${() => setSharing(!sharing)}>
        ${t("Share")}</button>
      <a class="button" href="/">${t("All games")}</a></div>
    ${sharing ? html`<${Link} link=${stepLink(id, version)} title=${t("Link to this game")} />` : null}
    <${Ready} />`;
}
