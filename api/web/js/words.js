// The page's own words in English and Spanish. What the game itself says comes from the server, in the same language.
// @ts-check
import { signal } from "./vendor.js";
import { saveSetting, setting } from "./saved.js";

/** @typedef {Record<string, string>} Table */

export const LANGUAGES = { en: "English", es: "Español" };

/** @type {Record<string, Table>} */
const TABLES = { en: {}, es: {} };

/** Add a page's words. @param {{en: Table, es: Table}} tables */
export function addWords(tables) {
  Object.assign(TABLES.en, tables.en);
  Object.assign(TABLES.es, tables.es);
}

function wanted() {
  const linked = new URLSearchParams(location.search).get("lang");
  if (linked) saveSetting("language", linked); // the next page is read in it too
  const asked = linked || setting("language") || navigator.language || "en";
  return asked.toLowerCase().startsWith("es") ? "es" : "en";
}

export const language = signal(wanted());
document.documentElement.lang = language.value;

/** @param {string} chosen */
export function speak(chosen) {
  saveSetting("language", chosen);
  document.documentElement.lang = chosen;
  language.value = chosen;
}

/**
 * Return a sentence of the page: `{name}` in it is filled in. With `values.n`, `key.one` is taken for 1 if it exists.
 * @param {string} key @param {Record<string, unknown>} [values]
 */
export function t(key, values = {}) {
  const table = TABLES[language.value] || TABLES.en;
  const one = values.n === 1 ? table[`${key}.one`] : undefined;
  const sentence = one ?? table[key] ?? TABLES.en[key] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** @type {Record<string, string>} */
const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };

/** @param {string} suit */
export const suitName = (suit) => t(`suit.${SUITS[suit]}`);

/** Return a card's name as a person says it: "7 of spades". @param {string} name */
export function cardName(name) {
  if (name.startsWith("X")) return t("jester");
  const rank = /[AJQK]/.test(name[0]) ? t(`rank.${name[0]}`) : name[0].replace("T", "10");
  return t("card", { rank, suit: suitName(name[1]) });
}

addWords({
  en: {
    card: "{rank} of {suit}", jester: "Jester", "rank.A": "ace", "rank.J": "Jack", "rank.Q": "Queen", "rank.K": "King",
    "suit.clubs": "clubs", "suit.diamonds": "diamonds", "suit.hearts": "hearts", "suit.spades": "spades",
    regicide: "Regicide", gridcannon: "Gridcannon", seat: "Player {n}", you: "you", guest: "Guest", language: "Language",
    "level.novice": "novice", "level.beginner": "beginner", "level.apprentice": "apprentice", "level.adept": "adept",
    "level.skilled": "skilled", "level.veteran": "veteran", "level.expert": "expert", "level.master": "master",
    close: "Close", rules: "Rules", unreachable: "Can't reach the server. Retrying…",
    theme: "Theme", lobby: "All games",
  },
  es: {
    card: "{rank} de {suit}", jester: "comodín", "rank.A": "as", "rank.J": "sota", "rank.Q": "reina", "rank.K": "rey",
    "suit.clubs": "tréboles", "suit.diamonds": "diamantes", "suit.hearts": "corazones", "suit.spades": "picas",
    regicide: "Regicide", gridcannon: "Gridcannon", seat: "Jugador {n}", you: "tú", guest: "Invitado", language: "Idioma",
    "level.novice": "novato", "level.beginner": "principiante", "level.apprentice": "aprendiz", "level.adept": "intermedio",
    "level.skilled": "avanzado", "level.veteran": "veterano", "level.expert": "experto", "level.master": "maestro",
    close: "Cerrar", rules: "Reglas", unreachable: "No se puede conectar con el servidor. Reintentando…",
    theme: "Claro u oscuro", lobby: "Todas las partidas",
  },
});
