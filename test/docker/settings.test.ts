import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { findUnknownSettings } from '@inventory/process/settings/unknown-settings';
import { describe, expect, test } from 'vitest';
import { programOf } from '../harness/compiled.ts';

const root = join(import.meta.dirname, '../..');

/** How a process ends that gets these settings and no database. */
function start(part: 'api' | 'worker', settings: Record<string, string>) {
  const { DATABASE_URL: _, REDIS_URL: __, ...env } = process.env;
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const program = programOf(join(root, `apps/${part}/src/main.ts`));
    const options = { cwd: root, env: { ...env, ...settings } };
    execFile(process.execPath, program, options, (error, stdout, stderr) =>
      resolve({ code: error?.code, stdout, stderr }),
    );
  });
}

test.each(['api', 'worker'] as const)(
  'the %s logs an unknown name in its environment, without the value, and takes an empty LOG_LEVEL as unset',
  async (part) => {
    const { stdout, ...ended } = await start(part, { LOG_LEVEL: '', REDIS_PASWORD: 'hidden-value' });
    // The error is about the next missing settings.
    expect(ended).toEqual({ code: 1, stderr: 'DATABASE_URL is not set; REDIS_URL is not set\n' });
    expect(stdout).toContain(
      'ignored, because the service has no such settings: REDIS_PASWORD (REDIS_PASSWORD?)',
    );
    expect(stdout).not.toContain('hidden-value');
  },
);

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
});
