// Play a game of Regicide through the functions and types that orval writes: `node play_orval.js URL`.

import { act, createGame, getGame, listActions, listEvents } from "./client.js";
import type { Game, RegicideRecordedEndedEvent, RegicideRecordedPlayedEvent } from "./client.js";

declare const process: { argv: string[] };

// The functions ask for paths: here is where the server is.
const { fetch: ask } = globalThis;
globalThis.fetch = (path, options) => ask(`${process.argv[2] ?? ""}${String(path)}`, options);

const created = await createGame({
  ruleset: "regicide",
  seats: [
    { kind: "human", name: "Ana" },
    { kind: "ai", level: "novice" },
  ],
});
if (created.status !== 201) {
  throw new Error(JSON.stringify(created.data));
}
const { id, tokens } = created.data;
const ana = { headers: { Authorization: `Bearer ${tokens["0"]}` } };

const refused = await act(id, { text: "play 1Z" }, {}, ana);

/** Return the game when it isn't at that version any more. */
async function look(version?: number): Promise<Game> {
  const known: Record<string, string> = version === undefined ? {} : { "If-None-Match": `"${version}"` };
  for (;;) {
    const seen = await getGame(id, { wait: 25 }, { headers: { ...ana.headers, ...known } });
    if (seen.status === 200) {
      return seen.data;
    }
    if (seen.status !== 304) {
      throw new Error(JSON.stringify(seen.data));
    }
  }
}

// Take the first legal action, as it is listed, whenever it is Ana's turn.
let game = await look();
while (game.status === "active") {
  if (game.to_act.includes(0)) {
    const legal = await listActions(id, ana);
    const first = legal.status === 200 ? legal.data.actions[0] : undefined;
    if (first === undefined) {
      throw new Error("Ana must act, and can't.");
    }
    const turn = await act(id, first, {}, ana);
    if (turn.status !== 200) {
      throw new Error(JSON.stringify(turn.data));
    }
  }
  game = await look(game.version);
}

const told = await listEvents(id, {}, ana);
const events = told.status === 200 ? told.data.events : [];
const cards = events
  .filter((event): event is RegicideRecordedPlayedEvent => event.type === "played")
  .flatMap((event) => event.cards);
const last = events.find((event): event is RegicideRecordedEndedEvent => event.type === "ended");
const result = game.outcome && "result" in game.outcome ? game.outcome.result : null;
const code = refused.status === 400 ? refused.data.code : null;
console.log(`refused: ${code}; ${result} at version ${last?.version} of ${game.version}; played ${cards.join(" ")}`);
