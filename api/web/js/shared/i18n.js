// The reader's language. English sentences stand in the code and are the keys of the catalogues of other languages.
// @ts-check
import { signal } from "../vendor.js";
import { saveSetting, setting } from "./saved.js";

export const LANGUAGES = { en: "English", es: "Español" };

/** Folders of catalogues in use, each with a slash at its end: of the pages, then of the game. */
const folders = new Set(["/static/"]);
/** Translations by English sentence, by language. @type {Record<string, Record<string, string>>} */
const translations = { en: {}, es: {} };

function preferredLanguage() {
  const linked = new URLSearchParams(location.search).get("lang");
  if (linked) saveSetting("language", linked); // pages that are opened from this one are read in it too
  const preferred = linked || setting("language") || navigator.language || "en";
  return preferred.toLowerCase().startsWith("es") ? "es" : "en";
}

/** Load a folder's catalogue. Without it sentences stay English. @param {string} folder @param {string} wanted */
async function loadCatalogue(folder, wanted) {
  if (wanted === "en") return;
  const response = await fetch(`${folder}messages.${wanted}.json`).catch(() => null);
  if (response?.ok) Object.assign(translations[wanted], await response.json());
}

/** Add the sentences of a game's folder. @param {string} folder */
export async function addCatalogue(folder) {
  folders.add(folder);
  await loadCatalogue(folder, language.peek());
}

export const language = signal(preferredLanguage());
document.documentElement.lang = language.value;
await loadCatalogue("/static/", language.value);

/** Show the page in another language, as soon as its catalogues are there. @param {string} chosen */
export async function setLanguage(chosen) {
  await Promise.all([...folders].map((folder) => loadCatalogue(folder, chosen)));
  saveSetting("language", chosen);
  document.documentElement.lang = chosen;
  language.value = chosen;
}

/** Mark a sentence for translators; `t` translates it where it is shown. @param {string} sentence */
export const msg = (sentence) => sentence;

/**
 * Translate a sentence, and fill in its values: `{name}` becomes `values.name`.
 * @param {string} sentence @param {Record<string, unknown>} [values]
 */
export function t(sentence, values = {}) {
  const translated = translations[language.value]?.[sentence] ?? sentence;
  return translated.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** Names that data and the server have for what is shown; a name without a translation is shown as it is. */
export const NAMES = [
  ...[msg("novice"), msg("beginner"), msg("apprentice"), msg("adept")],
  ...[msg("skilled"), msg("veteran"), msg("expert"), msg("master")],
];

/** @type {Record<string, string>} */
const SUITS = { C: msg("clubs"), D: msg("diamonds"), H: msg("hearts"), S: msg("spades") };
/** @type {Record<string, string>} */
const RANKS = { A: msg("ace"), J: msg("Jack"), Q: msg("Queen"), K: msg("King"), T: "10" };

/** @param {string} suit */
export const suitName = (suit) => t(SUITS[suit]);

/** Return a card's name as a person says it: "7 of spades". @param {string} card */
export function cardName(card) {
  if (card.startsWith("X")) return t("Jester");
  return t("{rank} of {suit}", { rank: t(RANKS[card[0]] ?? card[0]), suit: suitName(card[1]) });
}

/** Return the name of a ruleset that the server has told nothing of yet. @param {string} name */
export const rulesetTitle = (name) => name[0].toUpperCase() + name.slice(1);
