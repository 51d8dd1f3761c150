// @ts-check
/** The lobby: play at once, or set up a table; your games, public ones, invite links. */
import { html, render, signal, useEffect, useState } from "./vendor.js";
import { Face } from "./cards.js";
import { Client } from "./client.js";
import "./lobby_words.js";
import { joinGame, newGame } from "./new_game.js";
import { Choices, rulesLink } from "./page.js";
import { forgetGame, saveGame, saveSetting, savedGame, savedGames, setting, tableLink } from "./saved.js";
import { language, t } from "./words.js";

/** @typedef {{name: string, title: string, players: number[], options: Schema, seat_options: string[], levels: string[]}} Ruleset */
/** @typedef {{properties: Record<string, any>}} Schema */
/** @typedef {{seat: number, kind: string, name: string | null, level?: string | null}} Seat */
/** @typedef {import("./saved.js").SavedGame} SavedGame */
/** @typedef {{id: string, ruleset: string, status: string, version: number, seats: Seat[], to_act: number[], you: number | null, commitment: string}} Game */

const LISTED = 10;
const CLOCKS = [30, 120, 600, 86400];
/** Which families there are depends on how many play. @type {Record<string, Record<number, string[]>>} */
const BY_PLAYERS = { families: { 2: ["red", "black"], 4: ["C", "D", "H", "S"] } };
/** Options for so many players alone. @type {Record<string, number>} */
const ONLY_FOR = { reduced_ploys: 2, solo_yield: 1 };

/** @param {string | null} [token] */
const client = (token = null) => new Client({ token, language: () => language.value });

const problem = signal(/** @type {string | null} */ (null));
const busy = signal(false);
const rulesets = signal(/** @type {Ruleset[]} */ ([]));

/** Do something that asks the server; what it refuses is shown in place. @param {() => Promise<void>} work */
async function attempt(work) {
  if (busy.value) return;
  busy.value = true;
  problem.value = null;
  try {
    await work();
  } catch (error) {
    const { detail, errors, status } = /** @type {any} */ (error);
    problem.value = status === 0 ? t("unreachable") : [detail, ...Object.values(errors ?? {}).flat()].join(" ");
  }
  busy.value = false;
}

const ownName = () => setting("name", "") || t("guest");
/** @param {string} name */
const titleOf = (name) => rulesets.value.find((ruleset) => ruleset.name === name)?.title ?? name[0].toUpperCase() + name.slice(1);

/** Make a game and go to its table. @param {{ruleset: string, seats: Record<string, unknown>[]} & Record<string, unknown>} body */
function create(body) {
  return attempt(async () => {
    const game = await newGame(client(), body);
    const [token = game.host_token] = Object.values(game.tokens);
    location.assign(tableLink(game.id, token));
  });
}

/** @param {string} ruleset */
const playNow = (ruleset) => create({ ruleset, seats: [{ kind: "human", name: ownName() }, { kind: "ai", level: "expert" }] });

/** A table that only who has the link can see. @param {string} ruleset */
const withFriend = (ruleset) => create({ ruleset, seats: [{ kind: "human", name: ownName() }, { kind: "open" }], private: true });

/** Take a seat at a public table and go there. @param {Game} listed */
function join({ id, commitment }) {
  return attempt(async () => {
    const { token } = await joinGame(client(), id, { name: ownName() }, commitment);
    location.assign(tableLink(id, token));
  });
}

// Setting up a table

/**
 * What may be chosen for an option by its JSON Schema; null: it isn't a choice from a list.
 * @param {any} schema @param {number} players @returns {unknown[] | null}
 */
function choices(schema, players) {
  if (schema.enum) return schema.enum;
  if ("const" in schema) return [schema.const];
  if (!schema.anyOf) return null;
  return schema.anyOf.flatMap((/** @type {any} */ part) =>
    part.type === "integer" ? Array.from({ length: Math.min(players, part.maximum + 1) }, (_, number) => number) : choices(part, players));
}

/** @param {string} key @param {string} otherwise @param {Record<string, unknown>} [values] */
function said(key, otherwise, values) {
  const words = t(key, values);
  return words === key ? otherwise : words;
}

/** @param {string} option @param {unknown} value */
function choiceName(option, value) {
  if (value === null) return t("lobby.any");
  if (typeof value === "number") return t("lobby.seat", { n: value + 1 });
  return said(`option.${option}.${value}`, said(`family.${value}`, String(value)));
}

/** A list to choose from. @param {{label: string, value: unknown, values: unknown[], name: (value: any) => string, choose: (value: any) => void}} props */
function Select({ label, value, values, name, choose }) {
  return html`<label>${label}
    <select value=${values.indexOf(value)} onChange=${(/** @type {any} */ event) => choose(values[Number(event.target.value)])}>
      ${values.map((other, place) => html`<option key=${place} value=${place} selected=${other === value}>${name(other)}</option>`)}
    </select></label>`;
}

/**
 * One option, drawn from its JSON Schema.
 * @param {{name: string, schema: any, value: any, players: number, set: (value: any) => void}} props
 */
function Option({ name, schema, value, players, set }) {
  if ((ONLY_FOR[name] ?? players) !== players) return null;
  const label = said(`option.${name}`, schema.description ?? name);
  if (schema.type === "boolean") {
    return html`<label class="check"><input type="checkbox" checked=${value ?? schema.default ?? false}
      onChange=${(/** @type {any} */ event) => set(event.target.checked)} /> <span>${label}</span></label>`;
  }
  if (schema.type === "array" && schema.items?.enum) {
    const fitting = BY_PLAYERS[name]?.[players] ?? schema.items.enum.filter((/** @type {unknown} */ one) => one !== null);
    const list = value ?? Array(players).fill(null);
    return list.map((/** @type {unknown} */ one, /** @type {number} */ seat) => html`<${Select} key=${seat} label=${said(`option.${name}`, label, { n: seat + 1 })}
      value=${one} values=${[null, ...fitting]} name=${(/** @type {unknown} */ other) => choiceName(name, other)}
      choose=${(/** @type {unknown} */ chosen) => set(list.map((/** @type {unknown} */ old, /** @type {number} */ place) => (place === seat ? chosen : old)))} />`);
  }
  const values = choices(schema, players);
  if (values) return html`<${Select} label=${label} value=${value ?? schema.default} values=${values} name=${(/** @type {unknown} */ one) => choiceName(name, one)} choose=${set} />`;
  if (schema.type !== "integer") return null;
  return html`<label>${label} <input type="number" min=${schema.minimum} max=${schema.maximum} value=${value ?? schema.default}
    onChange=${(/** @type {any} */ event) => set(event.target.value === "" ? undefined : Number(event.target.value))} /></label>`;
}

/** Who sits where at first: you, then experts. @param {number} players @returns {string[]} */
const firstSeats = (players) => Array.from({ length: players }, (_, seat) => (seat === 0 ? "me" : "expert"));

/** The form for everything else. @param {{known: Ruleset[]}} props */
function SetUp({ known }) {
  const [name, setName] = useState(known[0].name);
  const ruleset = /** @type {Ruleset} */ (known.find((one) => one.name === name));
  const [seats, setSeats] = useState(firstSeats(2));
  const [options, setOptions] = useState(/** @type {Record<string, any>} */ ({}));
  const [hidden, setHidden] = useState(false);
  const [clock, setClock] = useState(/** @type {number | null} */ (null));
  const [own, setOwn] = useState(setting("name", ""));
  const reseat = (/** @type {number} */ players) => (setSeats(firstSeats(players)), setOptions({}));
  const kinds = ["me", "open", ...ruleset.levels];
  const sit = (/** @type {number} */ seat, /** @type {string} */ kind) =>
    setSeats(seats.map((old, place) => (place === seat ? kind : kind === "me" && old === "me" ? "expert" : old)));
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    saveSetting("name", own.trim());
    const written = seats.map((kind) => (kind === "me" ? { kind: "human", name: ownName() } : kind === "open" ? { kind } : { kind: "ai", level: kind }));
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    create({ ruleset: name, seats: written, options: given, private: hidden, turn_seconds: clock });
  };
  const clockName = (/** @type {number | null} */ seconds) =>
    seconds === null ? t("lobby.no_clock") : seconds < 60 ? t("lobby.seconds", { n: seconds }) : seconds < 3600 ? t("lobby.minutes", { n: seconds / 60 }) : t("lobby.hours", { n: seconds / 3600 });
  return html`<form onSubmit=${submit}>
    <fieldset class="fields">
      <${Select} label=${t("lobby.game")} value=${name} values=${known.map((one) => one.name)} name=${titleOf}
        choose=${(/** @type {string} */ chosen) => (setName(chosen), reseat(2))} />
      <${Select} label=${t("lobby.players")} value=${seats.length} values=${ruleset.players} name=${String} choose=${reseat} />
      <label>${t("lobby.name")} <input autocomplete="nickname" maxlength="40" value=${own} onInput=${(/** @type {any} */ event) => setOwn(event.target.value)} /></label>
      <${Select} label=${t("lobby.clock")} value=${clock} values=${[null, ...CLOCKS]} name=${clockName} choose=${setClock} />
    </fieldset>
    <fieldset><legend>${t("lobby.seats")}</legend><div class="fields">
      ${seats.map((kind, seat) => html`<${Select} key=${seat} label=${t("lobby.seat", { n: seat + 1 })} value=${kind} values=${kinds}
        name=${(/** @type {string} */ one) => (one === "me" || one === "open" ? t(`lobby.${one}`) : t("lobby.ai", { level: said(`level.${one}`, one) }))}
        choose=${(/** @type {string} */ one) => sit(seat, one)} />`)}
    </div></fieldset>
    <fieldset><legend>${t("lobby.options")}</legend><div class="fields">
      ${Object.entries(ruleset.options.properties).map(([option, schema]) => html`<${Option} key=${name + option} name=${option} schema=${schema}
        value=${options[option]} players=${seats.length} set=${(/** @type {unknown} */ value) => setOptions({ ...options, [option]: value })} />`)}
      <label class="check"><input type="checkbox" checked=${hidden} onChange=${(/** @type {any} */ event) => setHidden(event.target.checked)} /> <span>${t("lobby.private")}</span></label>
    </div></fieldset>
    <button class="primary" type="submit" aria-disabled=${busy.value}>${t("lobby.create")}</button>
  </form>`;
}

// Games

/** Who sits there, in words. @param {Game} game */
const seated = (game) =>
  game.seats.map(({ kind, name, level, seat }) =>
    kind === "open" ? t("lobby.open_seat") : seat === game.you ? t("lobby.me") : name || (level ? t("lobby.ai", { level: said(`level.${level}`, level) }) : t("seat", { n: seat + 1 }))).join(", ");

/** @param {Game | null | undefined} game */
const statusOf = (game) => (game ? t(`lobby.status.${game.status}`) : game === null ? t("lobby.gone") : "…");

/** The games that this browser remembers. */
function Yours() {
  const [mine, setMine] = useState(savedGames().slice(0, LISTED));
  const [games, setGames] = useState(/** @type {Record<string, Game | null>} */ ({}));
  useEffect(() => {
    for (const { id, token, host } of mine) {
      client(token ?? host ?? null).ask(`/v1/games/${id}`).then(
        (game) => setGames((known) => ({ ...known, [id]: game })),
        (error) => error.status >= 400 && error.status < 500 && setGames((known) => ({ ...known, [id]: null })));
    }
  }, []);
  /** Its token is nowhere else: until the page is left it can be taken back. */
  const [dropped, drop] = useState(/** @type {SavedGame[]} */ ([]));
  const forget = (/** @type {SavedGame} */ game) => (forgetGame(game.id), drop([...dropped, game]));
  const undo = (/** @type {SavedGame} */ game) => (saveGame(game), drop(dropped.filter((other) => other !== game)));
  return html`<section class="panel" aria-labelledby="yours"><h2 id="yours">${t("lobby.yours")}</h2>
    ${mine.length === dropped.length && html`<p class="quiet">${t("lobby.no_yours")}</p>`}
    <ul>${mine.map((saved) => {
      const { id, token, host, ruleset } = saved;
      const game = games[id];
      const yours = game?.status === "active" && game.you !== null && game.to_act.includes(game.you);
      const what = `${titleOf(ruleset ?? "regicide")}${game ? `: ${seated(game)}` : ""}`;
      if (dropped.includes(saved)) {
        return html`<li key=${id}><span class="quiet" role="status">${t("lobby.forgotten", { what })}</span>
          <button type="button" onClick=${() => undo(saved)}>${t("lobby.undo")}</button></li>`;
      }
      return html`<li key=${id}><span>${what}<small class=${yours ? "turn" : ""}>${yours ? t("lobby.your_turn") : statusOf(game)}</small></span>
        <span class="row"><a class="button" href=${tableLink(id, token ?? host)} aria-label=${`${t("lobby.go_on")}, ${what}`}>${game?.status === "finished" ? t("lobby.see") : t("lobby.go_on")}</a>
        <button type="button" class="plain icon" aria-label=${`${t("lobby.forget")}, ${what}`} title=${t("lobby.forget")} onClick=${() => forget(saved)}>✕</button></span></li>`;
    })}</ul></section>`;
}

/** The public tables, those with an open seat first. */
function Public() {
  const [games, setGames] = useState(/** @type {Game[]} */ ([]));
  const look = async () => {
    const lists = ["waiting", "active"].map((status) => client().ask(`/v1/games?status=${status}&limit=${LISTED}`).then((page) => page.games, () => []));
    const [waiting, active] = (await Promise.all(lists)).map((/** @type {Game[]} */ games) => games.filter((game) => !savedGame(game.id)));
    const room = LISTED - Math.min(active.length, LISTED / 2); // however many tables wait, some can be watched
    setGames([...waiting.slice(0, room), ...active].slice(0, LISTED));
  };
  useEffect(() => {
    const again = () => document.visibilityState === "visible" && look();
    look();
    document.addEventListener("visibilitychange", again);
    return () => document.removeEventListener("visibilitychange", again);
  }, []);
  return html`<section class="panel" aria-labelledby="public"><div class="lists-head"><h2 id="public">${t("lobby.public")}</h2>
      <button type="button" class="plain" onClick=${look}>${t("lobby.refresh")}</button></div>
    ${games.length === 0 && html`<p class="quiet">${t("lobby.no_public")}</p>`}
    <ul>${games.map((game) => {
      const what = `${titleOf(game.ruleset)}: ${seated(game)}`;
      const open = game.status === "waiting" && game.seats.some((seat) => seat.kind === "open");
      return html`<li key=${game.id}><span>${what}<small>${statusOf(game)}</small></span><span class="row">
        ${open && html`<button type="button" aria-label=${`${t("lobby.join")}, ${what}`} onClick=${() => join(game)}>${t("lobby.join")}</button>`}
        <a class="button" href=${tableLink(game.id)} aria-label=${`${t("lobby.watch")}, ${what}`}>${t("lobby.watch")}</a></span></li>`;
    })}</ul></section>`;
}

/** Where a link leads that was sent as text: a table of this server, or nowhere. @param {string} link */
export const placeOf = (link) => link.trim().match(/\/play(?:\?g=|#)[\w.~-]+$/)?.[0] ?? null;

/** Join by a link that was sent as text; the table asks for a name. */
function ByLink() {
  const [wrong, setWrong] = useState(false);
  const go = (/** @type {any} */ event) => {
    event.preventDefault();
    const place = placeOf(event.target.elements.link.value);
    if (place) location.assign(place);
    else setWrong(true);
  };
  return html`<form class="panel join" onSubmit=${go}><label>${t("lobby.link")} <input name="link" inputmode="url" autocomplete="off" required /></label>
    <button type="submit">${t("lobby.join")}</button>${wrong ? html`<p class="problem" role="alert">${t("lobby.bad_link")}</p>` : null}</form>`;
}

// The page

/** A ruleset's big button, under a few of its cards. @param {{ruleset: string, cards: string[], look: string}} props */
function Start({ ruleset, cards, look }) {
  return html`<article class="panel"><div class=${look} aria-hidden="true">${cards.map((card) => html`<${Face} key=${card} name=${card} />`)}</div>
    <button type="button" class="primary" aria-describedby=${`about-${ruleset}`} aria-disabled=${busy.value} onClick=${() => playNow(ruleset)}>${t(`lobby.play_${ruleset}`)}</button>
    <button type="button" aria-label=${`${t("lobby.friend")}, ${titleOf(ruleset)}`} aria-disabled=${busy.value} onClick=${() => withFriend(ruleset)}>${t("lobby.friend")}</button>
    <p id=${`about-${ruleset}`}>${t(`lobby.about_${ruleset}`)}</p>
    <a class="button" href=${`/learn?ruleset=${ruleset}`} aria-label=${`${t("lobby.learn")}, ${titleOf(ruleset)}`}>${t("lobby.learn")}</a></article>`;
}

function Lobby() {
  document.title = t("lobby.title");
  return html`<div class="lobby">
    <header><h1>${t("lobby.title")}</h1><nav aria-label=${t("language")}><${Choices} /></nav></header>
    <main>
      <div role="alert">${problem.value && html`<p class="problem">${problem.value}</p>`}</div>
      <div class="start">
        <${Start} ruleset="regicide" cards=${["JS", "KH", "QD"]} look="fan" />
        <${Start} ruleset="gridcannon" cards=${["7C", "9H", "4D", "QS"]} look="grid-fan" />
      </div>
      <details class="panel"><summary>${t("lobby.more")}</summary>${rulesets.value.length > 0 && html`<${SetUp} known=${rulesets.value} />`}</details>
      <div class="lists"><${Yours} /><${Public} /></div>
      <${ByLink} />
    </main>
    <footer><ul>
      ${rulesets.value.map(({ name, title }) => html`<li key=${name}><a href=${rulesLink(name)}>${t("lobby.rules", { game: title })}</a></li>`)}
      <li><a href="/docs">${t("lobby.contract")}</a></li>
    </ul></footer>
  </div>`;
}

render(html`<${Lobby} />`, /** @type {HTMLElement} */ (document.getElementById("page")));
client().ask("/v1/rulesets").then((catalogue) => (rulesets.value = catalogue.rulesets), (error) => (problem.value = error.status ? error.message : t("unreachable")));
