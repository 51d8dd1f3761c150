// The panel at the end of a game: result for the reader, decisive events, players who want a rematch, next steps.
// @ts-check
import { html, signal, useEffect, useRef, useState } from "../vendor.js";
import { loadIcons, Sign, Written } from "../shared/cards.js";
import { Link } from "../shared/share_link.js";
import { sleep } from "../shared/client.js";
import { endKind, winnersOf } from "../shared/results.js";
import { tableLink } from "../shared/saved.js";
import { play, stepLink } from "../table/replay_playback.js";
import * as state from "../table/state.js";
import { askForReview } from "./review.js";
import { t } from "../shared/i18n.js";

/** Seconds between two requests for the seats that have asked for another game. */
const LOOK_SECONDS = 3;
/** Maximum number of decisive events in the panel. */
const DECISIVE = 3;
/** The next game's id, and the seats that have asked for it. */
const following = signal({ id: /** @type {string | null} */ (null), asked: /** @type {number[]} */ ([]) });
const MINUTE = 60_000;
/** The duration of a longer game isn't shown, because its players probably paused it. */
const MOST_MINUTES = 180;

/** The ruleset's part of the panel. */
const shown = signal(/** @type {import("../board.js").End} */ ({}));

/** Load the ruleset's part of the panel; without it the panel has only text. */
export async function loadEnd() {
  loadIcons("/static/pictures/end.svg");
  shown.value = (await state.ruleset.value?.loadEnd?.().catch(state.showError)) ?? {};
}

/** Return sentences on what decided the game: events that its ruleset calls decisive, and the end. */
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
    const { nextGame } = await import("../new_game/new_game.js");
    const next = await nextGame(state.client, state.game.value.id);
    location.assign(tableLink(next.id, next.token));
  } catch (error) {
    state.showError(error);
  }
}

/** Return the number of people at the table. */
const people = () => state.game.value.seats.filter((/** @type {any} */ { kind }) => kind === "human").length;

/** Return whether the next game has begun: it does when all people have asked for it. */
const hasBegun = () => following.value.id !== null && following.value.asked.length >= people();

/** Load every few seconds the seats that have asked for another game, until all players have asked. */
function useAsked() {
  const { id, you, status } = state.game.value;
  useEffect(() => {
    if (status !== "finished" || people() < (you == null ? 1 : 2)) return undefined;
    const left = new AbortController();
    const look = async () => {
      while (!left.signal.aborted && !hasBegun()) {
        if (document.visibilityState === "visible")
          following.value = await state.client.ask(`/v1/games/${id}/next`, { signal: left.signal });
        await sleep(1000 * LOOK_SECONDS, left.signal);
      }
    };
    look().catch((error) => left.signal.aborted || state.showError(error));
    return () => left.abort();
  }, [id, status]);
}

/** The other players who have asked for another game; once it has begun, a link for a reader who only watches. */
function Ready() {
  const { you } = state.game.value;
  const { id, asked } = following.value;
  if (hasBegun())
    return html`<p class="ready">${t("The next game has begun.")}
      ${you == null ? html` <a href=${`/play?g=${id}`}>${t("Watch it")}</a>` : null}</p>`;
  const waiting = asked.filter((seat) => seat !== you);
  if (!waiting.length) return null;
  return html`<ul class="ready plainlist">${waiting.map(
    (seat) =>
      html`<li key=${seat}><${Sign} seat=${seat} />
        ${t("{name} waits for another game", { name: state.names.value[seat] })}</li>`,
  )}</ul>`;
}

/** Return a game's duration, or nothing above `MOST_MINUTES`. @param {any} game @returns {[number, string][]} */
function minutes({ created, updated }) {
  const n = Math.max(1, Math.round((Date.parse(updated) - Date.parse(created)) / MINUTE));
  return n <= MOST_MINUTES ? [[n, n === 1 ? t("minute") : t("minutes")]] : [];
}

/** The honour that a game gives at its end, its progress, and figures. */
function Sum() {
  const ended = { game: state.game.value, events: state.events.value };
  const { Honour, Progress, figures } = shown.value;
  const all = [...(figures?.(ended) ?? []), ...minutes(ended.game)];
  return html`${Honour ? html`<${Honour} ...${ended} />` : null}${Progress ? html`<${Progress} ...${ended} />` : null}
    <dl class="figures">${all.map(([n, words]) => html`<div key=${words}><dt>${words}</dt><dd>${n}</dd></div>`)}</dl>`;
}

/** @param {{look: () => void}} props `look` shows the drawer with the review instead of this panel */
function EndActions({ look }) {
  const { id, you, status, version } = state.game.value;
  const [sharing, setSharing] = useState(false);
  useAsked();
  const replay = () => {
    play();
    requestAnimationFrame(() => /** @type {HTMLElement | null} */ (document.querySelector(".player .play"))?.focus());
  };
  const review = () => {
    look();
    askForReview();
    requestAnimationFrame(() => document.querySelector(".review")?.scrollIntoView({ block: "start" }));
  };
  return html`${decided().map((text) => html`<p class="decided" key=${text}><${Written} text=${text} /></p>`)}
    ${status === "finished" ? html`<${Sum} />` : null}
    <div class="row acts">
      ${
        you != null && status === "finished"
          ? html`<button type="button" class="primary" onClick=${again}>${t("Play again")}</button>`
          : null
      }
      <button type="button" onClick=${replay}>${t("Replay")}</button>
      ${status === "finished" ? html`<button type="button" onClick=${review}>${t("Review")}</button>` : null}
      <button type="button" aria-expanded=${sharing ? "true" : "false"} onClick=${() => setSharing(!sharing)}>
        ${t("Share")}</button>
      <a class="button" href="/">${t("All games")}</a></div>
    ${sharing ? html`<${Link} link=${stepLink(id, version)} title=${t("Link to this game")} />` : null}
    <${Ready} />`;
}

/** Return who has won, in a sentence, or "". @param {any} outcome */
function winnerOf(outcome) {
  const names = winnersOf(outcome).map((seat) => state.names.value[seat]);
  if (!names.length) return "";
  return names.length === 1 ? t("Won by {name}", { name: names[0] }) : t("Won by {names}", { names: names.join(", ") });
}

/** @param {any} game */
function headline(game) {
  const { outcome, you } = game;
  const kind = endKind(game);
  if (kind === "abandoned") return t("The game was abandoned.");
  if (kind === "drawn") return t("A draw");
  const winner = winnerOf(outcome);
  if (winner) return kind === "won" ? t("You have won!") : kind === "lost" ? t("You have lost.") : winner;
  if (!outcome || !["won", "lost"].includes(outcome.result)) return t("A draw");
  if (you == null) return outcome.result === "won" ? t("The team has won.") : t("The team has lost.");
  return outcome.result === "won" ? t("Victory!") : t("Defeat");
}

/** @param {{look: () => void}} props `look` opens the drawer in place of this panel */
export function Panel({ look }) {
  const game = state.game.value;
  const kind = endKind(game);
  const { Crest } = shown.value;
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  // Board and rail are dimmed behind this panel: take the focus from them.
  useEffect(() => {
    if (document.activeElement?.matches("body, .board *, .rail *")) heading.current?.focus({ preventScroll: true });
  }, []);
  return html`<section class=${`end ${kind}`} aria-label=${t("The end")}>
    ${
      Crest && game.outcome
        ? html`<div class="crest"><${Crest} game=${game} events=${state.events.value} /></div>`
        : null
    }
    <h2 tabindex="-1" ref=${heading}>${headline(game)}</h2>
    ${
      kind === "lost" && winnerOf(game.outcome)
        ? html`<p class="winner">
      <${Sign} seat=${winnersOf(game.outcome)[0]} /> ${winnerOf(game.outcome)}</p>`
        : null
    }
    <${EndActions} look=${look} />
  </section>`;
}
