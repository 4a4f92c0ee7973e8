import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { findUnknownSettings } from '@inventory/process/settings/unknown-settings';
import { describe, expect, inject, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { programOf } from '../harness/compiled.ts';
import { createDatabase } from '../harness/servers/database.ts';
import { startProcess } from '../harness/service/processes.ts';

const root = join(import.meta.dirname, '../..');

/** How a process ends that gets these settings and no database. */
function start(part: 'api' | 'worker', settings: Record<string, string>) {
  const { DATABASE_URL: _, REDIS_URL: __, ...env } = process.env;
  return new Promise<{ code: unknown; stderr: string }>((resolve) => {
    const program = programOf(join(root, `apps/${part}/src/main.ts`));
    execFile(process.execPath, program, { cwd: root, env: { ...env, ...settings } }, (error, _out, stderr) =>
      resolve({ code: error?.code, stderr }),
    );
  });
}

describe.each(['api', 'worker'] as const)('LOG_LEVEL of the %s', (part) => {
  test('empty counts as unset', async () => {
    // The error is about the next missing setting.
    expect(await start(part, { LOG_LEVEL: '' })).toEqual({
      code: 1,
      stderr: 'DATABASE_URL is not set; REDIS_URL is not set\n',
    });
  });
});

describe('an unknown name in the environment', () => {
  test.each([
    ['RATE_LIMITS', 'RATE_LIMIT'],
    ['DATABASE_CONECTIONS', 'DATABASE_CONNECTIONS'],
    ['TRUSTPROXY', 'TRUST_PROXY'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['port', 'PORT'],
    ['REDIS_POOL', null],
  ])('%s is reported, with the closest setting', (name, meant) => {
    expect(findUnknownSettings({ [name]: 'x' })).toEqual([{ name, meant }]);
  });

  test.each([
    ...['PATH', 'HOME', 'NODE_ENV', 'HOSTNAME', 'TERM', 'POSTGRES_USER', 'npm_config_cache', 'COMPOSE_FILE'],
    ...['REDIS_SERVICE_HOST', 'REDIS_PORT', 'REDIS_PORT_6379_TCP_ADDR', 'REDIS_SERVICE_PORT_CLIENTS'],
    // Settings of the other process and of docker compose: all get the same file.
    ...['WORKER_CONCURRENCY', 'CORS_ORIGINS', 'WORKERS', 'SITE'],
  ])('%s is not ours, or known, and not reported', (name) => {
    expect(findUnknownSettings({ [name]: 'x' })).toEqual([]);
  });

  test.each(['api', 'worker'] as const)('is in the log of the %s, without its value', async (part) => {
    const database = await createDatabase();
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: inject('redisUrl'),
      PORT: '0',
      QUEUE_PREFIX: 'unknown',
      LOG_LEVEL: 'info',
      REDIS_PASWORD: 'hidden-value',
    };
    const running = await startProcess(`apps/${part}/src/main.ts`, asPart(part, env), { keep: true });
    await running.stop();
    await database.drop();
    expect(running.written()).toContain(
      'ignored, because the service has no such settings: REDIS_PASWORD (REDIS_PASSWORD?)',
    );
    expect(running.written()).not.toContain('hidden-value');
  });
});
