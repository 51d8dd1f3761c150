// Page of a table: all around the board, for any ruleset.
// @ts-check
import { computed, effect, html, render, signal, useEffect, useRef, useState } from "../vendor.js";
import { written } from "../shared/cards.js";
import { listen } from "./keys.js";
import { Hints, Log } from "./log.js";
import { Choices, fourColours, rulesLink, toggleColours } from "../shared/page.js";
import { Replay } from "./replay.js";
import { past, pastView, returnToPresent, viewpoint } from "./state.js";
import { saveSetting, savedGame, setting, tableLink } from "../shared/saved.js";
import * as state from "./state.js";
import { addCatalogue, language, msg, rulesetTitle, t } from "../shared/i18n.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @typedef {{id: string, token: string | null, invite: string | null}} Place */

/** Return the game, token and invite of the page's address. @returns {Place | null} */
function place() {
  const [id, secret] = location.hash.slice(1).split(".");
  if (id && secret?.startsWith("ri_")) return { id, token: savedGame(id)?.token || null, invite: secret };
  if (id && secret) return { id, token: secret, invite: null };
  const watched = new URLSearchParams(location.search).get("g");
  return watched ? { id: watched, token: savedGame(watched)?.token || null, invite: null } : null;
}

const missing = signal(false);
const here = signal(/** @type {Place | null} */ (null));
const DIALOGS = { keys: msg("Keys"), device: msg("Continue on another device"), leave: msg("Leave the game") };
const dialog = signal(/** @type {keyof typeof DIALOGS | null} */ (null));
/** True if the module of invitations is needed. */
const wantsLinks = computed(
  () =>
    (here.value?.invite && !here.value.token) ||
    state.game.value?.status === "waiting" ||
    dialog.value === "device" ||
    dialog.value === "leave",
);
const links = signal(/** @type {typeof import("./panels/invite.js") | null} */ (null));
effect(() => {
  if (wantsLinks.value && !links.value)
    import("./panels/invite.js").then((loaded) => (links.value = loaded)).catch(state.showError);
});
/** Module of the list of shortcuts, loaded on demand. */
const help = signal(/** @type {typeof import("./panels/keys_help.js") | null} */ (null));
effect(() => {
  if (dialog.value === "keys" && !help.value)
    import("./panels/keys_help.js").then((loaded) => (help.value = loaded)).catch(state.showError);
});
/** Module of lessons, if this table is one. */
const lesson = new URLSearchParams(location.search).has("lesson") ? await import("../learn/lesson.js") : null;
const sound = signal(setting("sound", false));

/** Return whose turn it is, as a sentence. @param {any} game */
export function turnOf(game) {
  const { status, you, to_act } = game;
  if (status === "waiting") return t("Waiting for players.");
  if (status === "abandoned") return t("The game was abandoned.");
  if (status === "finished") return t("The game is over.");
  if (you != null && to_act.includes(you))
    return (
      state.ruleset.value?.prompt?.(game.view, game, state.selection.value, state.legal.value, lesson?.wants()) ||
      t("Your turn")
    );
  const seat = to_act[0];
  if (seat == null) return t("Nobody");
  const name = state.names.value[seat];
  return game.seats[seat].kind === "ai" ? t("{name} is thinking…", { name }) : t("It is {name}'s turn.", { name });
}

function Clock() {
  const { deadline } = state.game.value;
  const [, tick] = useState(0);
  useEffect(() => {
    if (!deadline) return undefined;
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, [deadline]);
  if (!deadline) return null;
  const left = Math.max(0, Math.round((Date.parse(deadline) - Date.now()) / 1000));
  return html`<span class="clock" role="timer">${t("{n} s left", { n: left })}</span>`;
}

function Seats() {
  const { seats, to_act, you } = state.game.value;
  return html`<ol class="seats plainlist" aria-label=${t("Players")}>${seats.map((/** @type {any} */ seat) => {
    const now = to_act.includes(seat.seat);
    const kind = seat.kind === "ai" && seat.name ? t("AI, {level}", { level: t(seat.level) }) : "";
    return html`<li key=${seat.seat} class=${now ? "now" : ""} aria-current=${now ? "true" : undefined}>
      <span class="dot" aria-hidden="true">${now ? "▶" : ""}</span>${state.names.value[seat.seat]}
        ${seat.seat === you ? ` (${t("you")})` : ""}
      ${kind && html` <span class="quiet">${kind}</span>`}</li>`;
  })}</ol>`;
}

/** Close the menu at a click in or outside it, and at Escape. @param {HTMLDetailsElement | null} menu */
function closeMenu(menu) {
  menus.abort();
  if (!menu) return;
  menus = new AbortController();
  const { signal } = menus;
  const onClick = (/** @type {MouseEvent} */ { target }) => {
    const inside = /** @type {Element} */ (target).closest?.(".menu");
    if (!inside || /** @type {Element} */ (target).closest(".sheet a, .sheet button")) menu.open = false;
  };
  const onKey = (/** @type {KeyboardEvent} */ { key }) => {
    if (key === "Escape") menu.open = false;
  };
  addEventListener("click", onClick, { signal });
  addEventListener("keydown", onKey, { signal });
}
let menus = new AbortController();

function Head() {
  const { ruleset } = state.game.value;
  return html`<header class="head">
    <h1><a href="/" aria-label=${`${rulesetTitle(ruleset)}: ${t("All games")}`}><span aria-hidden="true">♛ </span>
      ${rulesetTitle(ruleset)}</a></h1>
    <${Seats} /><${Clock} />
    <nav class="tools" aria-label=${t("More")}>
      <details class="menu" ref=${closeMenu}><summary class="button">${t("More")}</summary><div class="panel sheet">
        <a class="button" href=${rulesLink(ruleset)} target="_blank" rel="noopener">${t("Rules")}</a>
        <button type="button" onClick=${() => (dialog.value = "keys")}>${t("Keys")} <kbd>?</kbd></button>
        ${
          state.client.token
            ? html`<button type="button" onClick=${() => (dialog.value = "device")}>${t("Continue on another device")}
            </button>`
            : null
        }
        ${
          state.game.value.you != null && state.game.value.status === "active" && !lesson
            ? html`<button type="button" onClick=${() => (dialog.value = "leave")}>${t("Leave the game")}</button>`
            : null
        }
        <label class="row">
          <input type="checkbox" checked=${fourColours.value}
            onChange=${toggleColours} /> ${t("Suits in four colours")}</label>
        <label class="row"><input type="checkbox" checked=${sound.value} onChange=${() => {
          sound.value = !sound.value;
          saveSetting("sound", sound.value);
        }} /> ${t("Sound on your turn")}</label>
      </div></details>
      <${Choices} />
    </nav>
  </header>`;
}

/** Return the label of a legal action. @param {any} one */
export function labelOf(one) {
  return one.label || one.text.replace(/\b([2-9TJQKA][CDHS]|X[12])\b/g, written);
}

/** Preview of the selected action. */
function Preview() {
  const { value } = state.preview;
  const told = (value?.events || []).map((/** @type {any} */ one) => one.text).filter(Boolean);
  const { value: chosen } = state.selectedAction;
  if (!told.length || !chosen) return html`<p class="preview" id="preview" aria-live="polite"></p>`;
  const { value: ruleset } = state.ruleset;
  const [game, { action }] = [state.game.value, chosen];
  const more =
    value.certain === false ? ruleset?.hidden?.(game, action, value) || t("Hidden cards will be revealed.") : "";
  const lost = value.events.some((/** @type {any} */ one) => one.type === "ended" && one.result === "lost");
  const warning = lost ? "" : ruleset?.warning?.(game, action, value);
  return html`<p class=${`preview${lost ? " danger" : ""}`} id="preview" aria-live="polite">${told.join(" ")} ${more}
    ${warning ? html` <strong class="danger">${warning}</strong>` : null}</p>`;
}

/** Height of the action bar, which the hand is above on a phone. */
const bar = new ResizeObserver(([{ target }]) => {
  document.documentElement.style.setProperty("--actbar", `${/** @type {HTMLElement} */ (target).offsetHeight}px`);
});

/** @param {Element | null} element */
function measured(element) {
  bar.disconnect();
  if (element) bar.observe(element);
}

function ActBar() {
  const legal = state.legal.value;
  const chosen = state.selectedAction.value;
  if (!legal.length) return null;
  const words = legal
    .map((one) => ({ one, word: state.actionButtonKey(one.action) }))
    .filter(({ one, word }) => word !== null && one !== state.onlyAction.value && !state.isDefaultAction(one.action));
  const aside = legal.filter(({ action }) => state.ruleset.value?.aside?.(action));
  const ask =
    words.length < legal.length
      ? state.ruleset.value?.ask?.(state.game.value.view, state.selection.value) || t("Choose on the board")
      : t("Press one of the buttons");
  const toggle = (/** @type {state.Legal} */ one) => {
    state.selection.value = one === chosen ? [] : [...(state.ruleset.value?.tokens(one.action) || [])];
  };
  return html`<section class="actbar panel" ref=${measured} aria-label=${t("What you can do")}>
    <${Preview} />
    <div class="row">
      ${words.map(
        ({ one, word }) => html`<button type="button" key=${word} data-token=${word}
          aria-pressed=${state.selection.value.includes(String(word)) ? "true" : "false"}
        onClick=${() => state.toggleSelected(String(word))}>${labelOf(one)}</button>`,
      )}
      ${aside.map(
        (one) => html`<button type="button" class="aside" key=${one.text}
          aria-pressed=${one === chosen ? "true" : "false"} onClick=${() => toggle(one)}>${labelOf(one)}</button>`,
      )}
      <button type="button" class="primary" id="act" aria-describedby="preview"
        aria-disabled=${chosen && !state.busy.value ? "false" : "true"}
        onClick=${() => state.act()}>${chosen ? labelOf(chosen) : ask}</button>
    </div>
  </section>`;
}

function Signals() {
  const offered = state.ruleset.value?.signals?.(state.game.value) ?? [];
  if (!offered.length) return null;
  return html`<section class="panel row" aria-label=${t("Signal the others")}><span>${t("Signal the others")}:</span>
    ${offered.map(
      ([signal, label]) =>
        html`<button type="button" key=${signal} onClick=${() => state.sendSignal(signal)}>${label}</button>`,
    )}</section>`;
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
          ${value.status === 0 ? t("Can't reach the server. Retrying…") : value.detail}</span>
      <button type="button" class="plain" onClick=${() => (state.problem.value = null)}>${t("Dismiss")}</button></p>`
        : null
    }
  </div>`;
}

/** @param {any} game */
function headline({ outcome, status, you }) {
  if (status === "abandoned") return t("The game was abandoned.");
  if (!outcome) return t("The game is over.");
  const winners = outcome.winners || (outcome.winner == null ? [] : [outcome.winner]);
  if (winners.length && you != null) return winners.includes(you) ? t("You have won!") : t("You have lost.");
  const names = winners.map((/** @type {number} */ seat) => state.names.value[seat]).join(", ");
  if (winners.length)
    return winners.length === 1 ? t("Won by {name}", { name: names }) : t("Won by {names}", { names });
  if (outcome.result === "won") return state.ruleset.value?.victory?.(outcome) ?? t("Victory!");
  return outcome.result === "lost" ? t("Defeat") : t("A draw");
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

function End() {
  const game = state.game.value;
  if (!state.isOver.value || lesson || past.value !== null) return null;
  const last = state.events.value.filter((one) => one.type === "ended" && one.text).pop();
  return html`<section class="end panel" aria-label=${t("The end")}>
    <h2>${headline(game)}</h2>${last ? html`<p>${last.text}</p>` : null}
    <div class="row">
      ${
        game.you != null && game.status === "finished"
          ? html`<button type="button" class="primary" onClick=${again}>${t("Play again")}</button>`
          : null
      }
      <a class="button" href="/">${t("All games")}</a></div>
  </section>`;
}

/** Move the focus to a neighbour when the focused element is removed. @param {any} boardRef */
function useFocus(boardRef) {
  const last = useRef({ index: -1, had: false });
  const { version } = state.game.value;
  useEffect(() => {
    const { current: board } = boardRef;
    const note = () => {
      const all = [...board.querySelectorAll("[data-token], #act")];
      last.current = { index: all.indexOf(document.activeElement), had: true };
    };
    board.addEventListener("focusin", note);
    return () => board.removeEventListener("focusin", note);
  }, []);
  useEffect(() => {
    const lost = !document.activeElement || document.activeElement === document.body;
    if (!last.current.had || !lost) return;
    const all = boardRef.current.querySelectorAll("[data-token], #act");
    const next =
      all[Math.min(Math.max(last.current.index, 0), all.length - 1)] || boardRef.current.querySelector(".status");
    next?.focus({ preventScroll: true });
  }, [version, state.legal.value]);
}

function Table() {
  const game = state.game.value;
  const { value: ruleset } = state.ruleset;
  const seen = past.value === null ? game.view : pastView.value;
  const boardRef = useRef(null);
  useFocus(boardRef);
  const replaying = past.value !== null;
  const through = lesson?.isThrough() ?? false;
  const status = replaying
    ? t("The table as it was at step {version}.", { version: past.value })
    : through
      ? ""
      : turnOf(game);
  const mine = !replaying && !through && game.you != null && game.to_act.includes(game.you);
  return html`<${Head} />
    <main class=${`table ${game.ruleset}`} data-version=${game.version} ref=${boardRef}>
      ${lesson ? html`<${lesson.LessonBanner} />` : null}
      <div class="middle">
        <p class=${`status${mine ? " mine" : ""}`} role="status" tabindex="-1">${status}
          ${
            !mine && !replaying && game.you != null && game.may_act.includes(game.you)
              ? ` ${state.ruleset.value?.interrupt?.() || t("Not your turn, but you may act.")}`
              : ""
          }
              ${game.you == null && !replaying ? ` ${t("You are watching.")}` : ""}</p>
        <${Trouble} /><${End} />
        ${
          seen && ruleset
            ? html`<${ruleset.Board} game=${game} view=${seen}
              you=${replaying ? (viewpoint.value ?? game.you) : game.you} names=${state.names.value}
          legal=${replaying || through ? [] : state.legal.value} choice=${replaying ? [] : state.selection.value}
            choose=${state.toggleSelected}
          reachable=${state.canExtendSelection} replaying=${replaying} />`
            : null
        }
        <${Signals} />${replaying || through ? null : html`<${ActBar} />`}
      </div>
      <aside class="side" aria-label=${t("Game log")}>${through ? null : html`<${Hints} labelOf=${labelOf} />`}
        <${Log} /><${Replay} /></aside>
    </main>
    ${dialog.value ? html`<${Dialog} />` : null}`;
}

function Dialog() {
  const box = useRef(/** @type {any} */ (null));
  useEffect(() => {
    box.current.showModal();
  }, []);
  return html`<dialog ref=${box} aria-label=${t(DIALOGS[dialog.value ?? "keys"])}
    onClose=${() => (dialog.value = null)}>
    ${
      dialog.value === "keys"
        ? help.value && html`<${help.value.HelpKeys} />`
        : links.value &&
          (
            dialog.value === "leave"
              ? html`<${links.value.LeavePanel} done=${() => (dialog.value = null)} />`
              : html`<${links.value.DevicePanel} />`
          )
    }
    <form method="dialog"><button>${t("Close")}</button></form></dialog>`;
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
            ? t("Can't reach the server. Retrying…")
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
    .catch((error) => {
      if (error.status >= 400 && error.status < 500) missing.value = true;
    });
}

/** Show the creator of a game what concerns it. */
function begun() {
  const { id, you } = state.game.value;
  const { host, promised } = savedGame(id) || {};
  if (!host) return;
  // A game of AIs is shown from its first step, because it may have ended already.
  if (state.isOver.value && you == null) past.value = 0;
  if (!state.isOver.value && promised === false)
    import("../shared/new_game.js")
      .then(({ noCommitment }) => (state.notice.value = noCommitment()))
      .catch(state.showError);
}

let wasMine = false;
effect(() => {
  const game = state.game.value;
  if (!game) return;
  const mine = game.you != null && game.to_act.includes(game.you);
  document.title = `${mine ? `● ${t("Your turn")} – ` : ""}${rulesetTitle(game.ruleset)}`;
  if (mine && !wasMine && sound.peek()) import("./ring.js").then(({ ring }) => ring()).catch(state.showError);
  wasMine = mine;
});
let spoken = language.value;
effect(() => {
  if (language.value === spoken) return;
  spoken = language.value;
  state.reloadTexts();
});

addEventListener("hashchange", () => location.reload()); // another table: nothing of this one stays
listen({ help: () => (dialog.value = dialog.value === "keys" ? null : "keys") });
render(html`<${Page} />`, /** @type {Element} */ (document.getElementById("page")));
arrive();
