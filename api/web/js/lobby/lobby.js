// @ts-check
/** The lobby: a tile for each game, saved games, public tables, invite links. */
import { html, render, signal, useEffect, useRef, useState } from "../vendor.js";
import { GameArt } from "../shared/game_art.js";
import { Choices, rulesLink } from "../shared/theme_and_language.js";
import { saveSetting, setting } from "../shared/saved.js";
import { ratedResults, standingOf } from "../shared/reader_rating.js";
import { fewestPlayers, GAMES, RULESETS, unlisted } from "../shared/games.js";
import { addCatalogue, INSTALLED, t } from "../shared/i18n.js";
import { playersText } from "../new_game/players_text.js";
import { busy, create, ownName, problem } from "./requests.js";
import { ByLink, Public, Yours } from "./lists.js";
import { SetUp } from "./set_up.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @typedef {import("../shared/games.js").Ruleset} Ruleset */

export { placeOf } from "./lists.js";

/**
 * Create an unlisted game of the fewest players: the reader, then `others`, then AIs.
 * @param {Ruleset} known @param {string} level of the AIs @param {Record<string, unknown>[]} [others]
 */
function playWith(known, level, others = []) {
  const given = [{ kind: "human", name: ownName() }, ...others];
  const seats = Array.from({ length: fewestPlayers(known) }, (_, seat) => given[seat] ?? { kind: "ai", level });
  return create({ ruleset: known.name, seats, listed: false });
}

/** Dialog that asks a host for their name. @param {{known: Ruleset, done: () => void}} props */
function Inviting({ known, done }) {
  const box = useRef(/** @type {any} */ (null));
  const [name, setName] = useState(setting("name", ""));
  useEffect(() => box.current.showModal(), []);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    saveSetting("name", name.trim());
    playWith(known, known.levels[0], [{ kind: "open" }]).then(done);
  };
  const title = t("Invite a friend to {game}", { game: known.title });
  return html`<dialog ref=${box} aria-label=${title} onClose=${done}><form class="inviting" onSubmit=${submit}>
    <h2>${title}</h2>
    <label>${t("Name")} <input name="name" autocomplete="nickname" maxlength="40" value=${name} autofocus
      onInput=${(/** @type {any} */ event) => setName(event.currentTarget.value)} /></label>
    <p class="quiet">${t("Your friend reads it in the invitation.")}</p>
    <div class="row"><button type="submit" class="primary" aria-disabled=${busy.value}>
        ${t("Make the invitation")}</button>
      <button type="button" onClick=${() => box.current.close()}>${t("Cancel")}</button></div></form></dialog>`;
}

/**
 * Three levels around the offered one, with the reason for the offer. @param {{known: Ruleset, level: string,
 *   choose: (level: string) => void}} props
 */
function Levels({ known, level, choose }) {
  const standing = standingOf(known.scale, ratedResults(known.name));
  const place = known.levels.indexOf(standing?.level ?? known.levels[0]);
  const first = Math.max(0, Math.min(place - 1, known.levels.length - 3));
  const around = known.levels.slice(first, first + 3);
  const label = known.cooperative ? t("With") : t("Against");
  return html`<fieldset class="lv"><legend>${label}</legend><div class="seg">${around.map(
    (one) => html`<label key=${one}><input type="radio" name=${`level-${known.name}`} checked=${one === level}
      onChange=${() => choose(one)} /><span>${t(one)}</span></label>`,
  )}</div></fieldset>
  <p class=${`why${standing?.games ? "" : " first"}`}>
    ${standing?.games ? whyOffered(standing, known) : t("The first game is at the easiest level.")}</p>`;
}

/** @param {import("../shared/reader_rating.js").Standing} standing @param {Ruleset} known */
function whyOffered({ level, games, rating, low, high }, known) {
  const [n, from, to] = [rating, low, high].map(Math.round);
  const share = Math.round(100 * (known.scale?.target ?? 0.5));
  return games === 1
    ? t("{level}: about {share} % to win. Your rating: {n} ({from} to {to}), from 1 game.", {
        level: t(level),
        share,
        n,
        from,
        to,
      })
    : t("{level}: about {share} % to win. Your rating: {n} ({from} to {to}), from {games} games.", {
        ...{ level: t(level), share, n, from, to, games },
      });
}

/** Tile of one ruleset. @param {{known: Ruleset, invite: () => void}} props */
function Tile({ known, invite }) {
  const { name, title: game, players } = known;
  const { about, minutes, colours } = GAMES[name];
  const offered = standingOf(known.scale, ratedResults(name))?.level ?? known.levels[0];
  const [level, choose] = useState(offered);
  return html`<article class="tile" style=${colours} aria-labelledby=${`title-${name}`}><${GameArt} ruleset=${name} />
    <div class="txt"><h2 id=${`title-${name}`}>${game}</h2>
      <p id=${`about-${name}`}>${t(about)} ${playersText(players, minutes)}</p>
      <${Levels} known=${known} level=${level} choose=${choose} />
      <div class="go">
        <button type="button" class="primary" aria-describedby=${`about-${name}`} aria-disabled=${busy.value}
          onClick=${() => playWith(known, level)}>${t("Play {game}", { game })}</button>
        ${
          fewestPlayers(known) > 1 &&
          html`<button type="button" aria-label=${`${t("Play with a friend")}, ${game}`} aria-disabled=${busy.value}
            onClick=${invite}>${t("With a friend")}</button>`
        }
        ${
          INSTALLED[name]?.lessons
            ? html`<a class="button" href=${`/learn?ruleset=${name}`} aria-label=${`${t("Learn to play")}, ${game}`}>
          ${t("Learn")}</a>`
            : html`<a class="button" href=${rulesLink(name)} aria-label=${t("Rules of {game}", { game })}>
          ${t("Rules")}</a>`
        }</div></div></article>`;
}

/** Box of the puzzle of the day, loaded after the rest of the lobby is drawn. */
const daily = signal(/** @type {any} */ (null));
import("../puzzles/daily.js").then(({ Daily }) => (daily.value = Daily), console.error);

function Lobby() {
  const title = RULESETS.map(({ title }) => title).join(` ${t("&")} `) || t("All games");
  const [inviting, setInviting] = useState(/** @type {Ruleset | null} */ (null));
  const alert = useRef(/** @type {any} */ (null));
  useEffect(() => problem.value && alert.current.scrollIntoView({ block: "nearest" }), [problem.value]);
  document.title = title;
  return html`<div class="page">
    <header class="top"><h1 class="brand"><img src="/static/icon.svg" alt="" width="26" height="26" /> ${title}</h1>
      <nav aria-label=${t("Language")}><${Choices} /></nav></header>
    <main class="lobby">
      <div role="alert" ref=${alert}>${problem.value && html`<p class="problem">${problem.value}</p>`}</div>
      <div class="tiles">${RULESETS.map(
        (known) => html`<${Tile} key=${known.name} known=${known} invite=${() => setInviting(known)} />`,
      )}</div>
      <div class="lower">${daily.value && html`<${daily.value} all=${true} />`}
        <${Yours} /><${Public} /><${ByLink} /></div>
      <details class="box more"><summary>${t("More: friends, seats, levels, options")}</summary>
        ${RULESETS.length > 0 && html`<${SetUp} known=${RULESETS} />`}</details>
    </main>
    <footer><ul>
      ${RULESETS.map(
        ({ name, title }) => html`<li key=${name}><a href=${rulesLink(name)}>
        ${t("Rules of {game}", { game: title })}</a></li>`,
      )}
      <li><a href="/docs/contract">${t("For programs: the API")}</a></li><li><a href="/about">${t("About")}</a></li>
    </ul></footer>
    ${inviting && html`<${Inviting} known=${inviting} done=${() => setInviting(null)} />`}
  </div>`;
}

render(html`<${Lobby} />`, /** @type {HTMLElement} */ (document.getElementById("page")));
if (unlisted) problem.value = unlisted.status ? unlisted.detail : t("Can't reach the server.");
