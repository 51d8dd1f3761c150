// Play a game of Regicide through openapi-fetch and the types that openapi-typescript writes: `node play.js URL`.

import createClient from "openapi-fetch";
import type { components, paths } from "./contract.js";

type Game = components["schemas"]["Game"];
type Ended = components["schemas"]["RegicideRecordedEndedEvent"];
type Played = components["schemas"]["RegicideRecordedPlayedEvent"];

declare const process: { argv: string[] };

/** Return what was answered; throw the problem, if it is one. */
function expect<Data, Problem>(answer: { data?: Data; error?: Problem }): NonNullable<Data> {
  if (answer.data === undefined || answer.data === null) {
    throw new Error(JSON.stringify(answer.error));
  }
  return answer.data;
}

const server = createClient<paths>({ baseUrl: process.argv[2] ?? "" });

const created = expect(
  await server.POST("/v1/games", {
    body: {
      ruleset: "regicide",
      seats: [
        { kind: "human", name: "Ana" },
        { kind: "ai", level: "novice" },
      ],
    },
  }),
);
const path = { game_id: created.id };
server.use({
  onRequest: ({ request }) => request.headers.set("Authorization", `Bearer ${created.tokens["0"]}`),
});

const { error: refused } = await server.POST("/v1/games/{game_id}/actions", {
  params: { path },
  body: { text: "play 1Z" },
});

// Take the first legal action whenever it is Ana's turn.
let game: Game = expect(await server.GET("/v1/games/{game_id}", { params: { path } }));
while (game.status === "active") {
  if (game.to_act.includes(0)) {
    const { actions } = expect(await server.GET("/v1/games/{game_id}/actions", { params: { path } }));
    const first = actions[0];
    if (first === undefined) {
      throw new Error("Ana must act, and can't.");
    }
    expect(await server.POST("/v1/games/{game_id}/actions", { params: { path }, body: first.action }));
  }
  const header = { "If-None-Match": `"${game.version}"` };
  game = expect(await server.GET("/v1/games/{game_id}", { params: { path, header, query: { wait: 25 } } }));
}

const { events } = expect(await server.GET("/v1/games/{game_id}/events", { params: { path } }));
const cards = events.filter((event): event is Played => event.type === "played").flatMap((event) => event.cards);
const last = events.find((event): event is Ended => event.type === "ended");
const result = game.outcome && "result" in game.outcome ? game.outcome.result : null;
console.log(
  `refused: ${refused?.code}; ${result} at version ${last?.version} of ${game.version}; played ${cards.join(" ")}`,
);
