// What this browser remembers: your games with their tokens, and a few settings. Nothing is sent anywhere.
// @ts-check

/** @typedef {{id: string, token: string | null, ruleset?: string, seat?: number | null, host?: string | null,
 *   invite?: string | null, commitment?: string, promised?: boolean, clientSeed?: string, created?: number,
 *   over?: boolean}} SavedGame
 * `clientSeed` is what this browser added to the shuffle; `promised`: it had the commitment before it said so. */

const GAMES = "regicide.games";
const SETTINGS = "regicide.settings";
const MOST = 40;

/** @param {string} key @param {any} otherwise */
function read(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key) || "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** @param {string} key @param {any} value */
function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing still plays.
  }
}

/** Return your games, the newest first. @returns {SavedGame[]} */
export function savedGames() {
  const games = read(GAMES, []);
  return Array.isArray(games) ? games : [];
}

/** @param {string} id */
export function savedGame(id) {
  return savedGames().find((game) => game.id === id);
}

/** Remember a game, or more of one. @param {SavedGame} game */
export function saveGame(game) {
  const before = savedGame(game.id);
  const others = savedGames().filter((other) => other.id !== game.id);
  write(GAMES, [{ created: Date.now(), ...before, ...game }, ...others].slice(0, MOST));
}

/** @param {string} id */
export function forgetGame(id) {
  write(
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
  return read(SETTINGS, {})[name] ?? otherwise;
}

/** @param {string} name @param {any} value */
export function saveSetting(name, value) {
  write(SETTINGS, { ...read(SETTINGS, {}), [name]: value });
}

/**
 * Return the address of a seat's table: the token is in the fragment, which is never sent.
 * @param {string} id
 * @param {string | null} [token]
 */
export function tableLink(id, token) {
  return token ? `/play#${id}.${token}` : `/play?g=${id}`;
}
