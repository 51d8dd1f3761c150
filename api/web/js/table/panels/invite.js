// Invitations: links to open seats, the form to join, leaving a seat, a seat on another device.
// @ts-check
import { html, useEffect, useState } from "../../vendor.js";
import { Client } from "../../shared/client.js";
import { Sign } from "../../shared/cards.js";
import { GAMES, RULESETS } from "../../shared/games.js";
import { ratedResults, standingOf } from "../../shared/reader_rating.js";
import { joinGame } from "../../new_game/new_game.js";
import { Link } from "../../shared/share_link.js";
import { Choices } from "../../shared/theme_and_language.js";
import { GameArt } from "../../shared/game_art.js";
import { savedGame, saveSetting, setting, tableLink } from "../../shared/saved.js";
import * as state from "../state.js";
import { loadStyles } from "../state.js";
import { addCatalogue, language, rulesetTitle, t } from "../../shared/i18n.js";
import { playersText } from "../../new_game/players_text.js";

await Promise.all([addCatalogue(new URL(".", import.meta.url).href), loadStyles("/static/css/invite.css")]);

/** Host names that no other device can open. */
const HERE = /^(localhost|127\.|\[::1\])/;

const SEAL =
  "M0-28C6-28 8-25 13-25 19-24 20-19 23-15 27-11 28-6 27 0 28 7 25 10 24 15 21 20 17 21 13 25 8 27 5 26 0 28-6 28-9" +
  " 26-14 24-19 22-21 18-24 13-27 9-27 5-28 0-28-7-26-10-23-15-21-20-17-21-13-24-8-27-5-28 0-28Z";

/** Page that looks like a letter, with the game's picture. @param {{ruleset?: string, children: any}} props */
function Letter({ ruleset, children }) {
  return html`<div class="letter-page" data-game=${ruleset} style=${GAMES[ruleset ?? ""]?.colours ?? {}}>
    <header class="top"><p class="brand"><a href="/">${ruleset ? rulesetTitle(ruleset) : t("All games")}</a></p>
      <nav aria-label=${t("More")}><${Choices} /></nav></header>
    <main class="invite"><div class="letter">
      <svg class="seal" viewBox="-30 -30 60 60" aria-hidden="true"><path d=${SEAL} fill="#8f1524" />
        <circle r="20" fill="none" stroke="#c4465a" stroke-width="2" />
        <path fill="#f3c9c2" d="M-13 10V-8L-6 0 0-12 6 0 13-8V10Z" /></svg>
      ${children}</div>
      ${ruleset ? html`<${GameArt} ruleset=${ruleset} />` : null}</main></div>`;
}

/** A seat with the name of its player. @param {{seat: any, you: boolean, children?: any}} props */
function TakenSeat({ seat, you, children }) {
  const isOpen = seat.kind === "open";
  return html`<li class=${`takeseat${children ? " you" : ""}`}>
    <span class="label"><${Sign} seat=${seat.seat} /> ${t("Seat {n}", { n: seat.seat + 1 })}</span>
    ${
      children ??
      html`<b>${isOpen && !seat.reserved ? t("an open seat") : state.names.value[seat.seat]}
          ${you ? ` (${t("you")})` : ""}</b>
        <span class="quiet">${isOpen ? t("not here yet") : t("is at the table")}</span>`
    }</li>`;
}

/** Heading of an invitation, for the guest, the host, or a player who waits for a rematch. */
function Heading() {
  const game = state.game.value;
  const named = { name: hostName(), game: rulesetTitle(game.ruleset) };
  if (game.seats.some((/** @type {any} */ seat) => seat.reserved))
    return html`<h1>${t("Another game of {game}", named)}</h1>
    <p>${t("The next game starts when everyone has asked for it.")}</p>`;
  if (!named.name) return html`<h1>${t("You are invited to {game}", named)}</h1>`;
  return html`<h1>${
    game.you == null && !savedGame(game.id)?.host
      ? t("{name} invites you to {game}", named)
      : t("{name}'s invitation to {game}", named)
  }</h1>`;
}

/** Return the name of the first person at the table, who invites; undefined if there is none. */
function hostName() {
  const host = state.game.value.seats.find((/** @type {any} */ seat) => seat.kind === "human");
  return host && state.names.value[host.seat];
}

/** Page of a game that waits for players: who invites, the game, and its seats. */
export function Invite() {
  const game = state.game.value;
  const { id, ruleset, you, seats } = game;
  const saved = savedGame(id);
  const known = RULESETS.find(({ name }) => name === ruleset);
  const free = seats.find((/** @type {any} */ seat) => seat.kind === "open" && !seat.reserved);
  const sit = (/** @type {string} */ sat, /** @type {string} */ token) => {
    location.hash = `${sat}.${token}`;
  };
  const guest = you == null && free;
  return html`<${Letter} ruleset=${ruleset}><${Heading} />
    ${
      known
        ? html`<p class="lead">
          ${playersText([seats.length], GAMES[ruleset].minutes)} ${t(GAMES[ruleset].rule)}</p>`
        : null
    }
    <${Seating} id=${id} sit=${sit} seats=${seats} you=${you} guest=${guest} />
    ${free && saved && (you != null || saved.host) ? html`<${Sending} id=${id} saved=${saved} />` : null}
  </${Letter}>`;
}

/** Link to the invitation and its QR code, for the host. @param {{id: string, saved: any}} props */
function Sending({ id, saved }) {
  const link = location.origin + (saved.invite ? `/play#${id}.${saved.invite}` : `/play?g=${id}`);
  const isOnlyHere = HERE.test(location.hostname);
  return html`<section><h2>${t("Invite somebody")}</h2>
    <div class="sending"><${Link} link=${link} title=${t("Invite somebody")} /><div><p>
      ${t("Send this link to the other players. The game starts when every seat is taken.")}</p>
      ${
        isOnlyHere
          ? html`<p class="quiet">
            ${t("This address only works on this computer. Friends elsewhere need an address that reaches it.")}</p>`
          : null
      }</div>
      <${Code} link=${link} /></div>
    ${
      saved.host
        ? html`<button type="button" onClick=${() => fill(saved.host)}>${t("Fill the open seats with AIs")}</button>`
        : null
    }</section>`;
}

/** @param {string} host the host's token */
async function fill(host) {
  const { id, ruleset } = state.game.value;
  const known = RULESETS.find(({ name }) => name === ruleset);
  const level = standingOf(known?.scale, ratedResults(ruleset))?.level ?? known?.levels[0] ?? "novice";
  const client = new Client({ token: host, language: () => language.value });
  await client.post(`/v1/games/${id}/start`, { level }).catch(state.showError);
}

/**
 * The seats. At the first open seat a guest enters their name.
 * @param {{id: string, invite?: string, sit: (id: string, token: string) => void, seats?: any[], you?: number | null,
 *   guest?: any}} props
 */
function Seating({ id, invite, sit, seats = [], you = null, guest }) {
  const [name, setName] = useState(setting("name", ""));
  const [wrong, setWrong] = useState("");
  const [sitting, setSitting] = useState(false);
  const join = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (sitting) return undefined;
    if (savedGame(id)?.token) return location.reload(); // joined in another tab
    const who = { name: name.trim() || t("Guest"), ...(invite ? { invite } : {}) };
    setSitting(true);
    try {
      const client = new Client({ language: () => language.value });
      const read = await joinGame(client, id, who, state.game.value?.commitment);
      saveSetting("name", name.trim());
      sit(id, read.token);
    } catch (error) {
      setSitting(false);
      setWrong(/** @type {Error} */ (error).message);
    }
    return undefined;
  };
  const field = html`<label>${t("Name")}
    <input name="name" maxlength="40" autocomplete="nickname" value=${name}
      onInput=${(/** @type {any} */ event) => setName(event.currentTarget.value)} /></label>`;
  const list = html`<ul class="takes" aria-label=${t("Seats")}>${seats.map(
    (seat) => html`<${TakenSeat} key=${seat.seat} seat=${seat} you=${seat.seat === you}>
      ${seat === guest ? field : null}</${TakenSeat}>`,
  )}</ul>`;
  const learn = state.game.value?.ruleset;
  if (!guest && !invite) return list;
  return html`<form class="seating" onSubmit=${join}>${seats.length ? list : field}
    <div class="row acts"><button class="primary" aria-disabled=${sitting}>
        ${sitting ? t("Sitting down…") : t("Sit down")}</button>
      ${learn ? html`<a class="button" href=${`/learn?ruleset=${learn}`}>${t("Learn first")}</a>` : null}</div>
    ${wrong ? html`<p class="problem" role="alert">${wrong}</p>` : null}</form>`;
}

/**
 * Page of an invite link to a private game. Before joining, the browser can load nothing of that game.
 * @param {{id: string, invite: string, sit: (id: string, token: string) => void}} props
 */
export function Join({ id, invite, sit }) {
  return html`<${Letter}><h1>${t("You are invited")}</h1>
    <${Seating} id=${id} invite=${invite} sit=${sit} /></${Letter}>`;
}

/** Dialog to hand the seat over to an AI, or, for the creator, to end the game. @param {{done: () => void}} props */
export function LeavePanel({ done }) {
  const { id, you } = state.game.value;
  const { host } = savedGame(id) || {};
  const abandon = () => {
    done();
    new Client({ token: host, language: () => language.value })
      .ask(`/v1/games/${id}`, { method: "DELETE" })
      .then(state.reload)
      .catch(state.showError);
  };
  const handOver = () => {
    done();
    state.post(`/seats/${you}/handover`, { level: "expert" }).then(state.reload);
  };
  return html`<h2>${t("Leave the game")}</h2><p>
    ${t("An AI can take over your seat. You can't undo this, but you can keep watching.")}</p><div class="row">
    <button type="button" class="primary" onClick=${handOver}>${t("Let an AI play on")}</button>
    ${host ? html`<button type="button" onClick=${abandon}>${t("End the game for everybody")}</button>` : null}</div>`;
}

/** QR code of a link. @param {{link: string}} props */
function Code({ link }) {
  const [drawn, setDrawn] = useState(/** @type {{size: number, path: string} | null} */ (null));
  useEffect(() => {
    import("../../vendor-qr.js").then(({ default: qrcode }) => {
      const code = qrcode(0, "M");
      code.addData(link);
      code.make();
      const size = code.getModuleCount();
      let path = "";
      for (let y = 0; y < size; y += 1)
        for (let x = 0; x < size; x += 1) if (code.isDark(y, x)) path += `M${x} ${y}h1v1h-1z`;
      setDrawn({ size, path });
    }, state.showError);
  }, [link]);
  if (!drawn) return html`<span class="qr"></span>`;
  return html`<svg class="qr" role="img" aria-label=${t("QR code of this link")}
    viewBox=${`-4 -4 ${drawn.size + 8} ${drawn.size + 8}`}>
    <rect x="-4" y="-4" width="100%" height="100%" fill="#fff" /><path d=${drawn.path} fill="#000" /></svg>`;
}

/** Link to the seat as text and QR code. */
export function DevicePanel() {
  const link = location.origin + tableLink(state.game.value.id, state.client.token);
  return html`<h2>${t("Continue on another device")}</h2><p>
    ${t("Anyone with this link can play your seat. Scan it with your own device and keep it private.")}</p>
    <${Code} link=${link} />
    <${Link} link=${link} title=${t("Continue on another device")} />`;
}
