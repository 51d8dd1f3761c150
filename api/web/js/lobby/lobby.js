// @ts-check
/** The lobby: new games, saved games, public games, invite links. */
import { html, render, signal, useEffect, useState } from "../vendor.js";
import { Face } from "../shared/cards.js";
import { Client } from "../shared/client.js";
import { joinGame, newGame } from "../shared/new_game.js";
import { Choices, rulesLink } from "../shared/page.js";
import { forgetGame, saveGame, saveSetting, savedGame, savedGames, setting, tableLink } from "../shared/saved.js";
import { GAMES, RULESETS, unlisted } from "../shared/games.js";
import { addCatalogue, language, msg, rulesetTitle, t } from "../shared/i18n.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @typedef {import("../shared/games.js").Ruleset} Ruleset */
/** @typedef {{properties: Record<string, any>}} Schema */
/** @typedef {{seat: number, kind: string, name: string | null, level?: string | null}} Seat */
/** @typedef {import("../shared/saved.js").SavedGame} SavedGame */
/**
 * @typedef {{id: string, ruleset: string, status: string, version: number, seats: Seat[],
 *   to_act: number[], you: number | null, commitment: string}} Game
 */

const LISTED = 10;
const CLOCKS = [30, 120, 600, 86400];
/** @type {Record<string, string>} */
const STATUSES = {
  waiting: msg("waiting for players"),
  active: msg("under way"),
  finished: msg("finished"),
  abandoned: msg("abandoned"),
};

/** @param {string | null} [token] */
const client = (token = null) => new Client({ token, language: () => language.value });

const problem = signal(/** @type {string | null} */ (null));
const busy = signal(false);
const rulesets = signal(/** @type {Ruleset[]} */ (RULESETS));

/** Run `work` unless another action is running, and show its problem. @param {() => Promise<void>} work */
async function runAction(work) {
  if (busy.value) return;
  busy.value = true;
  problem.value = null;
  try {
    await work();
  } catch (error) {
    const { detail, errors, status } = /** @type {any} */ (error);
    problem.value =
      status === 0 ? t("Can't reach the server. Retrying…") : [detail, ...Object.values(errors ?? {}).flat()].join(" ");
  }
  busy.value = false;
}

const ownName = () => setting("name", "") || t("Guest");
/** @param {string} name */
const titleOf = (name) => rulesets.value.find((ruleset) => ruleset.name === name)?.title ?? rulesetTitle(name);

/**
 * Create a game and open its table.
 * @param {{ruleset: string, seats: Record<string, unknown>[]} & Record<string, unknown>} body
 */
function create(body) {
  return runAction(async () => {
    const game = await newGame(client(), body);
    const [token = game.host_token] = Object.values(game.tokens);
    location.assign(tableLink(game.id, token));
  });
}

/** @param {string} ruleset */
const playNow = (ruleset) =>
  create({
    ruleset,
    seats: [
      { kind: "human", name: ownName() },
      { kind: "ai", level: "expert" },
    ],
  });

/** Create a private game with an open seat. @param {string} ruleset */
const withFriend = (ruleset) =>
  create({ ruleset, seats: [{ kind: "human", name: ownName() }, { kind: "open" }], private: true });

/** Join a public game and open its table. @param {Game} listed */
function join({ id, commitment }) {
  return runAction(async () => {
    const { token } = await joinGame(client(), id, { name: ownName() }, commitment);
    location.assign(tableLink(id, token));
  });
}

// New game

/**
 * Return the values of an option by its JSON Schema, or null if they are not a list.
 * @param {any} schema @param {number} players @returns {unknown[] | null}
 */
function optionValues(schema, players) {
  if (schema.enum) return schema.enum;
  if ("const" in schema) return [schema.const];
  if (!schema.anyOf) return null;
  return schema.anyOf.flatMap((/** @type {any} */ part) =>
    part.type === "integer"
      ? Array.from({ length: Math.min(players, part.maximum + 1) }, (_, number) => number)
      : optionValues(part, players),
  );
}

/** @param {string} ruleset @param {unknown} value of an option */
function valueName(ruleset, value) {
  if (value === null) return t("any");
  if (typeof value === "number") return t("Player {n}", { n: value + 1 });
  const name = String(value);
  return t(GAMES[ruleset]?.values[name] ?? name);
}

/**
 * A labelled list of values.
 * @param {{label: string, value: unknown, values: unknown[], name: (value: any) => string,
 *   choose: (value: any) => void}} props
 */
function Select({ label, value, values, name, choose }) {
  return html`<label>${label}
    <select value=${values.indexOf(value)}
      onChange=${(/** @type {any} */ event) => choose(values[Number(event.target.value)])}>
      ${values.map(
        (other, place) => html`<option key=${place} value=${place} selected=${other === value}>
        ${name(other)}</option>`,
      )}
    </select></label>`;
}

/**
 * Input for one option, by its JSON Schema.
 * @param {{ruleset: string, name: string, schema: any, value: any, players: number, set: (value: any) => void}} props
 */
function Option({ ruleset, name, schema, value, players, set }) {
  const game = GAMES[ruleset];
  if (game && !game.fits(name, players)) return null;
  const label = game?.options[name] ?? schema.description ?? name;
  const named = (/** @type {unknown} */ one) => valueName(ruleset, one);
  if (schema.type === "boolean") {
    return html`<label class="check"><input type="checkbox" checked=${value ?? schema.default ?? false}
      onChange=${(/** @type {any} */ event) => set(event.target.checked)} /> <span>${t(label)}</span></label>`;
  }
  if (schema.type === "array" && schema.items?.enum) {
    const fitting =
      game?.valuesOf?.(name, players) ?? schema.items.enum.filter((/** @type {unknown} */ one) => one !== null);
    const list = value ?? Array(players).fill(null);
    const put = (/** @type {number} */ seat, /** @type {unknown} */ chosen) =>
      set(Object.assign([...list], { [seat]: chosen }));
    return [...list.keys()].map(
      (seat) => html`<${Select} key=${seat} label=${t(label, { n: seat + 1 })} value=${list[seat]}
        values=${[null, ...fitting]} name=${named} choose=${(/** @type {unknown} */ chosen) => put(seat, chosen)} />`,
    );
  }
  const values = optionValues(schema, players);
  if (values)
    return html`<${Select} label=${t(label)} value=${value ?? schema.default} values=${values} name=${named}
      choose=${set} />`;
  if (schema.type !== "integer") return null;
  return html`<label>
    ${t(label)} <input type="number" min=${schema.minimum} max=${schema.maximum} value=${value ?? schema.default}
    onChange=${(/** @type {any} */ event) =>
      set(event.target.value === "" ? undefined : Number(event.target.value))} /></label>`;
}

/** Names of seats without an AI. @type {Record<string, string>} */
const SEAT_NAMES = { me: msg("you"), open: msg("open: anyone can join") };

/** @param {string} kind of a seat: a level for an AI */
const kindName = (kind) => (SEAT_NAMES[kind] ? t(SEAT_NAMES[kind]) : t("AI: {level}", { level: t(kind) }));

/** Return the seats that are proposed: the reader, then expert AIs. @param {number} players @returns {string[]} */
const defaultSeats = (players) => Array.from({ length: players }, (_, seat) => (seat === 0 ? "me" : "expert"));

/** Form for a game with chosen seats and options. @param {{known: Ruleset[]}} props */
function SetUp({ known }) {
  const [name, setName] = useState(known[0].name);
  const ruleset = /** @type {Ruleset} */ (known.find((one) => one.name === name));
  const [seats, setSeats] = useState(defaultSeats(2));
  const [options, setOptions] = useState(/** @type {Record<string, any>} */ ({}));
  const [hidden, setHidden] = useState(false);
  const [clock, setClock] = useState(/** @type {number | null} */ (null));
  const [own, setOwn] = useState(setting("name", ""));
  const reseat = (/** @type {number} */ players) => {
    setSeats(defaultSeats(players));
    setOptions({});
  };
  const chooseGame = (/** @type {string} */ chosen) => {
    setName(chosen);
    reseat(2);
  };
  const kinds = ["me", "open", ...ruleset.levels];
  const sit = (/** @type {number} */ seat, /** @type {string} */ kind) =>
    setSeats(seats.map((old, place) => (place === seat ? kind : kind === "me" && old === "me" ? "expert" : old)));
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    saveSetting("name", own.trim());
    const written = seats.map((kind) =>
      kind === "me" ? { kind: "human", name: ownName() } : kind === "open" ? { kind } : { kind: "ai", level: kind },
    );
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    create({ ruleset: name, seats: written, options: given, private: hidden, turn_seconds: clock });
  };
  const clockName = (/** @type {number | null} */ seconds) =>
    seconds === null
      ? t("none")
      : seconds < 60
        ? t("{n} seconds a turn", { n: seconds })
        : seconds < 3600
          ? t("{n} minutes a turn", { n: seconds / 60 })
          : t("{n} hours a turn", { n: seconds / 3600 });
  return html`<form onSubmit=${submit}>
    <fieldset class="fields">
      <${Select} label=${t("Game")} value=${name} values=${known.map((one) => one.name)} name=${titleOf}
        choose=${chooseGame} />
      <${Select} label=${t("Players")} value=${seats.length} values=${ruleset.players} name=${String}
        choose=${reseat} />
      <label>${t("Your name")} <input autocomplete="nickname" maxlength="40" value=${own}
        onInput=${(/** @type {any} */ event) => setOwn(event.target.value)} /></label>
      <${Select} label=${t("Clock")} value=${clock} values=${[null, ...CLOCKS]} name=${clockName} choose=${setClock} />
    </fieldset>
    <fieldset><legend>${t("Seats")}</legend><div class="fields">
      ${seats.map(
        (kind, seat) => html`<${Select} key=${seat} label=${t("Player {n}", { n: seat + 1 })} value=${kind}
          values=${kinds} name=${kindName} choose=${(/** @type {string} */ chosen) => sit(seat, chosen)} />`,
      )}
    </div></fieldset>
    <fieldset><legend>${t("Options")}</legend><div class="fields">
      ${Object.entries(ruleset.options.properties).map(
        ([option, schema]) => html`<${Option} key=${name + option} ruleset=${name} name=${option} schema=${schema}
        value=${options[option]} players=${seats.length}
          set=${(/** @type {unknown} */ value) => setOptions({ ...options, [option]: value })} />`,
      )}
      <label class="check">
        <input type="checkbox" checked=${hidden}
          onChange=${(/** @type {any} */ event) => setHidden(event.target.checked)} /> <span>
            ${t("Private: only people with the link can see it")}</span></label>
    </div></fieldset>
    <button class="primary" type="submit" aria-disabled=${busy.value}>${t("Create game")}</button>
  </form>`;
}

// Games

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

/** @param {Game | null | undefined} game */
const statusOf = (game) => (game ? t(STATUSES[game.status]) : game === null ? t("no longer available") : "…");

/** Saved games of this browser. */
function Yours() {
  const [mine] = useState(savedGames().slice(0, LISTED));
  const [games, setGames] = useState(/** @type {Record<string, Game | null>} */ ({}));
  useEffect(() => {
    for (const { id, token, host } of mine) {
      client(token ?? host ?? null)
        .ask(`/v1/games/${id}`)
        .then(
          (game) => setGames((known) => ({ ...known, [id]: game })),
          (error) => error.status >= 400 && error.status < 500 && setGames((known) => ({ ...known, [id]: null })),
        );
    }
  }, []);
  /** Removed games. They can be restored until the page is left, because their tokens are saved nowhere else. */
  const [dropped, setDropped] = useState(/** @type {SavedGame[]} */ ([]));
  const forget = (/** @type {SavedGame} */ game) => {
    forgetGame(game.id);
    setDropped([...dropped, game]);
  };
  const undo = (/** @type {SavedGame} */ game) => {
    saveGame(game);
    setDropped(dropped.filter((other) => other !== game));
  };
  return html`<section class="panel" aria-labelledby="yours"><h2 id="yours">${t("Your games")}</h2>
    ${
      mine.length === dropped.length &&
      html`<p class="quiet">${t("No games yet. The games you play in this browser appear here.")}</p>`
    }
    <ul>${mine.map((saved) => {
      const { id, token, host, ruleset } = saved;
      const game = games[id];
      const yours = game?.status === "active" && game.you !== null && game.to_act.includes(game.you);
      const what = `${ruleset ? titleOf(ruleset) : t("Game")}${game ? `: ${seated(game)}` : ""}`;
      if (dropped.includes(saved)) {
        return html`<li key=${id}><span class="quiet" role="status">${t("Removed: {what}", { what })}</span>
          <button type="button" onClick=${() => undo(saved)}>${t("Undo")}</button></li>`;
      }
      return html`<li key=${id}><span>${what}<small class=${yours ? "turn" : ""}>
        ${yours ? t("your turn") : statusOf(game)}</small></span>
        <span class="row">
          <a class="button" href=${tableLink(id, token ?? host)} aria-label=${`${t("Continue")}, ${what}`}>
            ${game?.status === "finished" ? t("View") : t("Continue")}</a>
        <button type="button" class="plain icon" aria-label=${`${t("Remove from list")}, ${what}`}
          title=${t("Remove from list")} onClick=${() => forget(saved)}>✕</button></span></li>`;
    })}</ul></section>`;
}

/** Public games, those with an open seat first. */
function Public() {
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
    const room = LISTED - Math.min(active.length, LISTED / 2); // however many tables wait, some can be watched
    setGames([...waiting.slice(0, room), ...active].slice(0, LISTED));
  };
  useEffect(() => {
    const again = () => document.visibilityState === "visible" && look();
    look();
    document.addEventListener("visibilitychange", again);
    return () => document.removeEventListener("visibilitychange", again);
  }, []);
  return html`<section class="panel" aria-labelledby="public"><div class="lists-head"><h2 id="public">
    ${t("Public tables")}</h2>
      <button type="button" class="plain" onClick=${look}>${t("Refresh")}</button></div>
    ${games.length === 0 && html`<p class="quiet">${t("None at the moment.")}</p>`}
    <ul>${games.map((game) => {
      const what = `${titleOf(game.ruleset)}: ${seated(game)}`;
      const open = game.status === "waiting" && game.seats.some((seat) => seat.kind === "open");
      return html`<li key=${game.id}><span>${what}<small>${statusOf(game)}</small></span><span class="row">
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
function ByLink() {
  const [wrong, setWrong] = useState(false);
  const go = (/** @type {any} */ event) => {
    event.preventDefault();
    const place = placeOf(event.target.elements.link.value);
    if (place) location.assign(place);
    else setWrong(true);
  };
  return html`<form class="panel join" onSubmit=${go}><label>
    ${t("Invite link")} <input name="link" inputmode="url" autocomplete="off" required /></label>
    <button type="submit">${t("Join")}</button>
      ${wrong ? html`<p class="problem" role="alert">${t("That isn't a link to a game.")}</p>` : null}</form>`;
}

// The page

/** Cards and buttons of one ruleset. @param {{ruleset: string}} props */
function Start({ ruleset }) {
  const { about, cards, look } = GAMES[ruleset];
  const game = titleOf(ruleset);
  const icon = RULESETS.find(({ name }) => name === ruleset)?.icon;
  return html`<article class="panel"><div class=${look} aria-hidden="true">
    ${cards.map((card) => html`<${Face} key=${card} name=${card} />`)}
    ${!cards.length && icon && html`<img src=${icon} alt="" width="96" height="96" />`}</div>
    <button type="button" class="primary" aria-describedby=${`about-${ruleset}`} aria-disabled=${busy.value}
      onClick=${() => playNow(ruleset)}>${t("Play {game}", { game })}</button>
    <button type="button" aria-label=${`${t("Play with a friend")}, ${game}`} aria-disabled=${busy.value}
      onClick=${() => withFriend(ruleset)}>${t("Play with a friend")}</button>
    <p id=${`about-${ruleset}`}>${t(about)}</p>
    <a class="button" href=${`/learn?ruleset=${ruleset}`} aria-label=${`${t("Learn to play")}, ${game}`}>
      ${t("Learn to play")}</a></article>`;
}

function Lobby() {
  const title = RULESETS.map(({ title }) => title).join(` ${t("&")} `) || t("All games");
  document.title = title;
  return html`<div class="lobby">
    <header><h1>${title}</h1><nav aria-label=${t("Language")}><${Choices} /></nav></header>
    <main>
      <div role="alert">${problem.value && html`<p class="problem">${problem.value}</p>`}</div>
      <div class="start">
        ${Object.keys(GAMES).map((name) => html`<${Start} key=${name} ruleset=${name} />`)}
      </div>
      <details class="panel"><summary>${t("More: friends, seats, levels, options")}</summary>
        ${rulesets.value.length > 0 && html`<${SetUp} known=${rulesets.value} />`}</details>
      <div class="lists"><${Yours} /><${Public} /></div>
      <${ByLink} />
    </main>
    <footer><ul>
      ${rulesets.value.map(
        ({ name, title }) => html`<li key=${name}><a href=${rulesLink(name)}>
        ${t("Rules of {game}", { game: title })}</a></li>`,
      )}
      <li><a href="/docs">${t("For programs: the API")}</a></li>
    </ul></footer>
  </div>`;
}

render(html`<${Lobby} />`, /** @type {HTMLElement} */ (document.getElementById("page")));
if (unlisted) problem.value = unlisted.status ? unlisted.detail : t("Can't reach the server. Retrying…");
