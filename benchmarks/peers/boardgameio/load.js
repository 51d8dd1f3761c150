// node load.js --store memory|redis [--matches 16] [--seconds 4] [--warm 1] [--limit 60] [--spare 400]
//
// Two clients of socket.io for each match. A player sends a move as soon as both clients have the update after which
// the player is on turn. A move's latency ends when its sender receives the update. Prints one JSON line.
import { io } from 'socket.io-client';
import { parseArgs } from 'node:util';
import { startServer, newMatch, made, quantile } from './common.js';

const { values: asked } = parseArgs({ options: {
  store: { type: 'string', default: 'memory' },
  matches: { type: 'string', default: '16' },
  seconds: { type: 'string', default: '4' },
  warm: { type: 'string', default: '1' }, // seconds before the clock starts
  limit: { type: 'string', default: '60' }, // moves of a match
  spare: { type: 'string', default: '400' }, // matches made before the clock starts
} });
const limit = Number(asked.limit);
const matches = Number(asked.matches);

const times = [];
let counts = false;

class Table { // a pair of clients, match after match
  constructor(url, take) {
    this.take = take;
    this.sockets = ['0', '1'].map((player) => this.client(url, player));
  }

  client(url, player) {
    const socket = io(`${url}/royals`, { transports: ['websocket'], forceNew: true });
    socket.on('sync', (id, { state }) => {
      if (id !== this.id) return;
      this.seen[player] = state._stateID;
      if (state.ctx.currentPlayer === player) this.opening = { player, state };
      if (++this.synced === 2) setImmediate(() => this.send(this.opening));
    });
    socket.on('update', (id, state) => {
      if (id !== this.id) return;
      if (player === this.mover && counts) times.push(performance.now() - this.began);
      this.seen[player] = state._stateID;
      const both = this.seen[0] === this.seen[1];
      if (state.ctx.gameover !== undefined) { if (both) this.next(); return; }
      if (state.ctx.currentPlayer === player) this.pending = { player, state };
      if (both && this.pending) { const turn = this.pending; this.pending = null; this.send(turn); }
    });
    return socket;
  }

  async next() {
    const match = await this.take();
    Object.assign(this, { id: match.matchID, seats: match.seats, synced: 0, seen: [-1, -1], mover: null, pending: null });
    this.sockets.forEach((socket, seat) => socket.emit('sync', this.id, String(seat), this.seats[seat], 2));
  }

  send({ player, state }) {
    if (this.stopped) return;
    const hand = state.G.hands[player];
    const args = [hand[(state._stateID * 7) % hand.length].id];
    this.mover = player;
    this.began = performance.now();
    const payload = { type: 'play', args, playerID: player, credentials: this.seats[player] };
    this.sockets[player].emit('update', { type: 'MAKE_MOVE', payload }, state._stateID, this.id, player);
  }

  stop() { this.stopped = true; this.sockets.forEach((socket) => socket.close()); }
}

const pause = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));
const server = await startServer(asked.store);
const make = () => newMatch(server.url, limit);
const spares = await made(matches + Number(asked.spare), 16, make);
let late = 0; // matches that had to be made while the clock ran
const take = async () => spares.pop() || (late++, make());
const tables = Array.from({ length: matches }, () => new Table(server.url, take));
await Promise.all(tables.map((table) => table.next()));
await pause(Number(asked.warm));
counts = true;
const [spent, own, began] = [await server.spent(), process.cpuUsage(), performance.now()];
await pause(Number(asked.seconds));
counts = false;
const seconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(own);
const sorted = Float64Array.from(times).sort();
console.log(JSON.stringify({
  seconds, requests: times.length, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99),
  own: (user + system) / 1e6, server: (await server.spent()) - spent, late,
}));
tables.forEach((table) => table.stop());
await server.stop();
process.exit(0);
