// Setting up a game: its seed is promised first, then this browser adds a part of its own that nobody could foresee.
// @ts-check
import { Problem, newKey } from "./client.js";
import { saveGame, savedGame } from "./saved.js";
import { t } from "./i18n.js";

/** @typedef {import("./client.js").Client} Client */

/** What a page says of a game that was set up without a promise. */
export const noCommitment = () =>
  t(
    "The server gave no fingerprint of its seed beforehand. The game goes on, but nobody can prove afterwards" +
      " that the server didn't choose the cards.",
  );

/** So often is a promise asked for that turns out to be gone. */
const PROMISES = 2;

/** Return a promised seed, or null: then the game goes on without, and its page says so. @param {Client} client */
async function commit(client) {
  try {
    return await client.post("/v1/commitments");
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/**
 * Ask for a game by a promised seed, with a random part of this browser that is drawn when the promise is known.
 * Retries if the promise has expired meanwhile. Throws `Problem`.
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
 * Set up a game once, and remember it with what shows at its end how the cards were shuffled. Throws `Problem`.
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
 * Take a seat, with a part of this browser's own, and remember it. Throws `Problem`.
 * @param {Client} client @param {string} id @param {{name: string, invite?: string}} who
 * @param {string} [commitment] the promise of its seed, if this browser has seen it @returns {Promise<any>}
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
 * Play once more with the same seats, and remember it. Who asks first has the seed promised; who doesn't, or is given
 * another one, can't prove at the end that nobody chose the cards, and isn't told so. Throws `Problem`.
 * @param {Client} client @param {string} id the game that has ended @returns {Promise<{id: string, token: string}>}
 */
export async function nextGame(client, id) {
  const { game, clientSeed, promise } = await promisedGame(client, (shuffle) =>
    client.post(`/v1/games/${id}/next`, shuffle),
  );
  const [[seat, token]] = Object.entries(game.tokens);
  const { ruleset, commitment } = game;
  if (!savedGame(game.id)) {
    // who asks again has told which part was theirs, and must not forget it
    saveGame({
      id: game.id,
      token,
      ruleset,
      seat: Number(seat),
      commitment,
      clientSeed,
      promised: promise?.commitment === commitment,
    });
  }
  return { id: game.id, token };
}
