import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { migrationLockKey } from '@inventory/db/migrate/migrate';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createFolder } from '../harness/folders.ts';
import { createDatabase } from '../harness/servers/database.ts';
import { uniqueName } from '../harness/service/service.ts';

const root = join(import.meta.dirname, '../..');

/** Runs a program in a terminal of its own, with both outputs in one. */
function runInTerminal(command: string, env: Record<string, string>, cwd = root) {
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd,
    env: { ...process.env, TERM: 'dumb', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return { shown: () => shown, ended, child };
}

test('the first start installs what it needs, and neither tools of tests nor warnings about them', async ({
  skip,
}) => {
  const pnpm = process.env.npm_execpath;
  if (pnpm === undefined) return skip('not run by pnpm');
  const copy = createFolder();
  const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n');
  for (const file of tracked.filter((each) => existsSync(join(root, each)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  const run = (file: string, ...args: string[]) => {
    const { shown, ended } = runInTerminal(
      `node apps/admin/${file} ${args.join(' ')}`,
      { npm_execpath: pnpm },
      copy,
    );
    return ended.then((code) => ({ code, shown: shown() }));
  };
  const installed = await run('install.mjs');
  expect(installed.code, installed.shown).toBe(0);
  expect(installed.shown).toMatch(/^installing the packages\r?\n/);
  // amaro is what a Node below 22 needs itself.
  const warnings = installed.shown.split('\n').filter((line) => /WARN/.test(line) && !/amaro/.test(line));
  expect(warnings).toEqual([]);
  const names = readdirSync(join(copy, 'node_modules/.pnpm'));
  expect(names.some((name) => name.startsWith('bullmq@'))).toBe(true);
  const ofTests = /^(?:vitest|@biomejs\+|squawk-cli|playwright|kubernetes-models|@kubernetes)/;
  expect(names.filter((name) => ofTests.test(name))).toEqual([]);
  expect((await run('launch.mjs', '--version')).shown).toMatch(/^\d+\.\d+\.\d+\r?\n$/);
  // With everything installed, the next run does nothing and says nothing.
  expect(await run('install.mjs')).toEqual({ code: 0, shown: '' });
});

test('start says at once that it begins, and on a terminal for how long the present step has run', async () => {
  const database = await createDatabase('template0');
  onTestFinished(() => database.drop());
  // As a backup does.
  const held = await database.sql.reserve();
  await held`select pg_advisory_lock_shared(${migrationLockKey}::bigint)`;
  const started = runInTerminal('node apps/admin/launch.mjs start --no-demo', {
    ...{ DATABASE_URL: database.url, REDIS_URL: inject('redisUrl'), QUEUE_PREFIX: uniqueName('first') },
    ...{ PORT: '0', INTERNAL_PORT: '' },
  });
  const { shown } = started;
  await expect.poll(shown).toMatch(/^starting the service\r\n/);
  await expect.poll(shown).toMatch(/\r\d+ s {2}bringing the tables up to date/);
  await held`select pg_advisory_unlock_shared(${migrationLockKey}::bigint)`;
  held.release();
  await expect.poll(shown).toContain('Ctrl-C');
});
