// New games: the server commits to its seed first, then this browser adds a random part of its own.
// @ts-check
import { Problem, newKey } from "../shared/client.js";
import { saveGame, savedGame } from "../shared/saved.js";
import { addCatalogue, t } from "../shared/i18n.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @typedef {import("../shared/client.js").Client} Client */

/** Return the warning for a game without a commitment. */
export const noCommitment = () =>
  t(
    "The server gave no fingerprint of its seed beforehand. The game goes on, but nobody can prove afterwards" +
      " that the server didn't choose the cards.",
  );

/** Maximum number of commitments to request for one game. A new one is requested if the last one has expired. */
const PROMISES = 2;

/**
 * Return a commitment, or null if the server gives none. The page of a game without a commitment shows a warning.
 * @param {Client} client
 */
async function commit(client) {
  try {
    return await client.post("/v1/commitments");
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/**
 * Create a game with a commitment and a random part of this browser, drawn after the commitment has arrived.
 * If the commitment has expired, try again with a new one. Throws `Problem`.
 * @param {Client} client @param {(shuffle: Record<string, string>) => Promise<any>} ask
 * @returns {Promise<{game: any, clientSeed: string, promise: {id: string, commitment: string} | null}>}
 */
async function promisedGame(client, ask, promises = PROMISES) {
  const promise = promises ? await commit(client) : null;
  const clientSeed = newKey();
  const game = await ask({ client_seed: clientSeed, ...(promise && { commitment: promise.id }) }).catch((error) => {
    if (error.code === "commitment_gone") return null;
    throw error;
  });
  return game ? { game, clientSeed, promise } : promisedGame(client, ask, promises - 1);
}

/**
 * Create a game, and save it with the commitment and random part that the check of its shuffle needs. Throws `Problem`.
 * @param {Client} client
 * @param {{ruleset: string, seats: Record<string, unknown>[]} & Record<string, unknown>} body
 * @returns {Promise<any>}
 */
export async function newGame(client, body) {
  const ask = (/** @type {Record<string, string>} */ shuffle) =>
    client.act("/v1/games", { ...body, ...shuffle }, { tries: 3 });
  const plays = body.seats.some(({ kind }) => kind === "human");
  const { game, clientSeed, promise } = plays
    ? await promisedGame(client, ask)
    : { game: await ask({}), clientSeed: "", promise: null };
  if (promise && promise.commitment !== game.commitment)
    throw new Problem({
      status: 200,
      code: "broken_promise",
      detail: t(
        "The server has not kept its promise: this game has another fingerprint than the one given before. " +
          "Set up another game, or ask who runs the server.",
      ),
    });
  const [seat, token] = Object.entries(game.tokens)[0] ?? [null, null];
  const { id, ruleset, commitment, host_token: host, invite = null } = game;
  const ours = plays ? { clientSeed, promised: promise !== null } : {};
  saveGame({ id, token, ruleset, seat: seat === null ? null : Number(seat), host, invite, commitment, ...ours });
  return game;
}

/**
 * Join a game with a random part of this browser, and save it. Throws `Problem`.
 * @param {Client} client @param {string} id @param {{name: string, invite?: string}} who
 * @param {string} [commitment] of the game's seed, if this browser has received it before @returns {Promise<any>}
 */
export async function joinGame(client, id, who, commitment) {
  const clientSeed = newKey();
  const game = await client.act(`/v1/games/${id}/join`, { ...who, client_seed: clientSeed }, { tries: 3 });
  const { token, ruleset, seat } = game;
  const promised = commitment !== undefined;
  saveGame({
    id,
    token,
    ruleset,
    seat,
    invite: who.invite,
    commitment: commitment ?? game.commitment,
    clientSeed,
    promised,
  });
  return game;
}

/**
 * Create or join the next game with the same seats, and save it. Only the player who creates it gets a commitment. For
 * the players who join, the check of the shuffle cannot prove that the server chose no cards. Throws `Problem`.
 * @param {Client} client @param {string} id the game that has ended @returns {Promise<{id: string, token: string}>}
 */
export async function nextGame(client, id) {
  const { game, clientSeed, promise } = await promisedGame(client, (shuffle) =>
    client.post(`/v1/games/${id}/next`, shuffle),
  );
  const [[seat, token]] = Object.entries(game.tokens);
  const { ruleset, commitment } = game;
  if (!savedGame(game.id)) {
    // A repeated request must not replace the random part that was sent first.
    saveGame({
      id: game.id,
      token,
      ruleset,
      seat: Number(seat),
      commitment,
      clientSeed,
      invite: game.invite,
      promised: promise?.commitment === commitment,
    });
  }
  return { id: game.id, token };
}
