// The same over HTTP: a game of Gridcannon against a novice. node http_bot.mjs http://127.0.0.1:8000
import { createInterface } from "node:readline";
import { Readable } from "node:stream";

const ask = (path, body, token, kind = "application/json") => {
  const headers = { "Content-Type": "application/json", Accept: kind };
  if (token) headers.Authorization = `Bearer ${token}`;
  return fetch(process.argv[2] + path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
};

const seats = [{ kind: "human", name: "Bot" }, { kind: "ai", level: "novice" }];
const game = await (await ask("/v1/games", { ruleset: "gridcannon", seats })).json();
const path = `/v1/games/${game.id}`;
const token = game.tokens[0];
const stream = await ask(`${path}/stream`, null, token, "application/x-ndjson");
for await (const line of createInterface({ input: Readable.fromWeb(stream.body) })) {
  if (line && JSON.parse(line).to_act?.includes(0)) {
    const { actions } = await (await ask(`${path}/actions`, null, token)).json();
    const chosen = actions[Math.floor(Math.random() * actions.length)]; // none, if the line is older than our action
    if (chosen) await ask(`${path}/actions`, { text: chosen.text }, token);
  }
}
const { outcome } = await (await ask(path, null, token)).json();
console.log(outcome.winner === 0 ? "I have won." : "I haven't won.");
