import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addressOf, excessRightsOf, loginOf, parts } from '@inventory/db/access/logins';
import { knownVersion } from '@inventory/db/migrate/schema-steps';
import { startPostgres } from '@inventory/local/postgres/postgres';
import { removePostgresHome } from '@inventory/local/postgres/postgres-home';
import { startRedis } from '@inventory/local/redis/redis';
import { connect } from '@inventory/postgres/pool';
import { readConfig } from '@inventory/process/settings/config';
import { reloadRedisUsers } from '@inventory/redis/reload-redis-users';
import { workerSettings } from '@inventory/worker/config';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFolder, useFolder } from '../harness/folders.ts';
import { startOwnRedis } from '../harness/servers/own-redis.ts';
import { runHere } from '../harness/service/command-line.ts';

const own = await startOwnRedis();
const folder = useFolder();
beforeAll(() => chmod(folder, 0o755));
afterAll(() => own.stop());

/** Runs a command; returns its output. */
async function inventory(args: string[], env: Record<string, string> = {}): Promise<string> {
  const { code, stdout, stderr } = await runHere(args, env);
  expect(code, stderr).toBe(0);
  return stdout;
}

const draw = () =>
  inventory(['secrets', '--owner', join(folder, 'owner'), '--parts', join(folder, 'parts')], {
    QUEUE_PREFIX: 'mine',
  });

/** Every written file, with its mode and content. */
async function readAll() {
  const names = (await readdir(folder, { recursive: true })).sort();
  const found: Record<string, { mode: string; text: string }> = {};
  for (const name of names) {
    const { mode, isFile } = await stat(join(folder, name)).then((stats) => ({
      mode: (stats.mode & 0o777).toString(8),
      isFile: stats.isFile(),
    }));
    if (isFile) found[name] = { mode, text: await readFile(join(folder, name), 'utf8') };
  }
  return found;
}

describe('secrets', () => {
  test('are drawn once, all different, in files that only their users may read', async () => {
    await draw();
    const first = await readAll();
    expect(Object.fromEntries(Object.entries(first).map(([name, { mode }]) => [name, mode]))).toEqual({
      'owner/database-password': '644',
      'parts/api/database-password': '600',
      'parts/api/redis-password': '600',
      'parts/operator/database-password': '600',
      'parts/operator/redis-password': '600',
      'parts/redis/redis-password': '644',
      'parts/redis/users.acl': '644',
      'parts/worker/database-password': '600',
      'parts/worker/redis-password': '600',
    });
    const drawn = Object.entries(first).filter(([name]) => name.endsWith('-password'));
    for (const [, { text }] of drawn) expect(text).toMatch(/^[\w-]{43}$/);
    // The operator logs in to Redis as its admin.
    expect(first['parts/operator/redis-password']!.text).toBe(first['parts/redis/redis-password']!.text);
    expect(new Set(drawn.map(([, { text }]) => text)).size).toBe(drawn.length - 1);
    for (const [, { text }] of drawn) expect(first['parts/redis/users.acl']!.text).not.toContain(text);
    await draw();
    expect(await readAll()).toEqual(first);
  });

  test('open Redis to each part by its password file, and to nobody without one', async () => {
    await draw();
    const users = (await readFile(join(folder, 'parts/redis/users.acl'), 'utf8')).trim().split('\n');
    for (const line of users) {
      const [, name = '', ...rules] = line.split(' ');
      // The harness logs in with another one.
      await own.redis.call('ACL', 'SETUSER', name, 'reset', ...rules);
    }
    const config = readConfig(workerSettings, {
      DATABASE_URL: 'postgres://nowhere',
      REDIS_URL: `redis://worker@127.0.0.1:${own.port}`,
      REDIS_PASSWORD_FILE: join(folder, 'parts/worker/redis-password'),
    });
    const ask = async (url: string, ...command: [string, ...string[]]) => {
      const redis = new Redis(url, { retryStrategy: () => null, disableClientInfo: true });
      redis.on('error', () => {});
      const answer = await redis.call(...command).catch((error: Error) => error.message.split(' ')[0]);
      redis.disconnect();
      return answer;
    };
    expect(await ask(config.REDIS_URL, 'LLEN', 'mine:{stock-0}:wait')).toBe(0);
    expect(await ask(config.REDIS_URL, 'LLEN', 'inventory:{stock-0}:wait')).toBe('NOPERM');
    expect(await ask(`redis://127.0.0.1:${own.port}`, 'PING')).toBe('NOAUTH');
  });

  test('apply to a running Redis once it has reloaded them', async () => {
    const home = createFolder();
    const { signal } = new AbortController();
    const settings = { folder: home, port: undefined, rememberedPort: undefined, throwAway: false };
    const server = await startRedis({ ...settings, queuePrefix: 'before', report: () => {}, signal });
    const redis = new Redis(server.urls.api, { disableClientInfo: true });
    try {
      expect(await redis.exists('before:1')).toBe(0);
      await expect(redis.exists('after:1')).rejects.toThrow('NOPERM');
      const file = join(home, 'redis.acl');
      await writeFile(file, (await readFile(file, 'utf8')).replaceAll('before:', 'after:'));
      await expect(reloadRedisUsers(server.urls.admin)).resolves.toBeUndefined();
      expect(await redis.exists('after:1')).toBe(0);
      await expect(reloadRedisUsers(server.urls.worker)).rejects.toThrow('cannot reload its users: NOPERM');
    } finally {
      redis.disconnect();
      await server.stop();
    }
  });

  test('open Postgres to each part after migrate --logins, with the rights of that part, also on tables of a newer version that still serve this one', async () => {
    await draw();
    const settings = { folder, port: undefined, rememberedPort: undefined, throwAway: true, queuePrefix: '' };
    const { signal } = new AbortController();
    const { url, stop } = await startPostgres({ ...settings, report: () => {}, signal });
    try {
      const migrate = ['migrate', '--logins', join(folder, 'parts')];
      const printed = await inventory(migrate, { DATABASE_URL: url });
      for (const part of parts) expect(printed).toContain(`login ${loginOf(part)} exists`);
      // Once more, as with each new version.
      await inventory(migrate, { DATABASE_URL: url });
      // And after going back to this one.
      const owner = connect(url, { name: 'tests' });
      const known = knownVersion();
      await owner`insert into schema_version (version, name, checksum) values (${known + 1}, 'later', '')`;
      await owner.end();
      const back = await inventory(migrate, { DATABASE_URL: url });
      expect(back.split('\n')).toEqual([
        `nothing to do: the tables are of version ${known + 1}, newer than ${known}, and still serve this version`,
        ...parts.map((part) => `login ${loginOf(part)} exists`),
        '',
      ]);
      for (const part of parts) {
        const password = await readFile(join(folder, 'parts', part, 'database-password'), 'utf8');
        const sql = connect(addressOf(url, { name: loginOf(part), password }), { name: 'tests' });
        const [role] = await sql`select pg_has_role(${`inventory_${part}`}, 'usage') as held`;
        expect({ part, role, excess: await excessRightsOf(sql) }).toEqual({
          part,
          role: { held: true },
          excess: null,
        });
        await sql.end();
      }
    } finally {
      await stop();
      await removePostgresHome(folder);
    }
  });
});
