// A bot that plays any legal action: regicide bot ... --exec "node bot.mjs".
import { createInterface } from "node:readline";

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  if (line.ended) {
    console.error(line.ended.won ? "I have won." : "I haven't won.");
  } else if (line.error) {
    console.error(line.error.detail);
  } else {
    const chosen = line.actions[Math.floor(Math.random() * line.actions.length)];
    console.log(JSON.stringify(chosen.text));
  }
}
