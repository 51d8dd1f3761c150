// Page of a table for any ruleset: everything around the board.
// @ts-check
import { computed, effect, html, render, signal, useEffect, useLayoutEffect, useRef } from "../vendor.js";
import { listen } from "./keys.js";
import { Log, Since } from "./log.js";
import { Rail } from "./action_panel.js";
import { End, Replay } from "./lazy_replay.js";
import { marks, scene, shownGame } from "./scenes.js";
import {
  askForHint,
  dialog,
  drawer,
  goToVersion,
  isAway,
  past,
  pastView,
  returnToPresent,
  sound,
  viewpoint,
  WIDE,
} from "./state.js";
import { LATE_MS } from "../shared/cards.js";
import { loadBoldFace, savedGame, tableLink } from "../shared/saved.js";
import * as state from "./state.js";
import { Top } from "./top.js";
import { addCatalogue, language, rulesetTitle, t } from "../shared/i18n.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @typedef {{id: string, token: string | null, invite: string | null, step?: number}} Place */

/** Return the game, token and invite of the page's address. @returns {Place | null} */
function place() {
  const shared = location.hash.match(/^#([\w-]+)@(\d+)$/);
  if (shared)
    return { id: shared[1], token: savedGame(shared[1])?.token || null, invite: null, step: Number(shared[2]) };
  const [id, secret] = location.hash.slice(1).split(".");
  if (id && secret?.startsWith("ri_")) return { id, token: savedGame(id)?.token || null, invite: secret };
  if (id && secret) return { id, token: secret, invite: null };
  const watched = new URLSearchParams(location.search).get("g") || (secret === undefined && id);
  return watched ? { id: watched, token: savedGame(watched)?.token || null, invite: null } : null;
}

const missing = signal(false);
const here = signal(/** @type {Place | null} */ (null));
/** True if the page needs the module of invitations. */
const wantsLinks = computed(
  () =>
    (here.value?.invite && !here.value.token) ||
    state.game.value?.status === "waiting" ||
    dialog.value === "device" ||
    dialog.value === "leave",
);
const links = state.loadedWhen(
  () => wantsLinks.value,
  () => import("./panels/invite.js"),
);
/** Module of the dialog, loaded when it is first opened. */
const opened = state.loadedWhen(
  () => dialog.value,
  () => import("./panels/dialog.js"),
);
effect(() => {
  if (state.operatorNotice.value.text) import("./panels/operator_notice.js").catch(state.showError);
});
/** Module of lessons or puzzles, if this table is one. */
const lesson = new URLSearchParams(location.search).has("lesson")
  ? await import("../learn/lesson_banner.js")
  : location.pathname.startsWith("/puzzles/")
    ? await import("../puzzles/banner.js")
    : null;

/** Remove the error, and move the focus from its button to what can be done now. */
function dismiss() {
  state.problem.value = null;
  /** @type {HTMLElement | null} */ (
    document.querySelector(".end h2, #act") || document.querySelector(".status")
  )?.focus();
}

function Trouble() {
  const { value } = state.problem;
  const lost = state.connection.value === "lost";
  return html`<div class="trouble" role="alert">
    ${lost ? html`<p class="problem">${t("Connection lost. Reconnecting…")}</p>` : null}
    ${state.notice.value ? html`<p class="problem news">${state.notice.value}</p>` : null}
    ${
      value && !(lost && value.status === 0)
        ? html`<p class="problem row"><span>
          ${value.status === 0 ? t("Can't reach the server.") : value.detail}</span>
      <button type="button" class="plain" onClick=${dismiss}>${t("Dismiss")}</button></p>`
        : null
    }
  </div>`;
}

/** Elements of the board that can have the focus. */
const FOCUSABLE = "[data-token]:enabled, #act";

/**
 * Move the focus to a neighbour when the focused element is removed: from the act button to the sentence above it, and
 * back when there is an act button again.
 * @param {any} boardRef
 */
function useFocus(boardRef) {
  const last = useRef({ index: -1, had: false, acted: false });
  const { version } = state.game.value;
  useEffect(() => {
    const { current: board } = boardRef;
    const note = (/** @type {any} */ { target }) => {
      const index = [...board.querySelectorAll(FOCUSABLE)].indexOf(target);
      if (!target.matches(".status")) last.current = { index, had: true, acted: target.id === "act" };
    };
    board.addEventListener("focusin", note);
    return () => board.removeEventListener("focusin", note);
  }, []);
  // A layout effect, so that an Enter for the act button never presses a card.
  useLayoutEffect(() => {
    const { index, had, acted } = last.current;
    const lost = !document.activeElement || document.activeElement.matches("body, .status");
    if (!had || !lost) return;
    const all = boardRef.current.querySelectorAll(acted ? "#act" : FOCUSABLE);
    const next = all[Math.min(Math.max(index, 0), all.length - 1)] || boardRef.current.querySelector(".status");
    next?.focus({ preventScroll: true });
  }, [version, state.legal.value]);
}

/** Return the events of the types that the board lists in `remembers`, up to the shown step. */
function knownEvents() {
  const version = past.value ?? shownGame.value.version;
  return state.kept.value.filter((one) => one.version <= version);
}

/** The board at the present version, after another player's move that is being shown, or at an earlier version. */
function Picture() {
  const game = state.game.value;
  const { value: ruleset } = state.ruleset;
  const replaying = past.value !== null;
  const idle = replaying || (lesson?.isThrough() ?? false);
  const view = replaying ? pastView.value : shownGame.value.view;
  if (!view || !ruleset) return null;
  return html`<div class="board"><${ruleset.Board} game=${game} view=${view}
    you=${replaying ? (viewpoint.value ?? game.you) : game.you} names=${state.names.value}
    legal=${idle ? [] : state.legal.value} choice=${idle ? [] : state.selection.value} choose=${state.toggleSelected}
    reachable=${state.canExtendSelection} replaying=${replaying} marks=${replaying ? {} : marks.value}
    told=${idle ? null : state.preview.value} events=${knownEvents()} /></div>`;
}

/** Module of the hints, loaded when the drawer is first opened. */
const inside = state.loadedWhen(
  () => drawer.value,
  () => import("./panels/hints.js"),
);

/** Hints, log and replay. While the drawer is closed, it has only the log, for screen readers. */
function Drawer() {
  const open = drawer.value;
  const through = lesson?.isThrough() ?? false;
  const { value: more } = inside;
  return html`<aside class=${`side${open ? " open" : ""}`} aria-label=${t("Game log")}>
    ${
      open
        ? html`<button type="button" class="close icon"
          aria-label=${t("Close")} onClick=${closeDrawer}>
          ✕</button>${more && !through ? html`<${more.Hints} />` : null}`
        : null
    }
    <${Log} open=${open} />
    ${open && more ? html`<${Replay} lesson=${Boolean(lesson)} />` : null}</aside>`;
}

/** Close the drawer. If the focus is in the drawer, move it to the button that opens the drawer. */
function closeDrawer() {
  if (document.activeElement?.closest(".side"))
    /** @type {HTMLElement | null} */ (document.querySelector(".top [aria-expanded]"))?.focus();
  drawer.value = false;
}

/** Close the panel at the end of the game, and open the drawer with the slider. */
function lookBack() {
  isAway.value = true;
  drawer.value = true;
}

effect(() => {
  if (state.isOver.value && !lesson && matchMedia(WIDE).matches) drawer.value = true;
});

function Table() {
  const game = state.game.value;
  const boardRef = useRef(null);
  useFocus(boardRef);
  const idle = past.value !== null || (lesson?.isThrough() ?? false);
  return html`<main class="stage" data-stage data-game=${game.ruleset} data-version=${game.version}
      data-shown=${scene.value?.version ?? game.version} ref=${boardRef}>
      <h1 class="hidden">${rulesetTitle(game.ruleset)}</h1>
      <div class=${`table ${game.ruleset} seats-${game.seats.length}`}>
        <${Top} lesson=${Boolean(lesson)} /><${Trouble} />
        ${lesson ? html`<${lesson.Banner} />` : html`<${Since} />`}
        <${Picture} />
        <${Rail} lesson=${lesson} idle=${idle} />
        <${Drawer} /><${End} lesson=${Boolean(lesson)} look=${lookBack} />
      </div>
    </main>
    ${dialog.value && opened.value ? html`<${opened.value.Dialog} links=${links.value} />` : null}`;
}

function Page() {
  if (missing.value)
    return html`<main class="alone panel"><h1>Regicide</h1><p>
      ${t("There is no such game, or it is private. Perhaps the link is incomplete.")}</p>
        <a class="button primary" href="/">${t("All games")}</a></main>`;
  const at = here.value;
  if (at?.invite && !at.token && links.value)
    return html`<${links.value.Join} id=${at.id} invite=${at.invite} sit=${sit} />`;
  if (!state.game.value || !state.ruleset.value)
    return html`<main class="alone"><h1 class="hidden">Regicide</h1><p role="status">
      ${
        !state.problem.value
          ? t("Loading the game…")
          : state.problem.value.status === 0
            ? t("Can't reach the server.")
            : state.problem.value.detail
      }</p></main>`;
  if (state.game.value.status === "waiting" && links.value) return html`<${links.value.Invite} />`;
  return html`<${Table} />`;
}

/** Open the table of a seat. @param {string} id @param {string} token */
function sit(id, token) {
  history.replaceState(null, "", tableLink(id, token));
  arrive();
}

function arrive() {
  here.value = place();
  missing.value = !here.value;
  returnToPresent();
  const at = here.value;
  if (!at || (at.invite && !at.token)) return;
  state
    .openTable(at.id, at.token, !lesson)
    .then(begun)
    .then(() => at.step !== undefined && goToVersion(at.step))
    .catch((error) => {
      if (error.status >= 400 && error.status < 500) missing.value = true;
    });
}

/** If the game's creator opens it: replay an ended game of AIs, or warn if the running game has no commitment. */
function begun() {
  const { id, you } = state.game.value;
  const { host, promised } = savedGame(id) || {};
  if (!host) return;
  // Show a game of AIs from its first step: it may be over already.
  if (state.isOver.value && you == null) past.value = 0;
  if (!state.isOver.value && promised === false)
    import("../new_game/new_game.js")
      .then(({ noCommitment }) => (state.notice.value = noCommitment()))
      .catch(state.showError);
}

effect(() => {
  const game = state.game.value;
  if (!game) return;
  const mine = game.you != null && game.to_act.includes(game.you);
  document.title = `${mine ? `● ${t("Your turn")} – ` : ""}${rulesetTitle(game.ruleset)}`;
});

/** Version whose sound was played last. */
let heard = -1;
let wasMine = false;
effect(() => {
  const game = shownGame.value;
  if (!game?.view || game.version === heard) return;
  const first = heard < 0;
  heard = game.version;
  const mine = game.you != null && game.to_act.includes(game.you);
  const events = state.events.peek().filter((one) => one.version === game.version);
  const ends = game.status !== "waiting" && !game.to_act.length;
  const kind = ends ? "end" : mine && !wasMine ? "turn" : state.ruleset.peek()?.soundOf?.(events);
  wasMine = mine;
  if (sound.peek() && !first) import("./sound.js").then(({ play }) => play(kind ?? "play")).catch(state.showError);
});
/** Load the modules and the font that the first paint doesn't need. */
function loadLate() {
  loadBoldFace();
  for (const name of ["panels/notify", "drag"]) import(`./${name}.js`).catch(state.showError);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) import("./motions.js").catch(state.showError);
}
let isComplete = false;
effect(() => {
  if (isComplete || !state.ruleset.value) return;
  isComplete = true;
  setTimeout(loadLate, LATE_MS);
});

let spoken = language.value;
effect(() => {
  if (language.value === spoken) return;
  spoken = language.value;
  state.reloadTexts();
});

addEventListener("hashchange", () => location.reload()); // the address names another table
listen({
  help: () => (dialog.value = dialog.value === "keys" ? null : "keys"),
  hint: askForHint,
  close: closeDrawer,
  log: () => {
    drawer.value = true;
    requestAnimationFrame(() => document.getElementById("log")?.focus());
  },
});
render(html`<${Page} />`, /** @type {Element} */ (document.getElementById("page")));
if (lesson && "begin" in lesson) lesson.begin();
else arrive();
