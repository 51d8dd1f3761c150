// One boardgame.io server on a free port of this machine, as a child process: STORE is memory or redis (REDIS_URL).
import { createRequire } from 'node:module';
import { game } from './game.js';
import { RedisStore } from './redis-store.js';

const { Server } = createRequire(import.meta.url)('boardgame.io/server');

process.on('disconnect', () => process.exit());
process.on('message', () => process.send({ cpu: process.cpuUsage() }));

const db = process.env.STORE === 'redis' ? new RedisStore(process.env.REDIS_URL) : undefined; // its own: memory
const { appServer } = await Server({ games: [game], origins: ['http://127.0.0.1'], db }).run({ port: 0 });
process.send({ port: appServer.address().port });
