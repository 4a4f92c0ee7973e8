import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '@inventory/local/redis/redis';
import { Redis } from 'ioredis';
import { inject } from 'vitest';
import { ownSettings } from '../service/own-settings.ts';
import { addRedisLogins } from './logins.ts';

/** A Redis that no other test uses, with the logins of the run, and a connection to it. */
export type OwnRedis = { url: string; port: number; redis: Redis; stop(): Promise<void> };

/** Starts a Redis; the caller stops it. */
export async function startOwnRedis(): Promise<OwnRedis> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'own-redis-')));
  const server = await startRedis(ownSettings(folder));
  const redis = new Redis(server.url);
  redis.on('error', () => {});
  await addRedisLogins(redis, inject('logins'));
  return {
    url: server.url,
    port: server.port,
    redis,
    async stop() {
      redis.disconnect();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
