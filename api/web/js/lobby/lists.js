// Games of this browser with their results, public tables, and the form for an invite link.
// @ts-check
import { html, useEffect, useState } from "../vendor.js";
import { joinGame } from "../new_game/new_game.js";
import { forgetGame, saveGame, savedGame, savedGames, tableLink } from "../shared/saved.js";
import { endKind, keepResult, results } from "../shared/results.js";
import { RULESETS } from "../shared/games.js";
import { language, msg, rulesetTitle, t } from "../shared/i18n.js";
import { client, ownName, runAction } from "./requests.js";

/** @typedef {{seat: number, kind: string, name: string | null, level?: string | null}} Seat */
/** @typedef {import("../shared/saved.js").SavedGame} SavedGame */
/**
 * @typedef {{id: string, ruleset: string, status: string, version: number, seats: Seat[], outcome: any,
 *   to_act: number[], you: number | null, commitment: string, created: string, updated: string}} Game
 */

const LISTED = 10;
/** @type {Record<string, string>} */
const STATUSES = {
  waiting: msg("waiting for players"),
  active: msg("under way"),
  finished: msg("finished"),
  abandoned: msg("abandoned"),
};
/** @type {Record<string, string>} */
const RESULTS = { won: msg("won"), lost: msg("lost"), drawn: msg("drawn"), abandoned: msg("abandoned") };

/** Join a public game and open its table. @param {Game} listed */
function join({ id, commitment }) {
  return runAction(async () => {
    const { token } = await joinGame(client(), id, { name: ownName() }, commitment);
    location.assign(tableLink(id, token));
  });
}

/** Return the players of a game in words. @param {Game} game */
const seated = (game) =>
  game.seats
    .map(({ kind, name, level, seat }) =>
      kind === "open"
        ? t("an open seat")
        : seat === game.you
          ? t("you")
          : name || (level ? t("AI: {level}", { level: t(level) }) : t("Player {n}", { n: seat + 1 })),
    )
    .join(", ");

/**
 * Return the status of a saved game in words, or its result for the reader once it has ended.
 * @param {Game | null | undefined} game @param {SavedGame} saved
 */
function statusOf(game, saved) {
  if (!game) return saved.result ? t(RESULTS[saved.result]) : game === null ? t("no longer available") : "…";
  if (game.status === "active" && game.you !== null && game.to_act.includes(game.you)) return t("your turn");
  const kind = game.status === "finished" ? endKind(game) : "watched";
  return kind === "watched" ? t(STATUSES[game.status]) : t(RESULTS[kind]);
}

const DAY_MS = 24 * 3600 * 1000;

/** Return a moment in words: a time today, "3 days ago" within a week, else a date. @param {number} moment */
function dayOf(moment) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  if (moment >= midnight) return new Intl.DateTimeFormat(language.value, { timeStyle: "short" }).format(moment);
  const days = Math.ceil((midnight - moment) / DAY_MS);
  if (days < 7) return new Intl.RelativeTimeFormat(language.value, { numeric: "auto" }).format(-days, "day");
  return new Intl.DateTimeFormat(language.value, { dateStyle: "medium" }).format(moment);
}

/** Return the other players of a game in words. @param {Game} game */
const othersOf = (game) =>
  seated({ ...game, seats: game.seats.filter(({ seat }) => seat !== game.you) }) || t("nobody else");

/** Save an ended game's result: the server will delete the game. @param {SavedGame} saved @param {Game} game */
function remember(saved, game) {
  if (game.status !== "finished" && game.status !== "abandoned") return;
  saveGame({ ...saved, over: true, result: endKind(game), others: othersOf(game) });
  keepResult(game);
}

/** Shares of games won, by game and level. */
function Wins() {
  const all = results();
  const levels = RULESETS.flatMap(({ name, title, levels }) =>
    levels.map((level) => {
      const played = all.filter((one) => one.ruleset === name && one.level === level);
      return { key: `${name} ${level}`, title, level, all: played.length, won: played.filter(isWon).length };
    }),
  ).filter((one) => one.all);
  if (!levels.length) return null;
  return html`<ul class="wins" aria-label=${t("Games won by level")}>${levels.map(
    ({ key, title, level, won, all }) => html`<li key=${key}><span>${title}, ${t(level)}</span>
      <b>${t("{won} of {all} won", { won, all })}</b></li>`,
  )}</ul>`;
}

/** @param {import("../shared/results.js").Result} one */
const isWon = ({ result }) => result === "won";

/** Entry of a saved game: title, date, opponents, status, and a link to its table. @param {any} props */
function Saved({ saved, game, forget }) {
  const { id, token, host, ruleset, created } = saved;
  const others = game ? othersOf(game) : saved.others;
  const what = `${ruleset ? rulesetTitle(ruleset) : t("Game")}${others ? `, ${t("with {others}", { others })}` : ""}`;
  const stands = statusOf(game, saved);
  const going = game ? game.status === "active" || game.status === "waiting" : !saved.over;
  const word = going ? t("Continue") : t("View");
  return html`<li><span>${what}<small class=${stands === t("your turn") ? "turn" : ""}>
      ${stands} · ${dayOf(game ? Date.parse(game.updated) : created)}</small></span>
    <span class="row">
      ${
        game === null
          ? null
          : html`<a class="button" href=${tableLink(id, token ?? host)} aria-label=${`${word}, ${what}`}>${word}</a>`
      }
      <button type="button" class="plain icon" aria-label=${`${t("Remove from list")}, ${what}`}
        title=${t("Remove from list")} onClick=${forget}>✕</button></span></li>`;
}

/** Saved games of this browser. */
export function Yours() {
  const [mine] = useState(savedGames().slice(0, LISTED));
  const [games, setGames] = useState(/** @type {Record<string, Game | null>} */ ({}));
  useEffect(() => {
    for (const saved of mine) {
      const { id, token, host } = saved;
      client(token ?? host ?? null)
        .ask(`/v1/games/${id}`)
        .then(
          (game) => {
            remember(saved, game);
            setGames((known) => ({ ...known, [id]: game }));
          },
          (error) => error.status >= 400 && error.status < 500 && setGames((known) => ({ ...known, [id]: null })),
        );
    }
  }, []);
  /** Removed games with their tokens, which are saved nowhere else, to restore them until the page is left. */
  const [dropped, setDropped] = useState(/** @type {SavedGame[]} */ ([]));
  const forget = (/** @type {SavedGame} */ game) => {
    forgetGame(game.id);
    setDropped([...dropped, game]);
  };
  const undo = (/** @type {SavedGame} */ game) => {
    saveGame(game);
    setDropped(dropped.filter((other) => other !== game));
  };
  return html`<section class="box wide" aria-labelledby="yours"><h2 id="yours">${t("Your games")}</h2>
    ${
      mine.length === dropped.length &&
      html`<p class="quiet">${t("No games yet. The games you play in this browser appear here.")}</p>`
    }
    <ul>${mine.map((saved) =>
      dropped.includes(saved)
        ? html`<li key=${saved.id}><span class="quiet" role="status">
            ${t("Removed: {what}", { what: rulesetTitle(saved.ruleset ?? "") })}</span>
          <button type="button" onClick=${() => undo(saved)}>${t("Undo")}</button></li>`
        : html`<${Saved} key=${saved.id} saved=${saved} game=${games[saved.id]} forget=${() => forget(saved)} />`,
    )}</ul><${Wins} key=${Object.keys(games).length} /></section>`;
}

/** Public games, those with an open seat first. */
export function Public() {
  const [games, setGames] = useState(/** @type {Game[]} */ ([]));
  const look = async () => {
    const lists = ["waiting", "active"].map((status) =>
      client()
        .ask(`/v1/games?status=${status}&limit=${LISTED}`)
        .then(
          (page) => page.games,
          () => [],
        ),
    );
    const [waiting, active] = (await Promise.all(lists)).map((/** @type {Game[]} */ games) =>
      games.filter((game) => !savedGame(game.id)),
    );
    const room = LISTED - Math.min(active.length, LISTED / 2); // leaves room for games to watch
    setGames([...waiting.slice(0, room), ...active].slice(0, LISTED));
  };
  useEffect(() => {
    const again = () => document.visibilityState === "visible" && look();
    look();
    document.addEventListener("visibilitychange", again);
    return () => document.removeEventListener("visibilitychange", again);
  }, []);
  return html`<section class="box" aria-labelledby="public"><div class="lists-head"><h2 id="public">
    ${t("Public tables")}</h2>
      <button type="button" class="plain" onClick=${look}>${t("Refresh")}</button></div>
    ${games.length === 0 && html`<p class="quiet">${t("None at the moment.")}</p>`}
    <ul>${games.map((game) => {
      const what = `${rulesetTitle(game.ruleset)}: ${seated(game)}`;
      const open = game.status === "waiting" && game.seats.some((seat) => seat.kind === "open");
      return html`<li key=${game.id}><span>${what}<small>${t(STATUSES[game.status])}</small></span><span class="row">
        ${
          open &&
          html`<button type="button" aria-label=${`${t("Join")}, ${what}`} onClick=${() => join(game)}>
          ${t("Join")}</button>`
        }
        <a class="button" href=${tableLink(game.id)} aria-label=${`${t("Watch")}, ${what}`}>${t("Watch")}</a></span>
          </li>`;
    })}</ul></section>`;
}

/** Return the path in a link to a table, or null. @param {string} link */
export const placeOf = (link) => link.trim().match(/\/play(?:\?g=|#)[\w.~-]+$/)?.[0] ?? null;

/** Form that opens an invite link. */
export function ByLink() {
  const [wrong, setWrong] = useState(false);
  const go = (/** @type {any} */ event) => {
    event.preventDefault();
    const place = placeOf(event.target.elements.link.value);
    if (place) location.assign(place);
    else setWrong(true);
  };
  return html`<form class="box join" onSubmit=${go}><label>
    ${t("Invite link")} <input name="link" inputmode="url" autocomplete="off" required /></label>
    <button type="submit">${t("Join")}</button>
      ${wrong ? html`<p class="problem" role="alert">${t("That isn't a link to a game.")}</p>` : null}</form>`;
}
