// One table: what is known of it, and what can be done. It knows no ruleset and draws nothing.
// @ts-check
import { batch, computed, effect, signal } from "../vendor.js";
import { Client, Problem, isTransient, sleep } from "../shared/client.js";
import { saveGame, savedGame } from "../shared/saved.js";
import { addCatalogue, language, t } from "../shared/i18n.js";

/** @typedef {{action: any, text: string, label?: string}} Legal */
/** @typedef {{tokens: (action: any) => string[], reachable: (action: any, choice: string[]) => boolean,
 *   settled: (action: any, choice: string[]) => boolean, usual?: (action: any) => boolean, Board: any, prompt?: any,
 *   signals?: (game: any) => [string, string][], victory?: (outcome: any) => string | null,
 *   loadDeal?: () => Promise<any>,
 *   ask?: (view: any, choice: string[]) => string, warning?: (game: any, action: any, told: any) => string,
 *   hidden?: (game: any, action: any, told: any) => string, aside?: (action: any) => boolean,
 *   interrupt?: () => string}} Ruleset */

/** The log shows so many lines at most: a long game stays small. */
export const LOG_LINES = 120;
/** So many versions of the past are asked for. */
const PAST = 40;
const ENDED = ["finished", "abandoned"];
/** What changes who sits where. */
export const SEATING = new Set(["joined", "started", "handed_over", "abandoned"]);

export const client = new Client({ language: () => language.value });

export const game = signal(/** @type {any} */ (null));
export const legal = signal(/** @type {Legal[]} */ ([]));
export const events = signal(/** @type {any[]} */ ([]));
export const selection = signal(/** @type {string[]} */ ([]));
export const connection = signal("connecting");
export const problem = signal(/** @type {Problem | null} */ (null));
export const notice = signal("");
export const hint = signal(/** @type {any} */ (null));
export const preview = signal(/** @type {any} */ (null));
/** The version at which this player has acted, until there is an answer; null: none is waited for. */
const pendingVersion = signal(/** @type {number | null} */ (null));
/** What this player has done at this table, as text. */
export const acted = signal(/** @type {string[]} */ ([]));
export const ruleset = signal(/** @type {Ruleset | null} */ (null));

/** What follows may be heard before the answer: at the next version one can act again. */
export const busy = computed(() => pendingVersion.value !== null && pendingVersion.value === game.value?.version);
export const isOver = computed(() => ENDED.includes(game.value?.status));
export const isMine = computed(() => game.value?.you != null && legal.value.length > 0);

/** How the seats are called, by number. */
export const names = computed(() => (game.value?.seats || []).map((/** @type {any} */ seat) => nameOf(seat)));

/** @param {any} seat */
function nameOf(seat) {
  if (seat.name) return seat.name;
  if (seat.kind === "ai") return `${t("Player {n}", { n: seat.seat + 1 })} (${t(seat.level)})`;
  return seat.kind === "open" ? t("an open seat") : t("Player {n}", { n: seat.seat + 1 });
}

/** Return the token of the button of an action that is chosen nowhere on the board; else null. @param {any} action */
export function actionButtonKey(action) {
  return ruleset.value?.tokens(action).length ? null : Object.values(action).map(asText).join(" ");
}

/** @param {unknown} value */
const asText = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** @param {any} action @param {string[]} chosen */
export function canExtendSelection(action, chosen) {
  const word = actionButtonKey(action);
  if (word !== null) return chosen.every((token) => token === word);
  return ruleset.value?.reachable(action, chosen) || false;
}

/** @param {any} action @param {string[]} chosen */
function completesAction(action, chosen) {
  const word = actionButtonKey(action);
  if (word !== null) return chosen.length === 1 && chosen[0] === word;
  return ruleset.value?.settled(action, chosen) || false;
}

/** What is to be done anyway, such as to draw a card: one press does it. @param {any} action */
export const isDefaultAction = (action) => (!inLesson.value && ruleset.value?.usual?.(action)) || false;

/** A lesson wants something else than what is to be done anyway. */
export const inLesson = signal(false);

/** The one thing that may be done, if a button says it. */
export const onlyAction = computed(() => {
  const [first, ...others] = legal.value;
  return first && !others.length && actionButtonKey(first.action) !== null ? first : null;
});

/** The legal action that the choice says, or the usual one; else null. */
export const selectedAction = computed(() => {
  const chosen = selection.value;
  if (!chosen.length) return onlyAction.value || legal.value.find(({ action }) => isDefaultAction(action)) || null;
  return legal.value.find(({ action }) => completesAction(action, chosen)) || null;
});

/** Choose, or take back; what doesn't go with the rest begins a new choice. @param {string} token */
export function toggleSelected(token) {
  const chosen = selection.value;
  if (chosen.includes(token)) {
    selection.value = chosen.filter((other) => other !== token);
    return;
  }
  const more = [...chosen, token];
  selection.value = legal.value.some(({ action }) => canExtendSelection(action, more)) ? more : [token];
}

/** The seals of what AIs noted, by version, as they were heard first while the game ran. */
export const seals = new Map();

/** @param {number} version @param {string} [sealed] */
const recordSeal = (version, sealed) => sealed && !seals.has(version) && seals.set(version, sealed);

/** @param {unknown} error */
export function showError(error) {
  problem.value = error instanceof Problem ? error : new Problem({ status: 0, code: "unknown", detail: String(error) });
}

function path(rest = "") {
  return `/v1/games/${game.value.id}${rest}`;
}

/** The last version of which the log tells: the board may be ahead of it, after it was asked for. */
let lastLoggedVersion = 0;

/** Take what has happened, once. @param {any} update */
function applyUpdate(update) {
  const before = game.value;
  recordSeal(update.version, update.ai_note);
  if (update.id) {
    batch(() => {
      game.value = update;
      clearSelection();
    });
    lastLoggedVersion = update.version;
    return;
  }
  const told = update.version > before.version;
  batch(() => {
    const { version, view, to_act, may_act = before.may_act, status = before.status } = update;
    if (version > lastLoggedVersion) {
      events.value = [...events.value, ...update.events.map((/** @type {any} */ one) => ({ version, ...one }))].slice(
        -LOG_LINES,
      );
      lastLoggedVersion = version;
    }
    if (version >= before.version) game.value = { ...before, version, view, to_act, may_act, status };
    if (told) clearSelection();
  });
  // Who has acted may have been told of the version before, but not that it was the last one.
  const ended = ENDED.includes(game.value.status) && !ENDED.includes(before.status);
  if (told || ended) refresh(update);
}

/** What was chosen, hinted and foreseen belongs to a version. */
function clearSelection() {
  selection.value = [];
  if (!hint.value?.waiting) hint.value = null;
  preview.value = null;
  legal.value = [];
}

/** Ask for what a message leaves out. @param {any} update */
function refresh(update) {
  const ended = ENDED.includes(update.status);
  const seating = (update.events || []).some((/** @type {any} */ one) => SEATING.has(one.type));
  if (ended || seating || game.value.deadline) reload();
  else fetchLegalActions();
}

/** Ask for the whole game again. */
export async function reload() {
  try {
    const read = await client.ask(path());
    batch(() => {
      if (read.version > game.value.version) clearSelection();
      if (read.version >= game.value.version) game.value = { ...read };
    });
    await fetchLegalActions();
  } catch (error) {
    showError(error);
  }
}

/** Ask what may be done; only whoever has something to do needs it. */
export async function fetchLegalActions() {
  const { you, to_act, may_act, version } = game.value;
  if (you == null || ![...to_act, ...may_act].includes(you)) {
    legal.value = [];
    return;
  }
  try {
    const read = await client.ask(path("/actions"));
    if (read.version === game.value.version && version === read.version) legal.value = read.actions;
  } catch (error) {
    showError(error);
  }
}

/** Ask for the last lines of the log, in the reader's language. */
async function fetchLog() {
  const read = await client.ask(path(`/events?after=${Math.max(game.value.version - PAST, 0) - 1}`));
  if (!isOver.value)
    for (const [version, sealed] of Object.entries(read.ai_notes)) recordSeal(+version, String(sealed));
  const seen = new Set(read.events.map((/** @type {any} */ one) => one.version));
  const newer = events.value.filter(({ version }) => !seen.has(version) && version > game.value.version - PAST);
  events.value = [...read.events, ...newer].slice(-LOG_LINES);
  lastLoggedVersion = Math.max(lastLoggedVersion, ...seen);
}

/** Act as chosen. */
export async function act() {
  const chosen = selectedAction.value;
  if (!chosen || busy.value) return;
  const { version } = game.value;
  pendingVersion.value = version;
  problem.value = null;
  notice.value = "";
  try {
    const done = await client.act(path("/actions"), chosen.action, { version });
    // What another seat did in between comes by the stream first: no event is left out.
    if (done.version <= lastLoggedVersion + 1) applyUpdate(done);
    acted.value = [...acted.value, chosen.text];
  } catch (error) {
    await handleActionError(error);
  } finally {
    if (pendingVersion.value === version) pendingVersion.value = null;
  }
}

/** A stale table isn't a mistake of its player: show what has changed. @param {unknown} error */
async function handleActionError(error) {
  if (!(error instanceof Problem) || error.code !== "stale_version") {
    showError(error);
    return;
  }
  const before = game.value.version;
  const read = await client.ask(path(`/events?after=${before}`)).catch(() => ({ events: [] }));
  const told = read.events.map((/** @type {any} */ one) => one.text).filter(Boolean);
  notice.value = [t("The game has moved on."), ...told].join(" ");
  await reload();
}

/** May this player do something, at the version that is shown? */
const mayAct = () => [...game.value.to_act, ...game.value.may_act].includes(game.value.you);

/** Ask an AI what it would do with what this seat knows: again, if somebody has acted meanwhile. */
export async function requestHint() {
  if (!isMine.value || hint.value?.waiting) return;
  hint.value = { waiting: true };
  notice.value = "";
  const { id } = game.value;
  try {
    for (;;) {
      const { version } = game.value;
      const wasOvertaken = () => game.value.version !== version;
      const result = await hintNow().catch((error) => {
        if (!wasOvertaken()) throw error;
      });
      if (game.value.id !== id) return;
      if (!wasOvertaken()) hint.value = result;
      else if (mayAct()) continue;
      else [hint.value, notice.value] = [null, t("The table has changed: ask for a hint again when you may act.")];
      return;
    }
  } catch (error) {
    hint.value = null;
    showError(error);
  }
}

const hintNow = async () => client.finished(await client.post(path("/hints"), {}));

/** @param {string} signalled */
export async function sendSignal(signalled) {
  await post("/signals", { signal: signalled });
}

/** @param {string} rest @param {unknown} [body] */
export async function post(rest, body = {}) {
  problem.value = null;
  try {
    return await client.post(path(rest), body);
  } catch (error) {
    showError(error);
    return null;
  }
}

// What would happen: asked for each time the choice says an action.
let asked = 0;
effect(() => {
  const chosen = selectedAction.value;
  const number = ++asked;
  preview.value = null;
  if (!chosen) return;
  const { id, version } = game.peek();
  // A stale version is no error to show: the stream brings the newer one.
  const isStale = (/** @type {unknown} */ error) => error instanceof Problem && error.code === "stale_version";
  client
    .post(`/v1/games/${id}/actions?dry_run=true`, chosen.action, { headers: { "If-Match": `"${version}"` } })
    .then((read) => {
      if (number === asked) preview.value = read;
    })
    .catch((error) => number === asked && !isStale(error) && showError(error));
});

/** Load the board of a ruleset, its styles and its sentences; without a board the plain one. @param {string} name */
async function loadPicture(name) {
  const folder = `/static/rulesets/${name}/`;
  try {
    const [board] = await Promise.all([
      import(`${folder}board.js`),
      loadStyles(`${folder}board.css`),
      addCatalogue(folder),
    ]);
    return board;
  } catch {
    return import("./plain.js");
  }
}

/** @param {string} href */
function loadStyles(href) {
  return new Promise((done) => {
    const link = document.createElement("link");
    document.head.append(Object.assign(link, { rel: "stylesheet", href, onload: done, onerror: done }));
  });
}

let following = new AbortController();

/** A lesson isn't kept among your games. */
let isSaved = true;

/**
 * Sit down, or watch: load everything and follow it.
 * @param {string} id
 * @param {string | null} token
 * @param {boolean} [keep]
 */
export async function openTable(id, token, keep = true) {
  isSaved = keep;
  following.abort();
  following = new AbortController();
  const { signal } = following;
  client.token = token;
  batch(() => {
    clearSelection();
    seals.clear();
    events.value = [];
    problem.value = null;
  });
  for (let wait = 250; ; wait = Math.min(2 * wait, 5000)) {
    try {
      game.value = await client.ask(`/v1/games/${id}`);
      break;
    } catch (error) {
      showError(error);
      if (!(error instanceof Problem) || !isTransient(error)) throw error;
      await sleep(Math.max(wait, 1000 * (error.retryAfter || 0)));
    }
  }
  problem.value = null;
  const { you, ruleset: called, status, commitment, version } = game.value;
  lastLoggedVersion = version;
  if (token && isSaved)
    saveGame({
      id,
      token,
      ruleset: called,
      seat: you,
      over: ENDED.includes(status),
      commitment: savedGame(id)?.commitment || commitment,
    });
  ruleset.value = await loadPicture(called);
  await Promise.all([fetchLog(), fetchLegalActions()]).catch(showError);
  if (isOver.value) {
    connection.value = "live";
    return;
  }
  client
    .follow(`/v1/games/${id}/stream`, {
      after: game.value.version,
      signal,
      message: applyUpdate,
      connection: (now) => (connection.value = now),
    })
    .catch(showError);
}

/** The reader has changed the language: everything that the server says is asked for again. */
export function reloadTexts() {
  if (!game.value) return;
  fetchLog().catch(showError);
  reload();
}

effect(() => {
  if (isOver.value && client.token && isSaved) saveGame({ id: game.value.id, token: client.token, over: true });
});
