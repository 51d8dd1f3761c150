// Translation. The code contains the English sentences; they are the keys of the catalogues of other languages.
// @ts-check
import { signal } from "../vendor.js";
import { saveSetting, setting } from "./saved.js";

export const LANGUAGES = { en: "English", es: "Español" };

/** Addresses of the folders whose catalogues are in use. Each ends in a slash. */
const folders = new Set(/** @type {string[]} */ ([]));
/** For each language, translations by sentence. @type {Record<string, Record<string, string>>} */
const translations = { en: {}, es: {} };

function preferredLanguage() {
  const linked = new URLSearchParams(location.search).get("lang");
  if (linked) saveSetting("language", linked); // for pages opened from this one
  const preferred = linked || setting("language") || navigator.language || "en";
  return preferred.toLowerCase().startsWith("es") ? "es" : "en";
}

/**
 * Load a folder's catalogue. Without a catalogue the folder's sentences stay English.
 * @param {string} folder
 * @param {string} wanted
 */
async function loadCatalogue(folder, wanted) {
  if (wanted === "en") return;
  const response = await fetch(`${folder}messages.${wanted}.json`).catch(() => null);
  if (response?.ok) Object.assign(translations[wanted], await response.json());
}

/** Load the catalogue of a folder, which belongs to a part of the pages or to a game. @param {string} folder */
export async function addCatalogue(folder) {
  if (folders.has(folder)) return;
  folders.add(folder);
  await loadCatalogue(folder, language.peek());
}

export const language = signal(preferredLanguage());
document.documentElement.lang = language.value;

/** Switch the page to another language once its catalogues are loaded. @param {string} chosen */
export async function setLanguage(chosen) {
  await Promise.all([...folders].map((folder) => loadCatalogue(folder, chosen)));
  saveSetting("language", chosen);
  document.documentElement.lang = chosen;
  language.value = chosen;
}

/** Mark a sentence for translators, and return it. `t` translates it where it is shown. @param {string} sentence */
export const msg = (sentence) => sentence;

/**
 * Translate a sentence, and fill in its values: `{name}` becomes `values.name`.
 * @param {string} sentence @param {Record<string, unknown>} [values]
 */
export function t(sentence, values = {}) {
  const translated = translations[language.value]?.[sentence] ?? sentence;
  return translated.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** Names of levels, as the server sends them. A level without a translation is shown by this name. */
export const LEVELS = [
  ...[msg("newcomer"), msg("learner"), msg("novice"), msg("beginner"), msg("apprentice"), msg("adept")],
  ...[msg("skilled"), msg("veteran"), msg("expert"), msg("master")],
];

/** @type {Record<string, string>} */
const SUITS = { C: msg("clubs"), D: msg("diamonds"), H: msg("hearts"), S: msg("spades") };
/** @type {Record<string, string>} */
const RANKS = { A: msg("ace"), J: msg("Jack"), Q: msg("Queen"), K: msg("King"), T: "10" };

/** @param {string} suit */
const suitName = (suit) => t(SUITS[suit]);

/** Return a card's name in words: "7 of spades". @param {string} card */
export function cardName(card) {
  if (card.startsWith("X")) return t("Jester");
  return t("{rank} of {suit}", { rank: t(RANKS[card[0]] ?? card[0]), suit: suitName(card[1]) });
}

/**
 * The installed games by name, as the page's document lists them (`api/resources/browser_pages.py`).
 * @type {Record<string, {title: string, lessons: boolean, picture: {module: string, styles: string[]} | null}>}
 */
export const INSTALLED = JSON.parse(
  /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=games]"))?.content ?? "{}",
);

/** Return a ruleset's title. A ruleset that isn't installed is called by its name. @param {string} name */
export const rulesetTitle = (name) => INSTALLED[name]?.title ?? name[0].toUpperCase() + name.slice(1);
