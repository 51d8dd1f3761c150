// Form for a game with chosen seats, levels and options.
// @ts-check
import { html, useState } from "../vendor.js";
import { saveSetting, setting } from "../shared/saved.js";
import { fewestPlayers, GAMES } from "../shared/games.js";
import { msg, rulesetTitle, t } from "../shared/i18n.js";
import { busy, create, ownName } from "./requests.js";

/** @typedef {import("../shared/games.js").Ruleset} Ruleset */

const CLOCKS = [30, 120, 600, 86400];

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
 * A labelled number; undefined when it is empty.
 * @param {{label: string, schema: any, value: any, set: (value: number | undefined) => void}} props
 */
function NumberInput({ label, schema, value, set }) {
  return html`<label>
    ${label} <input type="number" min=${schema.minimum} max=${schema.maximum} value=${value}
    onChange=${(/** @type {any} */ event) =>
      set(event.target.value === "" ? undefined : Number(event.target.value))} /></label>`;
}

/**
 * Inputs for an option with a value per seat, by the JSON Schema of one value. Without a list of values or a number
 * there is none.
 * @param {{label: string, schema: any, values?: unknown[], start: any, named: (value: unknown) => string,
 *   set: (list: unknown[]) => void, value: any, players: number}} props `start`: the default for all seats
 */
function OptionOfSeats({ label, schema, values, start, named, set, value, players }) {
  const types = [schema.type].flat();
  if (!values && !types.includes("integer")) return null;
  const none = values || types.includes("null") ? null : (schema.minimum ?? 0);
  const list = Array.from({ length: players }, (_, seat) => (value ?? start)?.[seat] ?? none);
  return list.map((chosen, seat) => {
    const numbered = t("Player {n}", { n: seat + 1 });
    const title = label.includes("{n}") ? t(label, { n: seat + 1 }) : `${t(label)} ${numbered}`;
    const put = (/** @type {unknown} */ one) => set(Object.assign([...list], { [seat]: one ?? none }));
    return values
      ? html`<${Select} key=${seat} label=${title} value=${chosen} values=${[null, ...values]} name=${named}
          choose=${put} />`
      : html`<${NumberInput} key=${seat} label=${title} schema=${schema} value=${chosen} set=${put} />`;
  });
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
  if (schema.type === "array" && schema.items) {
    const fitting =
      game?.valuesOf?.(name, players) ?? schema.items.enum?.filter((/** @type {unknown} */ one) => one !== null);
    return html`<${OptionOfSeats} label=${label} schema=${schema.items} values=${fitting} start=${schema.default}
      named=${named} set=${set} value=${value} players=${players} />`;
  }
  const values = optionValues(schema, players);
  if (values)
    return html`<${Select} label=${t(label)} value=${value ?? schema.default} values=${values} name=${named}
      choose=${set} />`;
  if (schema.type !== "integer") return null;
  return html`<${NumberInput} label=${t(label)} schema=${schema} value=${value ?? schema.default} set=${set} />`;
}

/** Names of seats without an AI. @type {Record<string, string>} */
const SEAT_NAMES = { me: msg("you"), open: msg("open: anyone can join") };

/** @param {string} kind of a seat: a level for an AI */
const kindName = (kind) => (SEAT_NAMES[kind] ? t(SEAT_NAMES[kind]) : t("AI: {level}", { level: t(kind) }));

/** Return the first choice of seats: the reader, then expert AIs. @param {number} players @returns {string[]} */
const defaultSeats = (players) => Array.from({ length: players }, (_, seat) => (seat === 0 ? "me" : "expert"));

/** Form for a game with chosen seats and options. @param {{known: Ruleset[]}} props */
export function SetUp({ known }) {
  const [name, setName] = useState(known[0].name);
  const ruleset = /** @type {Ruleset} */ (known.find((one) => one.name === name));
  const [seats, setSeats] = useState(defaultSeats(fewestPlayers(ruleset)));
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
    reseat(fewestPlayers(/** @type {Ruleset} */ (known.find((one) => one.name === chosen))));
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
    const listed = seats.includes("open") || !seats.includes("me");
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    create({ ruleset: name, seats: written, options: given, private: hidden, listed, turn_seconds: clock });
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
      <${Select} label=${t("Game")} value=${name} values=${known.map((one) => one.name)} name=${rulesetTitle}
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
