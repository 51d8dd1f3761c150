// Review of a game that has ended: graph of the chance to win, accuracy, and mistakes with reasons.
// @ts-check
import { effect, html, signal, useEffect, useRef } from "../vendor.js";
import { Card, Written, written } from "../shared/cards.js";
import { Client } from "../shared/client.js";
import { drawer, isAway, past, pastView, viewpoint, WIDE } from "../table/state.js";
import { outline } from "./decision_outlines.js";
import * as state from "../table/state.js";
import { language, msg, t } from "../shared/i18n.js";

await state.loadStyles("/static/css/review.css");

/** @typedef {{version: number, text: string, label: string, best: string, best_label: string, chance: number | null,
 *   best_chance: number | null, loss: number, kind: string, why: string}} Decision */
/** @typedef {{seat: number, accuracy: number | null, decisions: Decision[]}} Found */

/** Marks of mistakes by class, the slightest first. They differ in shape, not only in colour. */
const SHAPES = {
  inaccuracy: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
  mistake: "M0 -6L6 5H-6Z",
  blunder: "M0 -7L7 0L0 7L-7 0Z",
};

/** @type {Record<string, string>} */
const ONE = { inaccuracy: msg("1 inaccuracy"), mistake: msg("1 mistake"), blunder: msg("1 blunder") };
/** @type {Record<string, string>} */
const MANY = { inaccuracy: msg("{n} inaccuracies"), mistake: msg("{n} mistakes"), blunder: msg("{n} blunders") };
/**
 * Names of mistake classes.
 * @type {Record<string, string>}
 */
const KINDS = { inaccuracy: msg("inaccuracy"), mistake: msg("mistake"), blunder: msg("blunder") };

/**
 * The running review job, a client that may read it, and the number of decisions judged by the job (0: unknown).
 * @type {import("../vendor.js").Signal<{job: any, client: Client, all: number} | null>}
 */
const under = signal(null);
/** The loaded review, with the id of its game: the page may show another game later. */
const found = signal(/** @type {{game: string, review: Found} | null} */ (null));
/** True from the request of a review until the page has scrolled to it: on a phone it is below log and replay. */
let isAwaited = false;
/** The seat that a spectator has chosen. */
const chosen = signal(0);
/**
 * The job of the shown review. If the language changes, the review is loaded from it again.
 * @type {{job: any, client: Client} | null}
 */
let read = null;

/** @param {number} share */
const percent = (share) => Math.round(100 * share);

/** Close the panel at the end; request the review of one's own decisions, or of the chosen seat's, and follow it. */
export async function askForReview() {
  isAway.value = true;
  if (under.value) return;
  const { id, you } = state.game.value;
  const begun = await state.post("/reviews", you == null ? { seat: chosen.value } : {});
  if (!begun) return;
  const client = begun.job_token
    ? new Client({ token: begun.job_token, language: () => language.value })
    : state.client;
  under.value = { job: begun, client, all: 0 };
  isAwaited = true;
  countDecisions(id, you ?? chosen.value).catch(state.showError);
  try {
    const progress = (/** @type {any} */ job) => {
      const { value } = under;
      if (value && value.job.id === job.id) under.value = { ...value, job };
    };
    const result = await client.finished(begun, { progress, wait: 1 });
    read = { job: begun, client };
    found.value = result && { game: id, review: result };
  } catch (error) {
    state.showError(error);
  } finally {
    under.value = null;
  }
}

/** Count the decisions that a review of a seat judges. @param {string} id @param {number} seat */
async function countDecisions(id, seat) {
  const { actions } = await state.client.ask(`/v1/games/${id}/record`);
  const all = actions.filter((/** @type {any} */ one) => one.seat === seat).length;
  if (under.value) under.value = { ...under.value, all };
}

/** @param {{keepalive?: boolean}} [options] */
async function cancel(options = {}) {
  const { value } = under;
  if (value)
    await value.client.ask(`/v1/jobs/${value.job.id}`, { method: "DELETE", ...options }).catch(state.showError);
}
// Cancel the review when the page is left, so that other readers' reviews needn't wait for it.
addEventListener("pagehide", () => cancel({ keepalive: true }));

/** Return the progress of a review in words. @param {{job: any, all: number}} review */
function standing({ job: { ahead, partial, progress }, all }) {
  if (ahead) return ahead === 1 ? t("1 review before yours") : t("{n} reviews before yours", { n: ahead });
  if (!all) return t("Reviewing decisions: {n}%", { n: percent(progress) });
  return t("{n} of {all} decisions", { n: partial?.decisions.length ?? Math.round(progress * all), all });
}

let spoken = language.value;
effect(() => {
  if (language.value === spoken) return;
  spoken = language.value;
  if (read)
    read.client
      .ask(`/v1/jobs/${read.job.id}`)
      .then((job) => (found.value = job.result && found.value && { ...found.value, review: job.result }))
      .catch(state.showError);
});

/**
 * Show the table at a decision, from the view of its seat; close the drawer if it would cover the table.
 * @param {number} seat
 * @param {number} version
 */
function goTo(seat, version) {
  viewpoint.value = seat === state.game.value.you ? null : seat;
  past.value = version;
  if (!matchMedia(WIDE).matches) drawer.value = false;
}

effect(() => {
  const { value: game } = state.game;
  const review = found.value?.game === game?.id ? found.value?.review : under.value?.job.partial;
  const isOwn = (viewpoint.value ?? game?.you) === review?.seat;
  const decision = pastView.value && isOwn && review.decisions.find((/** @type {Decision} */ one) => isWorse(one));
  // The table is drawn again before the next frame: outline then.
  requestAnimationFrame(() => outline(decision ?? null));
});
/** Return whether a decision is of the shown step, and an inaccuracy or worse. @param {Decision} decision */
const isWorse = ({ version, kind }) => version === past.value && kind in SHAPES;

const WIDTH = 300;
const HEIGHT = 120;
const EDGE = 8;
const LEFT = 24;

/** @param {{review: Found}} props */
function Graph({ review }) {
  const { version: last } = state.game.value;
  const x = (/** @type {number} */ version) => LEFT + ((WIDTH - LEFT - EDGE) * version) / Math.max(1, last);
  const y = (/** @type {number} */ chance) => EDGE + (HEIGHT - 2 * EDGE) * (1 - chance);
  const points = review.decisions.flatMap(({ version, chance, kind }) =>
    chance === null ? [] : [{ version, chance, kind }],
  );
  if (!points.length) return null;
  const line = points.map(({ version, chance }) => `${x(version).toFixed(1)},${y(chance).toFixed(1)}`).join(" ");
  const words = t("The chance to win over the game, in %: {first} at first, {last} at last.", {
    first: percent(points[0].chance),
    last: percent(points[points.length - 1].chance),
  });
  const press = (/** @type {any} */ event) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = (WIDTH * (event.clientX - left)) / width;
    const [nearest] = [...review.decisions].sort((a, b) => Math.abs(x(a.version) - at) - Math.abs(x(b.version) - at));
    goTo(review.seat, nearest.version);
  };
  return html`<svg class="graph" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${words} onClick=${press}>
    ${[0, 0.5, 1].map(
      (chance) => html`<line key=${chance} class="grid" x1=${LEFT} x2=${WIDTH - EDGE} y1=${y(chance)} y2=${y(chance)} />
      <text key=${`${chance}%`} class="scale" x="1" y=${y(chance) + 3}>${percent(chance)}</text>`,
    )}
    ${
      past.value === null
        ? null
        : html`<line class="now" x1=${x(past.value)} x2=${x(past.value)} y1="0" y2=${HEIGHT} />`
    }
    <polyline class="chances" points=${line} />
    ${points.map(({ version, chance, kind }) =>
      kind in SHAPES
        ? html`<path key=${version} class=${`mark ${kind}`}
          transform=${`translate(${x(version).toFixed(1)} ${y(chance).toFixed(1)})`}
            d=${SHAPES[/** @type {keyof typeof SHAPES} */ (kind)]} />`
        : null,
    )}
  </svg>`;
}

/** @param {{kind: string}} props */
function Mark({ kind }) {
  return html`<svg class="sign" viewBox="-8 -8 16 16" aria-hidden="true">
    <path class=${`mark ${kind}`} d=${SHAPES[/** @type {keyof typeof SHAPES} */ (kind)]} /></svg>`;
}

/** Cards in the text of an action. */
const CARDS = /\b(?:[2-9TJQKA][CDHS]|X[12])\b/g;

/** One of the two compared actions: its cards or its label, and the chance to win. @param {any} props */
function Option({ text, label, chance, better, heading }) {
  const cards = text.match(CARDS) ?? [];
  return html`<div class="opt" data-better=${better ? "" : undefined} data-played=${better ? undefined : ""}>
    <span class="label">${heading}</span>
    <span class="cs">${
      cards.length
        ? cards.map((/** @type {string} */ card) => html`<${Card} key=${card} name=${card} />`)
        : html`<${Written} text=${label} />`
    }</span>
    ${chance === null ? null : html`<b class="pc">${`${percent(chance)} %`}</b>`}</div>`;
}

/**
 * Return the comparison of a decision with the better action, as a sentence.
 * @param {Decision} decision @param {string} who
 */
function compared({ text, label, best, best_label, chance, best_chance }, who) {
  const plays = [text, best].every((one) => one.startsWith("play "));
  const words = (/** @type {string} */ action, /** @type {string} */ said) =>
    plays ? (action.match(CARDS) ?? []).map(written).join(" ") : said;
  const values = {
    ...{ who, better: words(best, best_label), best: percent(best_chance ?? 0) },
    ...{ played: words(text, label), chance: percent(chance ?? 0) },
  };
  if (!plays) return t("Better: {better} ({best} %). Done: {played} ({chance} %).", values);
  return who
    ? t("Better: {better} ({best} %). {who} played {played} ({chance} %).", values)
    : t("Better: {better} ({best} %). You played {played} ({chance} %).", values);
}

/** @param {{review: Found}} props */
function Mistakes({ review }) {
  const worse = review.decisions.filter(({ kind }) => kind in SHAPES);
  if (!worse.length) return under.value ? null : html`<p>${t("No mistakes were found.")}</p>`;
  const who = review.seat === state.game.value.you ? "" : state.names.value[review.seat];
  const played = who ? t("{who} played", { who }) : t("You played");
  return html`<ol class="plainlist mistakes" aria-label=${t("What could have been better")}>${worse.map(
    (one) => html`<li key=${one.version}>
    <button type="button" aria-current=${past.value === one.version ? "step" : undefined}
      onClick=${() => goTo(review.seat, one.version)}>
      <${Mark} kind=${one.kind} /><span>${t("Step {version}: {label}", one)}</span><span class="quiet">
        ${t(KINDS[one.kind])} ${t("−{n}%", { n: percent(one.loss) })}</span></button>
    <div class="pair">
      <${Option} text=${one.best} label=${one.best_label} chance=${one.best_chance} better=${true}
        heading=${t("Better")} />
      <${Option} text=${one.text} label=${one.label} chance=${one.chance} heading=${played} /></div>
    <p><${Written} text=${compared(one, who)} /></p><p class="quiet"><${Written} text=${one.why} /></p></li>`,
  )}</ol>`;
}

/** @param {{review: Found}} props */
function Result({ review }) {
  const { accuracy, decisions, seat } = review;
  if (accuracy === null) return html`<p>${t("There was never a choice.")}</p>`;
  const counts = Object.keys(SHAPES)
    .map((kind) => ({ kind, n: decisions.filter((one) => one.kind === kind).length }))
    .filter(({ n }) => n);
  return html`<p><strong>${state.game.value.you == null ? `${state.names.value[seat]}: ` : ""}
    ${t("Accuracy {n} %", { n: percent(accuracy) })}</strong>
    ${counts.map(
      ({ kind, n }) => html` <span class="count" key=${kind}><${Mark} kind=${kind} />
      ${n === 1 ? t(ONE[kind]) : t(MANY[kind], { n })}</span>`,
    )}</p>
    <${Graph} review=${review} />
    <p class="quiet">${t("The line: the chance to win at each decision, in %. Accuracy: 100 % if none lowered it.")}</p>
    <${Mistakes} review=${review} />`;
}

/** Choice of the seat to review, for spectators. */
function Whose() {
  return html`<label class="row">
    ${t("Whose decisions")} <select value=${chosen.value}
      onChange=${(/** @type {any} */ event) => (chosen.value = Number(event.currentTarget.value))}>
    ${state.game.value.seats.map(
      (/** @type {any} */ { seat }) => html`<option key=${seat} value=${seat}>
      ${state.names.value[seat]}</option>`,
    )}</select></label>`;
}

/** Panel of the review. */
export function Review() {
  const watches = state.game.value.you == null;
  const { value: working } = under;
  const n = percent(working?.job.progress || 0);
  const review = found.value?.game === state.game.value.id ? found.value?.review : null;
  const shown = working ? working.job.partial : review;
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (isAwaited) place.current?.scrollIntoView({ block: "start" });
    if (shown && !working) isAwaited = false;
  }, [Boolean(working), Boolean(shown)]);
  return html`<section class="review" aria-label=${t("Review")} ref=${place}>
    ${
      working
        ? html`<p id="reviewing">${standing(working)}</p><div class="row">
          <progress max="100" value=${n} aria-labelledby="reviewing"></progress>
            <button type="button" onClick=${() => cancel()}>${t("Cancel")}</button></div>`
        : review && !watches
          ? null
          : html`${watches ? html`<${Whose} />` : null}<button type="button" onClick=${askForReview}>
            ${watches ? t("Review these decisions") : t("Review my decisions")}</button>`
    }
    <div aria-live=${working ? "off" : "polite"}>${shown ? html`<${Result} review=${shown} />` : null}</div>
  </section>`;
}
