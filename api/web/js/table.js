// The table: everything around the board, for any ruleset.
// @ts-check
import { computed, effect, html, render, signal, useEffect, useRef, useState } from "./vendor.js";
import { written } from "./cards.js";
import { listen } from "./keys.js";
import { Hints, Log } from "./log.js";
import { Choices, fourColours, rulesLink, toggleColours } from "./page.js";
import { eyes, past, pastView, present, Replay } from "./replay.js";
import { saveSetting, savedGame, setting, tableLink } from "./saved.js";
import * as state from "./state.js";
import { addWords, language, t } from "./words.js";

addWords({
  en: {
    open: "an open seat", changed: "The game has moved on.", overtaken: "The table has changed: ask for a hint again when you may act.", yourTurn: "Your turn", thinks: "{name} is thinking…",
    acts: "It is {name}'s turn.", waiting: "Waiting for players.", over: "The game is over.", abandoned: "The game was abandoned.",
    lost: "Connection lost. Reconnecting…", choose: "Choose on the board",
    andMore: "Hidden cards will be revealed.", one: "Press one of the buttons", keys: "Keys", more: "More", fourColours: "Suits in four colours",
    sound: "Sound on your turn", players: "Players", watching: "You are watching.", won: "Victory!", defeat: "Defeat", ended: "The end",
    again: "Play again", clock: "{n} s left", say: "Signal the others", "signal.eager": "I want to go next", "signal.reluctant": "I'd rather not go next",
    noGame: "There is no such game, or it is private. Perhaps the link is incomplete.", toLobby: "All games", "kind.ai": "AI, {level}", "kind.open": "open", retry: "Dismiss",
    medal: "A {medal} victory", "medal.gold": "gold", "medal.silver": "silver", "medal.bronze": "bronze", loading: "Loading the game…",
    none: "Nobody", actions: "What you can do", leave: "Leave the game", youWon: "You have won!", draw: "A draw", youLost: "You have lost.", winners: "Won by {names}",
    interrupt: "Not your turn, but you may act.", device: "Continue on another device",
  },
  es: {
    open: "un asiento libre", changed: "La partida ha avanzado mientras tanto.", overtaken: "La mesa ha cambiado: pide otra pista cuando puedas actuar.", yourTurn: "Tu turno", thinks: "{name} está pensando…",
    acts: "Le toca a {name}.", waiting: "Esperando jugadores.", over: "La partida ha terminado.", abandoned: "La partida se abandonó.",
    lost: "Conexión perdida. Reconectando…", choose: "Elige en la mesa",
    andMore: "Las cartas ocultas se verán entonces.", one: "Pulsa uno de los botones", keys: "Teclas", more: "Más", fourColours: "Palos en cuatro colores",
    sound: "Sonido en tu turno", players: "Jugadores", watching: "Estás mirando.", won: "¡Victoria!", defeat: "Derrota", ended: "Fin",
    again: "Otra partida", clock: "quedan {n} s", say: "Avisa a los demás", "signal.eager": "Quiero seguir yo", "signal.reluctant": "Prefiero no seguir",
    noGame: "No existe esa partida, o es privada. Quizá el enlace esté incompleto.", toLobby: "Todas las partidas", "kind.ai": "IA, nivel {level}", "kind.open": "libre", retry: "Cerrar aviso",
    medal: "Victoria de {medal}", "medal.gold": "oro", "medal.silver": "plata", "medal.bronze": "bronce", loading: "Cargando la partida…",
    none: "Nadie", actions: "Qué puedes hacer", leave: "Dejar la partida", youWon: "¡Has ganado!", draw: "Empate", youLost: "Has perdido.", winners: "Ha ganado: {names}",
    interrupt: "No es tu turno, pero puedes actuar.", device: "Seguir en otro dispositivo",
  },
});

/** @typedef {{id: string, token: string | null, invite: string | null}} Place */

/** Read which table the address means. @returns {Place | null} */
function place() {
  const [id, secret] = location.hash.slice(1).split(".");
  if (id && secret?.startsWith("ri_")) return { id, token: savedGame(id)?.token || null, invite: secret };
  if (id && secret) return { id, token: secret, invite: null };
  const watched = new URLSearchParams(location.search).get("g");
  return watched ? { id: watched, token: savedGame(watched)?.token || null, invite: null } : null;
}

const missing = signal(false);
const here = signal(/** @type {Place | null} */ (null));
const dialog = signal(/** @type {"keys" | "device" | "leave" | null} */ (null));
/** Only a table that waits, and whoever wants it on another device, needs links. */
const wantsLinks = computed(() => (here.value?.invite && !here.value.token) || state.game.value?.status === "waiting" || dialog.value === "device" || dialog.value === "leave");
const links = signal(/** @type {typeof import("./invite.js") | null} */ (null));
effect(() => {
  if (wantsLinks.value && !links.value) import("./invite.js").then((loaded) => (links.value = loaded)).catch(state.complain);
});
/** What each key does, once somebody has asked. */
const help = signal(/** @type {typeof import("./keys_help.js") | null} */ (null));
effect(() => {
  if (dialog.value === "keys" && !help.value) import("./keys_help.js").then((loaded) => (help.value = loaded)).catch(state.complain);
});
/** What a lesson adds to the table. */
const lesson = new URLSearchParams(location.search).has("lesson") ? await import("./lesson.js") : null;
const sound = signal(setting("sound", false));

/** Who must act now, as a sentence. @param {any} game */
export function turnOf(game) {
  const { status, you, to_act } = game;
  if (status === "waiting") return t("waiting");
  if (status === "abandoned") return t("abandoned");
  if (status === "finished") return t("over");
  if (you != null && to_act.includes(you)) return state.ruleset.value?.prompt?.(game.view, game, state.choice.value, state.legal.value, lesson?.wants()) || t("yourTurn");
  const seat = to_act[0];
  if (seat == null) return t("none");
  const name = state.names.value[seat];
  return game.seats[seat].kind === "ai" ? t("thinks", { name }) : t("acts", { name });
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
  return html`<span class="clock" role="timer">${t("clock", { n: left })}</span>`;
}

function Seats() {
  const { seats, to_act, you } = state.game.value;
  return html`<ol class="seats plainlist" aria-label=${t("players")}>${seats.map((/** @type {any} */ seat) => {
    const now = to_act.includes(seat.seat);
    const kind = seat.kind === "ai" && seat.name ? t("kind.ai", { level: t(`level.${seat.level}`) }) : "";
    return html`<li key=${seat.seat} class=${now ? "now" : ""} aria-current=${now ? "true" : undefined}>
      <span class="dot" aria-hidden="true">${now ? "▶" : ""}</span>${state.names.value[seat.seat]}${seat.seat === you ? ` (${t("you")})` : ""}
      ${kind && html` <span class="quiet">${kind}</span>`}</li>`;
  })}</ol>`;
}

/** A menu closes by a press beside it or in it, and by Escape. @param {HTMLDetailsElement | null} menu */
function closes(menu) {
  menus.abort();
  if (!menu) return;
  menus = new AbortController();
  const { signal: listened } = menus;
  addEventListener("click", ({ target }) => {
    const inside = /** @type {Element} */ (target).closest?.(".menu");
    if (!inside || /** @type {Element} */ (target).closest(".sheet a, .sheet button")) menu.open = false;
  }, { signal: listened });
  addEventListener("keydown", ({ key }) => key === "Escape" && (menu.open = false), { signal: listened });
}
let menus = new AbortController();

function Head() {
  const { ruleset } = state.game.value;
  return html`<header class="head">
    <h1><a href="/" aria-label=${`${t(ruleset)}: ${t("toLobby")}`}><span aria-hidden="true">♛ </span>${t(ruleset)}</a></h1>
    <${Seats} /><${Clock} />
    <nav class="tools" aria-label=${t("more")}>
      <details class="menu" ref=${closes}><summary class="button">${t("more")}</summary><div class="panel sheet">
        <a class="button" href=${rulesLink(ruleset)} target="_blank" rel="noopener">${t("rules")}</a>
        <button type="button" onClick=${() => (dialog.value = "keys")}>${t("keys")} <kbd>?</kbd></button>
        ${state.client.token ? html`<button type="button" onClick=${() => (dialog.value = "device")}>${t("device")}</button>` : null}
        ${state.game.value.you != null && state.game.value.status === "active" && !lesson ? html`<button type="button" onClick=${() => (dialog.value = "leave")}>${t("leave")}</button>` : null}
        <label class="row"><input type="checkbox" checked=${fourColours.value} onChange=${toggleColours} /> ${t("fourColours")}</label>
        <label class="row"><input type="checkbox" checked=${sound.value} onChange=${() => { sound.value = !sound.value; saveSetting("sound", sound.value); }} /> ${t("sound")}</label>
      </div></details>
      <${Choices} />
    </nav>
  </header>`;
}

/** What a legal action is called: the server's label. @param {any} one */
export function labelOf(one) {
  return one.label || one.text.replace(/\b([2-9TJQKA][CDHS]|X[12])\b/g, written);
}

/** What will happen, from the dry run. */
function Preview() {
  const { value } = state.preview;
  const told = (value?.events || []).map((/** @type {any} */ one) => one.text).filter(Boolean);
  const { value: chosen } = state.settled;
  if (!told.length || !chosen) return html`<p class="preview" id="preview" aria-live="polite"></p>`;
  const { value: ruleset } = state.ruleset;
  const [game, { action }] = [state.game.value, chosen];
  const more = value.certain === false ? ruleset?.hidden?.(game, action, value) || t("andMore") : "";
  const lost = value.events.some((/** @type {any} */ one) => one.type === "ended" && one.result === "lost");
  const warning = lost ? "" : ruleset?.warning?.(game, action, value);
  return html`<p class=${`preview${lost ? " danger" : ""}`} id="preview" aria-live="polite">${told.join(" ")} ${more}${warning ? html` <strong class="danger">${warning}</strong>` : null}</p>`;
}

/** On a phone the hand lies on the bar, however high it is. */
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
  const chosen = state.settled.value;
  if (!legal.length) return null;
  const words = legal.map((one) => ({ one, word: state.wordOf(one.action) })).filter(({ one, word }) => word !== null && one !== state.only.value && !state.isUsual(one.action));
  const aside = legal.filter(({ action }) => state.ruleset.value?.aside?.(action));
  const ask = words.length < legal.length ? state.ruleset.value?.ask?.(state.game.value.view, state.choice.value) || t("choose") : t("one");
  return html`<section class="actbar panel" ref=${measured} aria-label=${t("actions")}>
    <${Preview} />
    <div class="row">
      ${words.map(({ one, word }) => html`<button type="button" key=${word} data-token=${word} aria-pressed=${state.choice.value.includes(String(word)) ? "true" : "false"}
        onClick=${() => state.choose(String(word))}>${labelOf(one)}</button>`)}
      ${aside.map((one) => html`<button type="button" class="aside" key=${one.text} aria-pressed=${one === chosen ? "true" : "false"}
        onClick=${() => (state.choice.value = one === chosen ? [] : [...(state.ruleset.value?.tokens(one.action) || [])])}>${labelOf(one)}</button>`)}
      <button type="button" class="primary" id="act" aria-describedby="preview" aria-disabled=${chosen && !state.busy.value ? "false" : "true"}
        onClick=${() => state.act()}>${chosen ? labelOf(chosen) : ask}</button>
    </div>
  </section>`;
}

function Signals() {
  const offered = /** @type {any} */ (state.ruleset.value)?.signals?.(state.game.value) || [];
  if (!offered.length) return null;
  return html`<section class="panel row" aria-label=${t("say")}><span>${t("say")}:</span>${offered.map((/** @type {string} */ one) =>
    html`<button type="button" key=${one} onClick=${() => state.sendSignal(one)}>${t(`signal.${one}`)}</button>`)}</section>`;
}

function Trouble() {
  const { value } = state.problem;
  const lost = state.connection.value === "lost";
  return html`<div class="trouble" role="alert">
    ${lost ? html`<p class="problem">${t("lost")}</p>` : null}
    ${state.news.value ? html`<p class="problem news">${state.news.value}</p>` : null}
    ${value && !(lost && value.status === 0) ? html`<p class="problem row"><span>${value.status === 0 ? t("unreachable") : value.detail}</span>
      <button type="button" class="plain" onClick=${() => (state.problem.value = null)}>${t("retry")}</button></p>` : null}
  </div>`;
}

/** @param {any} game */
function headline({ outcome, status, you }) {
  if (status === "abandoned") return t("abandoned");
  if (!outcome) return t("over");
  const winners = outcome.winners || (outcome.winner == null ? [] : [outcome.winner]);
  if (winners.length && you != null) return t(winners.includes(you) ? "youWon" : "youLost");
  if (winners.length) return t("winners", { names: winners.map((/** @type {number} */ seat) => state.names.value[seat]).join(", ") });
  if (outcome.result === "won") return outcome.medal ? t("medal", { medal: t(`medal.${outcome.medal}`) }) : t("won");
  return t(outcome.result === "lost" ? "defeat" : "draw");
}

async function again() {
  state.problem.value = null;
  try {
    const { nextGame } = await import("./new_game.js");
    const next = await nextGame(state.client, state.game.value.id);
    location.assign(tableLink(next.id, next.token));
  } catch (error) {
    state.complain(error);
  }
}

function End() {
  const game = state.game.value;
  if (!state.isOver.value || lesson || past.value !== null) return null;
  const last = state.events.value.filter((one) => one.type === "ended" && one.text).pop();
  return html`<section class="end panel" aria-label=${t("ended")}>
    <h2>${headline(game)}</h2>${last ? html`<p>${last.text}</p>` : null}
    <div class="row">
      ${game.you != null && game.status === "finished" ? html`<button type="button" class="primary" onClick=${again}>${t("again")}</button>` : null}
      <a class="button" href="/">${t("toLobby")}</a></div>
  </section>`;
}

/** Keep the focus at the board when what had it has gone. @param {any} boardRef */
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
    const next = all[Math.min(Math.max(last.current.index, 0), all.length - 1)] || boardRef.current.querySelector(".status");
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
  const status = replaying ? t("replaying", { version: past.value }) : through ? "" : turnOf(game);
  const mine = !replaying && !through && game.you != null && game.to_act.includes(game.you);
  return html`<${Head} />
    <main class=${`table ${game.ruleset}`} data-version=${game.version} ref=${boardRef}>
      ${lesson ? html`<${lesson.LessonBanner} />` : null}
      <div class="middle">
        <p class=${`status${mine ? " mine" : ""}`} role="status" tabindex="-1">${status}${!mine && !replaying && game.you != null && game.may_act.includes(game.you) ? ` ${state.ruleset.value?.interrupt?.() || t("interrupt")}` : ""}${game.you == null && !replaying ? ` ${t("watching")}` : ""}</p>
        <${Trouble} /><${End} />
        ${game.status === "waiting" && links.value ? html`<${links.value.Invite} invite=${here.value?.invite} />` : null}
        ${seen && ruleset ? html`<${ruleset.Board} game=${game} view=${seen} you=${replaying ? eyes.value ?? game.you : game.you} names=${state.names.value}
          legal=${replaying || through ? [] : state.legal.value} choice=${replaying ? [] : state.choice.value} choose=${state.choose}
          reachable=${state.reachable} replaying=${replaying} />` : null}
        <${Signals} />${replaying || through ? null : html`<${ActBar} />`}
      </div>
      <aside class="side" aria-label=${t("log")}>${through ? null : html`<${Hints} labelOf=${labelOf} />`}<${Log} /><${Replay} /></aside>
    </main>
    ${dialog.value ? html`<${Dialog} />` : null}`;
}

function Dialog() {
  const box = useRef(/** @type {any} */ (null));
  useEffect(() => {
    box.current.showModal();
  }, []);
  return html`<dialog ref=${box} aria-label=${t(dialog.value || "")} onClose=${() => (dialog.value = null)}>
    ${dialog.value === "keys" ? help.value && html`<${help.value.HelpKeys} />` : links.value && (dialog.value === "leave" ? html`<${links.value.LeavePanel} done=${() => (dialog.value = null)} />` : html`<${links.value.DevicePanel} />`)}
    <form method="dialog"><button>${t("close")}</button></form></dialog>`;
}

function Page() {
  if (missing.value) return html`<main class="alone panel"><h1>Regicide</h1><p>${t("noGame")}</p><a class="button primary" href="/">${t("toLobby")}</a></main>`;
  const at = here.value;
  if (at?.invite && !at.token && links.value) return html`<${links.value.Join} id=${at.id} invite=${at.invite} sit=${sit} />`;
  if (!state.game.value || !state.ruleset.value) return html`<main class="alone"><h1 class="hidden">Regicide</h1><p role="status">${!state.problem.value ? t("loading") : state.problem.value.status === 0 ? t("unreachable") : state.problem.value.detail}</p></main>`;
  return html`<${Table} />`;
}

/** Sit down with a token. @param {string} id @param {string} token */
function sit(id, token) {
  history.replaceState(null, "", tableLink(id, token));
  arrive();
}

function arrive() {
  here.value = place();
  missing.value = !here.value;
  present();
  const at = here.value;
  if (!at || (at.invite && !at.token)) return;
  state.open(at.id, at.token, !lesson).then(begun).catch((error) => {
    if (error.status >= 400 && error.status < 500) missing.value = true;
  });
}

/** What its creator should know of a game at once. */
function begun() {
  const { id, you } = state.game.value;
  const { host, promised } = savedGame(id) || {};
  if (!host) return;
  // Who lets AIs alone play sees their game from its first step, though it may be over already.
  if (state.isOver.value && you == null) past.value = 0;
  if (!state.isOver.value && promised === false) import("./new_game.js").then(({ unpromised }) => (state.news.value = unpromised())).catch(state.complain);
}

let wasMine = false;
effect(() => {
  const game = state.game.value;
  if (!game) return;
  const mine = game.you != null && game.to_act.includes(game.you);
  document.title = `${mine ? `● ${t("yourTurn")} – ` : ""}${t(game.ruleset)}`;
  if (mine && !wasMine && sound.peek()) import("./ring.js").then(({ ring }) => ring()).catch(state.complain);
  wasMine = mine;
});
let spoken = language.value;
effect(() => {
  if (language.value === spoken) return;
  spoken = language.value;
  state.retell();
});

addEventListener("hashchange", () => location.reload()); // another table: nothing of this one stays
listen({ help: () => (dialog.value = dialog.value === "keys" ? null : "keys") });
render(html`<${Page} />`, /** @type {Element} */ (document.getElementById("page")));
arrive();
