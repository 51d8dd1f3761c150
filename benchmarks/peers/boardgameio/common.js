// Starts the server as a child, and makes matches over its lobby.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';

export async function startServer(store) {
  const child = fork(new URL('./server.js', import.meta.url), { env: { ...process.env, STORE: store } });
  const [{ port }] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    // CPU seconds that the server has used so far.
    async spent() {
      child.send('cpu');
      const [{ cpu }] = await once(child, 'message');
      return (cpu.user + cpu.system) / 1e6;
    },
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 32 });

const send = (url, body) => new Promise((done, fail) => {
  const data = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(data) };
  const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (piece) => { text += piece; })
      .on('end', () => (response.statusCode === 200 ? done(JSON.parse(text)) : fail(new Error(`${response.statusCode} ${text}`))));
  });
  request.on('error', fail);
  request.end(data);
});

// A request is repeated once if the server closes the idle connection on which it is sent.
const post = (url, body) => send(url, body).catch((error) => {
  if (error.code !== 'ECONNRESET') throw error;
  return send(url, body);
});

// Create a match with both seats taken.
export async function newMatch(url, limit) {
  const { matchID } = await post(`${url}/games/royals/create`, { numPlayers: 2, setupData: { limit } });
  const seats = [];
  for (const playerID of ['0', '1']) {
    const { playerCredentials } = await post(`${url}/games/royals/${matchID}/join`, { playerID, playerName: `p${playerID}` });
    seats.push(playerCredentials);
  }
  return { matchID, seats };
}

// Call `make` `count` times, `width` calls at a time; return the results.
export async function made(count, width, make) {
  const found = [];
  let left = count;
  await Promise.all(Array.from({ length: width }, async () => {
    while (left-- > 0) found.push(await make());
  }));
  return found;
}

export const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
