// The operator's page: state of the server, its games, and the notice that all tables show.
// @ts-check
import { html, render, signal, useEffect, useRef } from "../vendor.js";
import { Client, isTransient } from "../shared/client.js";
import { Choices } from "../shared/theme_and_language.js";
import { addCatalogue, language, msg, rulesetTitle, t } from "../shared/i18n.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @typedef {{id: string, ruleset: string, status: string, version: number, updated: string, seats: string[]}} Line */
/** @typedef {import("../shared/client.js").Problem} Problem */

/** Key of the token in session storage, which the browser clears when the tab is closed. */
const TOKEN = "regicide.operator";
const REFRESH_MS = 5000;
/** @type {Record<string, string>} */
const STATUS = {
  waiting: msg("waiting for players"),
  active: msg("under way"),
  finished: msg("finished"),
  abandoned: msg("abandoned"),
};

const client = new Client({ token: sessionStorage.getItem(TOKEN), language: () => language.value });

/** The answer of `GET /v1/operator`; null without a token. */
const shown = signal(/** @type {any} */ (null));
/** State of the page: first request, asking for a token, showing the server, or the server has no such routes. */
const phase = signal(/** @type {"looking" | "asking" | "showing" | "absent"} */ ("looking"));
const problem = signal("");
const done = signal("");
const closing = signal(/** @type {Line | null} */ (null));

/** @param {string | null} token */
function keepToken(token) {
  client.token = token;
  if (token) sessionStorage.setItem(TOKEN, token);
  else sessionStorage.removeItem(TOKEN);
}

/**
 * Show an error; if the server refuses the token, forget it and ask for another one.
 * @param {Problem} error
 * @param {string} unreachable the text if the server couldn't be reached
 */
function fail(error, unreachable) {
  const { status, detail } = error;
  if (status === 401 || status === 403) {
    // Without a token the refusal is expected, so no error is shown.
    problem.value = client.token ? detail : "";
    keepToken(null);
    shown.value = null;
    phase.value = "asking";
  } else problem.value = status === 0 ? unreachable : detail;
}

let timer = 0;
/** Load the state of the server, and load it again regularly while the page is visible. */
async function refresh() {
  clearTimeout(timer);
  try {
    shown.value = await client.ask("/v1/operator");
    phase.value = "showing";
    problem.value = "";
  } catch (error) {
    if (/** @type {Problem} */ (error).status === 404) {
      phase.value = "absent";
      return;
    }
    fail(/** @type {Problem} */ (error), t("Can't reach the server. Retrying…"));
    if (phase.value !== "showing" && !isTransient(/** @type {Problem} */ (error))) return;
  }
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(refresh, REFRESH_MS);
}

document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  if (!document.hidden && (phase.value === "showing" || phase.value === "looking")) refresh();
});

/** Send a change, reload the state, then show *said*. @param {() => Promise<any>} send @param {string} said */
async function change(send, said) {
  done.value = "";
  try {
    await send();
    await refresh();
    done.value = said;
  } catch (error) {
    fail(/** @type {Problem} */ (error), t("Can't reach the server."));
  }
}

/** @param {string | null} text */
const publishNotice = (text) =>
  change(
    () => client.ask("/v1/operator/banner", { method: "PUT", body: { text } }),
    text ? t("All tables have the notice.") : t("The notice is taken back."),
  );

/** @param {Event} event @param {(text: string, form: HTMLFormElement) => void} take */
function submitted(event, take) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  take(String(new FormData(form).get("text")).trim(), form);
}

function Asking() {
  const enter = (/** @type {Event} */ event) =>
    submitted(event, (token) => {
      keepToken(token);
      refresh();
    });
  return html`<form class="box" onSubmit=${enter}>
    <p>${t("It is the value of REGICIDE_OPERATOR_TOKEN, or what “regicide serve” printed.")}</p>
    <label>${t("The operator's token")}
      <input type="password" name="text" required pattern="[\\w.~\\-]{22,}" autocomplete="off" /></label>
    <p class="quiet">${t("It stays in this tab alone, until the tab is closed.")}</p>
    <button class="primary">${t("Show the server")}</button></form>`;
}

function Absent() {
  return html`<div class="box"><h2>${t("This server has no operator")}</h2>
    <p>${t("It was started without REGICIDE_OPERATOR_TOKEN: the routes that this page needs are 404.")}</p>
    <p>${t("On its machine these commands do the same:")} <code>regicide games</code>,
      <code>${" "}regicide close</code>, <code>regicide banner</code></p></div>`;
}

function Readiness() {
  const { ready, reasons } = shown.value;
  return html`<section class="box" aria-labelledby="ready"><h2 id="ready">${t("Readiness")}</h2>
    <p class=${ready ? "ready" : "stopped"}>${ready ? t("Ready: games go on.") : t("Not ready: games stand still.")}</p>
    ${reasons.length > 0 && html`<ul>${reasons.map(Reason)}</ul>`}</section>`;
}

/** @param {{code: string, detail: string}} reason */
const Reason = ({ code, detail }) => html`<li key=${code}><span>${detail}<small>${code}</small></span></li>`;

/** @param {number} value @param {Intl.NumberFormatOptions} [options] */
const number = (value, options) => new Intl.NumberFormat(language.value, options).format(value);

function Load() {
  const { load, ais_waiting, overdue, store } = shown.value;
  const memory = number(store.bytes / 1e6, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 });
  const average = number(load.one_minute, { maximumFractionDigits: 2 });
  return html`<section class="box" aria-labelledby="load"><h2 id="load">${t("Load")}</h2><dl>
    <dt>${t("Load of the machine, of {n} processors", { n: load.processors })}</dt><dd>${average}</dd>
    <dt>${t("AIs that people wait for")}</dt><dd>${number(ais_waiting)}</dd>
    <dt>${t("Games that are late")}</dt><dd>${number(overdue)}</dd>
    <dt>${t("Memory of the store")}</dt><dd>${memory}</dd></dl></section>`;
}

function Counts() {
  return html`<section class="box" aria-labelledby="counts"><h2 id="counts">${t("Games")}</h2>
    ${Object.entries(shown.value.games).map(
      ([ruleset, counts]) =>
        html`<h3 key=${ruleset}>${rulesetTitle(ruleset)}</h3><dl>${Object.entries(counts).map(
          ([status, n]) => html`<dt>${t(STATUS[status] ?? status)}</dt><dd>${number(n)}</dd>`,
        )}</dl>`,
    )}</section>`;
}

function Notice() {
  const { banner } = shown.value;
  const set = (/** @type {Event} */ event) =>
    submitted(event, (text, form) => publishNotice(text).then(() => problem.value || form.reset()));
  return html`<section class="box" aria-labelledby="notice"><h2 id="notice">${t("Notice at all tables")}</h2>
    <p class=${banner ? "shown" : "quiet"}><bdi>${banner ?? t("There is none.")}</bdi></p>
    <form onSubmit=${set}><label>${t("New notice")}
        <input name="text" required maxlength="200" autocomplete="off" /></label>
      <div class="row"><button class="primary">${t("Set")}</button>
        <button type="button" disabled=${!banner} onClick=${() => publishNotice(null)}>${t("Take back")}</button></div>
    </form></section>`;
}

/** @param {Line} game */
const told = ({ status, version, updated, seats }) =>
  [
    t(STATUS[status] ?? status),
    t("step {n}", { n: version }),
    new Date(updated).toLocaleString(language.value, { dateStyle: "short", timeStyle: "short" }),
    seats.join(", "),
  ].join(" · ");

function Latest() {
  const { latest } = shown.value;
  return html`<section class="box" aria-labelledby="latest"><h2 id="latest">${t("The games that changed last")}</h2>
    ${latest.length === 0 && html`<p class="quiet">${t("None yet")}</p>`}
    <ul>${latest.map(
      (/** @type {Line} */ game) => html`<li key=${game.id}>
        <span><a href=${`/play?g=${game.id}`}>${rulesetTitle(game.ruleset)} ${game.id}</a>
          <small>${told(game)}</small></span>
        ${
          (game.status === "active" || game.status === "waiting") &&
          html`<button type="button" aria-label=${t("Close game {id}", { id: game.id })}
            onClick=${() => (closing.value = game)}>${t("Close")}</button>`
        }</li>`,
    )}</ul>
    <p class="quiet">${t("A private game can be closed, but not watched.")}</p></section>`;
}

/** @param {{game: Line}} props */
function Closing({ game }) {
  const box = useRef(/** @type {any} */ (null));
  useEffect(() => box.current.showModal(), []);
  const close = () => {
    box.current.close();
    const send = () => client.ask(`/v1/games/${game.id}`, { method: "DELETE" });
    change(send, t("Game {id} is closed.", { id: game.id }));
  };
  return html`<dialog ref=${box} aria-labelledby="closing" onClose=${() => (closing.value = null)}>
    <h2 id="closing">${t("Close this game?")}</h2>
    <p>${rulesetTitle(game.ruleset)} ${game.id}: ${game.seats.join(", ")}</p>
    <p>${t("It ends at once for everybody at it, without an outcome. You can't undo this.")}</p>
    <div class="row"><button type="button" class="primary" onClick=${close}>${t("Close the game")}</button>
      <button type="button" onClick=${() => box.current.close()}>${t("Cancel")}</button></div></dialog>`;
}

function Server() {
  return html`<div class="boxes"><${Readiness} /><${Load} /><${Counts} /><${Notice} /></div><${Latest} />
    ${closing.value && html`<${Closing} game=${closing.value} />`}`;
}

const BODIES = {
  looking: () => html`<p>${t("Looking for the server…")}</p>`,
  asking: Asking,
  absent: Absent,
  showing: Server,
};

function Page() {
  document.title = t("Operator");
  const forget = () => {
    keepToken(null);
    shown.value = null;
    phase.value = "asking";
    clearTimeout(timer);
  };
  return html`<div class="page"><header class="top"><p class="brand"><a href="/">${t("All games")}</a></p>
      <nav aria-label=${t("Language")}>
        ${
          phase.value === "showing" &&
          html`<button type="button" class="plain" onClick=${forget}>
          ${t("Forget the token")}</button>`
        }<${Choices} /></nav></header>
    <main class="lobby operator"><h1>${t("Operator")}</h1>
      <div role="alert">${problem.value && html`<p class="problem">${problem.value}</p>`}</div>
      <div role="status">${done.value}</div>
      <${BODIES[phase.value]} /></main></div>`;
}

render(html`<${Page} />`, /** @type {HTMLElement} */ (document.getElementById("page")));
refresh();
