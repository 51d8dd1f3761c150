// Local storage: games with their tokens, and settings. Theme and colours are applied to the page. The browser sends
// no part of the storage to the server.
// @ts-check
import { signal } from "../vendor.js";

/** @typedef {{id: string, token: string | null, ruleset?: string, seat?: number | null, host?: string | null,
 *   invite?: string | null, commitment?: string, promised?: boolean, clientSeed?: string, created?: number,
 *   over?: boolean, result?: string, ended?: string, others?: string, continued?: boolean}} SavedGame
 * `continued`: true if the game began at a step of another game. Its result counts for no statistics.
 * `clientSeed`: this browser's part of the shuffle. `promised`: the commitment arrived before `clientSeed` was sent. */

const GAMES = "regicide.games";
const SETTINGS = "regicide.settings";
const MOST = 40;

/** Read a stored value. @param {string} key @param {any} otherwise */
export function readStored(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key) || "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Store a value. @param {string} key @param {any} value */
export function writeStored(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without storage the game can be played, but the lobby cannot list it later.
  }
}

/** Return the saved games, newest first. @returns {SavedGame[]} */
export function savedGames() {
  const games = readStored(GAMES, []);
  return Array.isArray(games) ? games : [];
}

/** @param {string} id */
export function savedGame(id) {
  return savedGames().find((game) => game.id === id);
}

/** Save a game, or add fields to a saved one. @param {SavedGame} game */
export function saveGame(game) {
  const before = savedGame(game.id);
  const others = savedGames().filter((other) => other.id !== game.id);
  writeStored(GAMES, [{ created: Date.now(), ...before, ...game }, ...others].slice(0, MOST));
}

/** @param {string} id */
export function forgetGame(id) {
  writeStored(
    GAMES,
    savedGames().filter((game) => game.id !== id),
  );
}

/**
 * Return a setting: `theme`, `language`, `fourColours`, `sound`, `name`.
 * @param {string} name
 * @param {any} [otherwise]
 */
export function setting(name, otherwise = null) {
  return readStored(SETTINGS, {})[name] ?? otherwise;
}

/** @param {string} name @param {any} value */
export function saveSetting(name, value) {
  writeStored(SETTINGS, { ...readStored(SETTINGS, {}), [name]: value });
}

/**
 * Return the path of a seat's table. The token is in the fragment, which browsers do not send.
 * @param {string} id
 * @param {string | null} [token]
 */
export function tableLink(id, token) {
  return token ? `/play#${id}.${token}` : `/play?g=${id}`;
}

export const theme = signal(setting("theme", "auto"));
export const fourColours = signal(setting("fourColours", false));

/** Apply theme and colours to the page. */
export function applyTheme() {
  const root = document.documentElement;
  root.dataset.theme = theme.value;
  root.dataset.colours = fourColours.value ? "four" : "two";
}
applyTheme();

/** Load the bold font. Until it arrives, the browser emboldens the regular one. */
export function loadBoldFace() {
  const face = new FontFace("Cabin", "url(/static/fonts/cabin-600.woff2)", { weight: "600" });
  face.load().then(
    () => document.fonts.add(face),
    (error) => console.info(error),
  );
}
// A table loads the bold font itself, after its first paint.
if (!location.pathname.startsWith("/play")) addEventListener("load", loadBoldFace);
