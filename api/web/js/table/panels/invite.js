// Invitations: links to open seats, the form to join, leaving a seat, a seat on another device.
// @ts-check
import { html, useEffect, useState } from "../../vendor.js";
import { Client } from "../../shared/client.js";
import { joinGame } from "../../shared/new_game.js";
import { savedGame, saveSetting, setting, tableLink } from "../../shared/saved.js";
import * as state from "../state.js";
import { addCatalogue, language, rulesetTitle, t } from "../../shared/i18n.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** Host names that are only valid on this computer. */
const HERE = /^(localhost|127\.|\[::1\])/;

/** @param {{link: string, title: string}} props */
function Link({ link, title }) {
  const [copied, setCopied] = useState(false);
  return html`<div class="row linkrow">
    <input readonly aria-label=${title} value=${link}
      onFocus=${(/** @type {any} */ event) => event.currentTarget.select()} />
    <button type="button" onClick=${() => navigator.clipboard?.writeText(link).then(() => setCopied(true))}>
      ${copied ? t("Copied") : t("Copy")}</button>
    ${
      "share" in navigator
        ? html`<button type="button" onClick=${() => navigator.share({ title: "Regicide", url: link }).catch(() => {})}>
        ${t("Share…")}</button>`
        : null
    }</div>`;
}

/** Panel of a game that waits for players. */
export function Invite() {
  const game = state.game.value;
  const saved = savedGame(game.id);
  const open = game.seats.filter((/** @type {any} */ seat) => seat.kind === "open");
  if (!open.length)
    return html`<section class="panel"><p>${t("The next game starts when everyone has asked for it.")}</p></section>`;
  const link = location.origin + (saved?.invite ? `/play#${game.id}.${saved.invite}` : `/play?g=${game.id}`);
  const seating = html`<${Seating} id=${game.id} sit=${(/** @type {string} */ id, /** @type {string} */ token) => {
    location.hash = `${id}.${token}`;
  }} />`;
  const host = game.seats.find((/** @type {any} */ seat) => seat.kind === "human");
  const invited = host
    ? t("{name} invites you to {game}", { name: state.names.value[host.seat], game: rulesetTitle(game.ruleset) })
    : t("You are invited");
  return html`<section class="panel invite">
    ${game.you == null && !saved?.host ? html`<h2>${invited}</h2>${seating}` : null}
    <h2>${t("Invite somebody")}</h2><p>
      ${t("Send this link to the other players. The game starts when every seat is taken.")}</p>
        ${
          HERE.test(location.hostname)
            ? html`<p class="quiet">
            ${t("This address only works on this computer. Friends elsewhere need an address that reaches it.")}</p>`
            : null
        }
    <${Link} link=${link} title=${t("Invite somebody")} />
    ${
      saved?.host
        ? html`<button type="button" onClick=${() => fill(saved.host)}>${t("Fill the open seats with AIs")}</button>`
        : null
    }
    ${game.you == null && saved?.host ? seating : null}</section>`;
}

/** @param {any} host */
async function fill(host) {
  const client = new Client({ token: host, language: () => language.value });
  await client.post(`/v1/games/${state.game.value.id}/start`, { level: "expert" }).catch(state.showError);
}

/** @param {{id: string, invite?: string, sit: (id: string, token: string) => void}} props */
function Seating({ id, invite, sit }) {
  const [name, setName] = useState(setting("name", ""));
  const [wrong, setWrong] = useState("");
  const [sitting, setSitting] = useState(false);
  const join = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (savedGame(id)?.token) return location.reload(); // in another tab this browser has sat down: nobody sits twice
    const asks = invite ? { invite } : {};
    setSitting(true);
    try {
      const client = new Client({ language: () => language.value });
      const read = await joinGame(
        client,
        id,
        { name: name.trim() || t("Guest"), ...asks },
        state.game.value?.commitment,
      );
      saveSetting("name", name.trim());
      sit(id, read.token);
    } catch (error) {
      setSitting(false);
      setWrong(/** @type {Error} */ (error).message);
    }
  };
  if (sitting) return html`<p role="status">${t("Sitting down…")}</p>`;
  return html`<form class="seating" onSubmit=${join}><h3>${t("Take an open seat")}</h3>
    <label class="row">
      ${t("Your name")} <input name="name" maxlength="40" autocomplete="nickname" value=${name}
        onInput=${(/** @type {any} */ event) => setName(event.currentTarget.value)} /></label>
    <button class="primary">${t("Sit down")}</button>
      ${wrong ? html`<p class="problem" role="alert">${wrong}</p>` : null}</form>`;
}

/** @param {{id: string, invite: string, sit: (id: string, token: string) => void}} props */
export function Join({ id, invite, sit }) {
  return html`<main class="alone panel"><h1>${t("You are invited")}</h1>
    <${Seating} id=${id} invite=${invite} sit=${sit} /></main>`;
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

/** Link to the seat as text and QR code. */
export function DevicePanel() {
  const link = location.origin + tableLink(state.game.value.id, state.client.token);
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
    });
  }, [link]);
  return html`<h2>${t("Continue on another device")}</h2><p>
    ${t("Anyone with this link can play your seat. Scan it with your own device and keep it private.")}</p>
    ${
      drawn
        ? html`<svg class="qr" role="img" aria-label=${t("Continue on another device")}
      viewBox=${`-4 -4 ${drawn.size + 8} ${drawn.size + 8}`}>
        <rect x="-4" y="-4" width="100%" height="100%" fill="#fff" /><path d=${drawn.path} fill="#000" /></svg>`
        : null
    }
    <${Link} link=${link} title=${t("Continue on another device")} />`;
}
