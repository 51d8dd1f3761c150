// Check of the shuffle by WebCrypto; docs/fairness.md has the algorithm.
// @ts-check

/** @param {string} hex */
const fromHex = (hex) => Uint8Array.from(hex.match(/../g) || [], (two) => parseInt(two, 16));
/** @param {Uint8Array} bytes */
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
/** @param {string} text */
const utf8 = (text) => new TextEncoder().encode(text);

/** @param {Uint8Array<ArrayBuffer>} key @param {Uint8Array<ArrayBuffer>} message */
async function hmac(key, message) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

/**
 * Function that deals a game as its ruleset does; returns a test whether a seat's first view is of this deal.
 * @typedef {(dealer: Dealer, record: any) => Promise<(view: any, seat: number) => boolean>} Deal
 */

/** Random numbers of hosted games: a stream of 32-bit words from a seed. */
export class Dealer {
  /** @param {string} seed */
  constructor(seed) {
    this.key = utf8(seed);
    this.blocks = 0;
    /** @type {number[]} */
    this.words = [];
  }

  async word() {
    if (!this.words.length) {
      const block = await hmac(this.key, utf8(String(this.blocks)));
      this.blocks += 1;
      const view = new DataView(block.buffer);
      this.words = Array.from({ length: 8 }, (_, index) => view.getUint32(4 * index));
    }
    return /** @type {number} */ (this.words.shift());
  }

  /** @param {number} bound */
  async below(bound) {
    const limit = 2 ** 32 - (2 ** 32 % bound);
    for (;;) {
      const word = await this.word();
      if (word < limit) return word % bound;
    }
  }

  /** @param {string[]} cards */
  async shuffled(cards) {
    const pile = [...cards];
    for (let place = pile.length - 1; place > 0; place -= 1) {
      const other = await this.below(place + 1);
      [pile[place], pile[other]] = [pile[other], pile[place]];
    }
    return pile;
  }
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
const sha256 = async (bytes) => toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));

/** Return the game key: HMAC of the seed and the players' random parts. @param {any} record */
function gameKey({ seed, client_seeds: parts }) {
  return hmac(fromHex(seed), utf8(parts.map((/** @type {string | null} */ part) => part || "").join("\n")));
}

/**
 * Check a record. Returns `ok`, or `seed` if the seed is right but the deal can't be checked; else the first fault:
 * `bad`: seed and commitment don't match; `part`: another client seed; `deal`: a seat saw other cards.
 * @param {any} record
 * @param {{commitment: string, seat?: number | null, clientSeed?: string}} known what was known when the game began
 * @param {Deal | undefined} deal how the ruleset deals, if this browser knows it
 * @param {(version: number, seat: number) => Promise<any>} seen returns the view of a seat at a version
 */
export async function check(record, { commitment, seat: own, clientSeed }, deal, seen) {
  if ((await sha256(fromHex(record.seed))) !== commitment) return "bad";
  if (clientSeed && own != null && record.client_seeds[own] !== clientSeed) return "part";
  if (!deal || record.position || !record.actions.length) return "seed";
  const text = toHex(await hmac(await gameKey(record), utf8("0")));
  const isDealt = await deal(new Dealer(text), record);
  const start = record.actions[0].version - 1;
  for (let seat = 0; seat < record.players; seat += 1) {
    if (!isDealt(await seen(start, seat), seat)) return "deal";
  }
  return "ok";
}

/**
 * Check the AI notes of a record against its hash chain and against the hashes received during the game.
 * @param {any} record @param {Map<number, string>} heard
 * @returns {Promise<{isAsSealed: boolean, all: number}>} `all`: how many notes the record has
 */
export async function checkNotes(record, heard) {
  const key = await gameKey(record);
  const made = new Map();
  let link = record.commitment;
  for (const { version, seat, ai } of record.actions) {
    if (!ai) continue;
    const sealed = toHex(
      await hmac(key, utf8(`note ${version} ${seat} ${ai.level} ${ai.iterations} ${ai.helper_iterations ?? 0}`)),
    );
    made.set(version, sealed);
    link = await sha256(utf8(link + sealed));
  }
  const isChained = record.ai_notes === undefined || record.ai_notes === link; // older records have no chain
  return {
    isAsSealed: isChained && [...heard].every(([version, sealed]) => made.get(version) === sealed),
    all: made.size,
  };
}
