// State of one table: game, events, legal actions, selection; and the requests that change it.
// @ts-check
import { batch, computed, effect, signal } from "../vendor.js";
import { Client, Problem, isTransient, sleep } from "../shared/client.js";
import { saveGame, savedGame, setting } from "../shared/saved.js";
import { addCatalogue, INSTALLED, language, msg, t } from "../shared/i18n.js";

/** @typedef {{action: any, text: string, label?: string}} Legal */
/** @typedef {import("../board.js").Ruleset} Ruleset */

/** Maximum number of events in the log. */
export const LOG_LINES = 120;
/** Number of earlier versions whose events are loaded. */
const PAST = 40;
const ENDED = ["finished", "abandoned"];
/** Event types that change seats. */
export const SEATING = new Set(["joined", "started", "handed_over", "abandoned"]);

export const client = new Client({ language: () => language.value });

export const game = signal(/** @type {any} */ (null));
export const legal = signal(/** @type {Legal[]} */ ([]));
export const events = signal(/** @type {any[]} */ ([]));
export const selection = signal(/** @type {string[]} */ ([]));
export const connection = signal("connecting");
export const problem = signal(/** @type {Problem | null} */ (null));
export const notice = signal("");
/** The operator's notice. If `isLive` is false, the notice may have been withdrawn meanwhile. */
export const operatorNotice = signal({ text: /** @type {string | null | undefined} */ (null), isLive: true });
export const hint = signal(/** @type {any} */ (null));
export const preview = signal(/** @type {any} */ (null));
/** The version at which an action was sent, until its response arrives; else null. */
const pendingVersion = signal(/** @type {number | null} */ (null));
/** Texts of the actions taken from this page. */
export const acted = signal(/** @type {string[]} */ ([]));
export const ruleset = signal(/** @type {Ruleset | null} */ (null));

/** True from sending an action until its response or the next version arrives, whichever is first. */
export const busy = computed(() => pendingVersion.value !== null && pendingVersion.value === game.value?.version);
export const isOver = computed(() => ENDED.includes(game.value?.status));
export const isMine = computed(() => game.value?.you != null && legal.value.length > 0);

/** Names of players, by seat. */
export const names = computed(() => (game.value?.seats || []).map((/** @type {any} */ seat) => nameOf(seat)));

/** @param {any} seat */
function nameOf(seat) {
  if (seat.name) return seat.name;
  if (seat.kind === "ai") return `${t("Player {n}", { n: seat.seat + 1 })} (${t(seat.level)})`;
  return seat.kind === "open" ? t("an open seat") : t("Player {n}", { n: seat.seat + 1 });
}

/** Return the token of an action's button, or null if the action is selected on the board. @param {any} action */
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

/** Return whether an action, such as drawing a card, needs no selection. @param {any} action */
export const isDefaultAction = (action) => (!inLesson.value && ruleset.value?.usual?.(action)) || false;

/** True while a lesson asks for an action other than the default one. */
export const inLesson = signal(false);

/** The only legal action if it has a button, else null. */
export const onlyAction = computed(() => {
  const [first, ...others] = legal.value;
  return first && !others.length && actionButtonKey(first.action) !== null ? first : null;
});

/** The legal action that the selection completes. Without a selection, the only or the default one. Null for none. */
export const selectedAction = computed(() => {
  const chosen = selection.value;
  if (!chosen.length) return onlyAction.value || legal.value.find(({ action }) => isDefaultAction(action)) || null;
  return legal.value.find(({ action }) => completesAction(action, chosen)) || null;
});

/**
 * Add a token to the selection or remove it. If no legal action has all selected tokens, select the new token alone.
 * @param {string} token
 */
export function toggleSelected(token) {
  const chosen = selection.value;
  if (chosen.includes(token)) {
    selection.value = chosen.filter((other) => other !== token);
    return;
  }
  const more = [...chosen, token];
  selection.value = legal.value.some(({ action }) => canExtendSelection(action, more)) ? more : [token];
}

/** Hashes of AI notes by version, as first received during the game. */
export const seals = new Map();

/** @param {number} version @param {string} [sealed] */
const recordSeal = (version, sealed) => sealed && !seals.has(version) && seals.set(version, sealed);

/** @param {unknown} error */
export function showError(error) {
  problem.value = error instanceof Problem ? error : new Problem({ status: 0, code: "unknown", detail: String(error) });
}

/** Remove the error that the server is unreachable. */
client.reached = () => {
  if (problem.value?.status === 0) problem.value = null;
};

const LOAD_AGAIN_MS = 2000;

/**
 * Return a signal with the module that `load` imports once `wanted` is true. After an error, try again.
 * @template T @param {() => unknown} wanted @param {() => Promise<T>} load
 */
export function loadedWhen(wanted, load) {
  const module = signal(/** @type {T | null} */ (null));
  const failed = signal(0);
  const keep = (/** @type {T} */ loaded) => {
    module.value = loaded;
    client.reached();
  };
  effect(() => {
    const n = failed.value + 1;
    if (module.value || !wanted()) return;
    load().then(keep, (error) => {
      showError(error);
      setTimeout(() => (failed.value = n), LOAD_AGAIN_MS);
    });
  });
  return module;
}

function path(rest = "") {
  return `/v1/games/${game.value.id}${rest}`;
}

/** The last version in the log. After `reload` the board may show a newer version. */
let lastLoggedVersion = 0;

/** Apply a message of the stream or a response, but each version only once. @param {any} update */
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
      kept.value = [...kept.value, ...remembered(events.value.filter((one) => one.version === version))];
    }
    // Keep the status until the game is loaded again: only the game's resource says how the game ended.
    const known = ENDED.includes(status) ? before.status : status;
    if (version >= before.version) game.value = { ...before, version, view, to_act, may_act, status: known };
    if (told) clearSelection();
  });
  // The status "finished" arrives in the stream's message only, not in the response to the action.
  const ended = ENDED.includes(update.status) && !isOver.value;
  if (told || ended) reloadOrFetchActions(update);
}

/** Clear selection, hint, preview and legal actions, which belong to one version. */
function clearSelection() {
  selection.value = [];
  if (!hint.value?.waiting) hint.value = null;
  preview.value = null;
  legal.value = [];
}

/** Load the game again if it ended, has a clock or changed seats; else only the legal actions. @param {any} update */
function reloadOrFetchActions(update) {
  const ended = ENDED.includes(update.status);
  const seating = (update.events || []).some((/** @type {any} */ one) => SEATING.has(one.type));
  if (ended || seating || game.value.deadline) reload();
  else fetchLegalActions();
}

/**
 * Load a game's resource. After a transient error, show the error and repeat the request.
 * @param {string} id @param {AbortSignal} [signal]
 */
async function readGame(id, signal) {
  for (let wait = 250; ; wait = Math.min(2 * wait, 5000)) {
    try {
      const read = await client.ask(`/v1/games/${id}`, { signal });
      if (problem.value && isTransient(problem.value)) problem.value = null;
      return read;
    } catch (error) {
      if (!(error instanceof Problem) || !isTransient(error)) throw error;
      showError(error);
      await sleep(Math.max(wait, 1000 * (error.retryAfter || 0)), signal);
    }
  }
}

/** Load the game again. */
export async function reload() {
  const { signal } = following;
  try {
    const read = await readGame(game.value.id, signal);
    // The stream, whose messages don't have the seats, has brought a newer version than this response: ask again.
    if (read.version < game.value.version) return reload();
    batch(() => {
      if (read.version > game.value.version) clearSelection();
      game.value = { ...read };
    });
    await fetchLegalActions();
  } catch (error) {
    if (!signal.aborted) showError(error);
  }
}

/** Load the legal actions, if the reader may act. */
async function fetchLegalActions() {
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

/** Load the last events in the reader's language. If the game has ended, load all of them. */
export async function fetchLog() {
  const past = isOver.value ? game.value.version : PAST;
  const read = await client.ask(path(`/events?after=${Math.max(game.value.version - past, 0) - 1}`));
  if (!isOver.value)
    for (const [version, sealed] of Object.entries(read.ai_notes)) recordSeal(+version, String(sealed));
  const seen = new Set(read.events.map((/** @type {any} */ one) => one.version));
  const newer = events.value.filter(({ version }) => !seen.has(version) && version > game.value.version - past);
  events.value = [...read.events, ...newer].slice(isOver.value ? 0 : -LOG_LINES);
  lastLoggedVersion = Math.max(lastLoggedVersion, ...seen);
}

/** Events of the whole game, of the types that the ruleset's board lists in `remembers`. */
export const kept = signal(/** @type {any[]} */ ([]));

/** @param {any[]} all */
const remembered = (all) => all.filter(({ type }) => ruleset.value?.remembers?.includes(type));

/** Load the events for `kept`. */
async function fetchKept() {
  if (!ruleset.value?.remembers) return;
  const { version } = game.value;
  const { events: all } = await client.ask(path("/events?after=-1"));
  kept.value = [...remembered(all), ...kept.value.filter((one) => one.version > version)];
}

/** The function that sends an action. Puzzles replace it. */
export const sending = {
  /** @param {Legal} chosen @param {number} version */
  send: (chosen, version) => client.act(path("/actions"), chosen.action, { version, patient: true }),
};

/** Take the selected action. */
export async function act() {
  const chosen = selectedAction.value;
  if (!chosen || busy.value) return;
  const { version } = game.value;
  pendingVersion.value = version;
  problem.value = null;
  notice.value = "";
  try {
    const done = await sending.send(chosen, version);
    // If another version lies in between, wait for the stream, so that no event is skipped.
    if (done.version <= lastLoggedVersion + 1) applyUpdate(done);
    acted.value = [...acted.value, chosen.text];
  } catch (error) {
    await handleActionError(error);
  } finally {
    if (pendingVersion.value === version) pendingVersion.value = null;
  }
}

/** Show an error. If another seat acted first, show what has changed instead. @param {unknown} error */
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

/** Return whether the reader may act at the current version. */
const mayAct = () => [...game.value.to_act, ...game.value.may_act].includes(game.value.you);

/** Request a hint. Repeat the request if another seat acts before the hint arrives. */
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

// Like a move, a hint is asked for again when the connection is back; it may then be computed twice.
const hintNow = async () => client.finished(await client.act(path("/hints"), {}, { patient: true }));

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

// Load the preview (dry run) whenever the selected action changes.
let asked = 0;
effect(() => {
  const chosen = selectedAction.value;
  const number = ++asked;
  preview.value = null;
  if (!chosen) return;
  const { id, version } = game.peek();
  // A stale version is not shown as an error, because the stream sends the newer one.
  const isStale = (/** @type {unknown} */ error) => error instanceof Problem && error.code === "stale_version";
  client
    .post(`/v1/games/${id}/actions?dry_run=true`, chosen.action, { headers: { "If-Match": `"${version}"` } })
    .then((read) => {
      if (number === asked) preview.value = read;
    })
    .catch((error) => number === asked && !isStale(error) && showError(error));
});

/** Add the functions that a ruleset's module lacks. By default an action's tokens are selected in order.
 * @param {Partial<Ruleset>} picture */
function completed(picture) {
  const tokens = (/** @type {any} */ action) => picture.tokens?.(action) ?? [];
  const reachable = (/** @type {any} */ action, /** @type {string[]} */ choice) =>
    choice.every((token, at) => tokens(action)[at] === token);
  const settled = (/** @type {any} */ action, /** @type {string[]} */ choice) =>
    choice.length === tokens(action).length && reachable(action, choice);
  return /** @type {Ruleset} */ ({ reachable, settled, ...picture, tokens });
}

/** Load board, styles and sentences of a ruleset, or the default board if it has none. @param {string} name */
async function loadPicture(name) {
  const { picture } = INSTALLED[name] ?? {};
  try {
    if (picture) {
      const { module, styles } = picture;
      const catalogue = addCatalogue(`/static/rulesets/${name}/`);
      const [board] = await Promise.all([import(module), catalogue, ...styles.map(loadStyles)]);
      if (!board.Board) throw new TypeError("It exports no Board.");
      return completed(board);
    }
  } catch (error) {
    console.error(`${picture?.module}: ${error}`);
    notice.value = t("The picture of this game can't be loaded; it is drawn plainly.");
  }
  return completed(await import("./default_board.js"));
}

/** @param {string} href */
export function loadStyles(href) {
  if (document.querySelector(`link[href="${href}"]`)) return Promise.resolve();
  return new Promise((done) => {
    const link = document.createElement("link");
    document.head.append(Object.assign(link, { rel: "stylesheet", href, onload: done, onerror: done }));
  });
}

let following = new AbortController();

/** End the stream and the requests of the table that was followed. */
function stopFollowing() {
  following.abort();
  following = new AbortController();
}

/** True if the game is listed among the saved games; lessons are not. */
let isSaved = true;

/**
 * Load a game, as a seat or a spectator, and follow its stream.
 * @param {string} id
 * @param {string | null} token
 * @param {boolean} [keep]
 */
export async function openTable(id, token, keep = true) {
  isSaved = keep;
  stopFollowing();
  client.token = token;
  batch(() => {
    clearSelection();
    seals.clear();
    events.value = [];
    kept.value = [];
    problem.value = null;
  });
  game.value = await readGame(id).catch((error) => {
    showError(error);
    throw error;
  });
  const { you, ruleset: called, status, commitment, version } = game.value;
  operatorNotice.value = { text: game.value.notice, isLive: isOver.value };
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
  fetchKept().catch(showError);
  if (isOver.value) {
    connection.value = "live";
    return;
  }
  followStream();
}

/** Follow the stream of the game from its present version on, in the reader's language. */
function followStream() {
  const { signal } = following;
  client
    .follow(path("/stream"), {
      after: game.value.version,
      signal,
      message: applyUpdate,
      connection: (now) => {
        connection.value = now;
        if (now === "live") {
          client.reached();
          if (!legal.value.length) fetchLegalActions();
        }
        if (now === "lost") operatorNotice.value = { ...operatorNotice.value, isLive: false };
      },
      notice: (text) => (operatorNotice.value = { text, isLive: true }),
    })
    .catch(showError);
}

/** After a change of language, load all texts of the server again. */
export function reloadTexts() {
  if (!game.value) return;
  if (!isOver.value) {
    stopFollowing();
    followStream();
  }
  fetchLog().catch(showError);
  reload();
}

effect(() => {
  if (isOver.value && client.token && isSaved) saveGame({ id: game.value.id, token: client.token, over: true });
});

// The shown version, and the seat from whose view it is shown

/** True after the reader has closed the panel at the end of the game, to see the table. */
export const isAway = signal(false);
/** The earlier version that is shown; null for the present. */
export const past = signal(/** @type {number | null} */ (null));
export const pastView = signal(/** @type {any} */ (null));
/** The seat from whose view the replay is shown; null for the reader's own. */
export const viewpoint = signal(/** @type {number | null} */ (null));

/** Cache of views, newest last. @type {Map<string, any>} */
const views = new Map();
const MAX_CACHED_VIEWS = 200;

let viewsAsked = 0;
effect(() => {
  const version = past.value;
  const number = ++viewsAsked;
  if (version === null) {
    pastView.value = null;
    return;
  }
  const { id } = game.peek();
  const key = `${id}/${version}/${viewpoint.value}`;
  const seat = viewpoint.value === null ? "" : `?seat=${viewpoint.value}`;
  if (views.has(key)) {
    pastView.value = views.get(key);
    return;
  }
  client
    .ask(`/v1/games/${id}/views/${version}${seat}`)
    .then((read) => {
      views.set(key, read.view);
      if (views.size > MAX_CACHED_VIEWS) views.delete([...views.keys()][0]);
      if (number === viewsAsked) pastView.value = read.view;
    })
    .catch(showError);
});

/** Show the present version, as the reader's own seat sees it. */
export function returnToPresent() {
  past.value = null;
  viewpoint.value = null;
}

/** @param {number} to */
export function goToVersion(to) {
  const last = game.value.version;
  past.value = to >= last && !isOver.value ? null : Math.min(Math.max(to, 0), last);
}

export function back() {
  if (game.value) goToVersion((past.value ?? game.value.version) - 1);
}

export function forward() {
  if (past.value !== null) goToVersion(past.value + 1);
}

// Dialogs, the drawer beside the table, and sound

export const DIALOGS = {
  keys: msg("Keys and legend"),
  device: msg("Continue on another device"),
  leave: msg("Leave the game"),
};
export const dialog = signal(/** @type {keyof typeof DIALOGS | null} */ (null));
/** True while log, hints and replay are shown. */
export const drawer = signal(false);
/** Media query for windows in which the drawer is beside the table. */
export const WIDE = "(min-width: 900px) and (min-height: 560px)";
export const sound = signal(setting("sound", false));

/** Open the drawer and request a hint. */
export function askForHint() {
  drawer.value = true;
  requestHint();
}
