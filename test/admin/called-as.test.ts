import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inventory as program } from '@inventory/admin/program';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createDatabase } from '../harness/servers/database.ts';
import { runCommand, runHere } from '../harness/service/command-line.ts';

const root = join(import.meta.dirname, '../..');
const text = (file: string) => readFileSync(join(root, file), 'utf8');
const listed = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', 'apps', 'packages'],
  {
    cwd: root,
    encoding: 'utf8',
  },
);
/** The sources of the service, without their comments. */
const sources = listed
  .split('\n')
  .filter((file) => /\/src\/.*\.(ts|js|html)$/.test(file) && !file.endsWith('/called-as.ts'))
  .map((file) => ({ file, said: text(file).replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '') }));

const groups = program.commands.map((each) => each.name());

test('advice names commands as they are called here: no text has its own way', () => {
  expect(sources.length).toBeGreaterThan(300);
  const ways = [
    /pnpm(?:@12)? (?:inventory|start)/,
    /`inventory [a-z]/,
    // For example: run `migrate` first.
    new RegExp(`\\b(?:run|by|first:?|then) \\\\?\`(?:${groups.join('|')})\\b`),
  ];
  const wrong = sources.flatMap(({ file, said }) =>
    said
      .split('\n')
      .filter((line) => ways.some((way) => way.test(line)))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(wrong).toEqual([]);
});

test('every advised command exists, with the advised options', () => {
  const advised = sources.flatMap(({ said }) =>
    [...said.matchAll(/inventoryCommand\(\s*'([^']+)'/g)].map(([, command]) => command!),
  );
  expect(advised.length).toBeGreaterThan(15);
  const wrong = advised.filter((command) => {
    let found: Command | undefined = program;
    for (const word of command.split(' ')) {
      if (word.startsWith('--')) {
        if (!found?.options.some(({ long }) => long === word)) return true;
      } else found = found?.commands.find((each) => each.name() === word);
    }
    return found === undefined || found.commands.length > 0;
  });
  expect(wrong).toEqual([]);
});

test('doctor, errors and help name commands as docker compose calls them, also the owner’s', async () => {
  const { 'x-own': own } = parse(text('docker-compose.yml')) as { 'x-own': Record<string, string> };
  const env = {
    INVENTORY_COMMAND: own.INVENTORY_COMMAND!,
    INVENTORY_OWNER_COMMAND: own.INVENTORY_OWNER_COMMAND!,
  };
  const empty = await createDatabase('template0');
  try {
    const there = { ...env, DATABASE_URL: empty.url, REDIS_URL: 'redis://127.0.0.1:1' };
    const { stdout } = await runHere(['doctor', '--json'], there);
    const { remedy } = (JSON.parse(stdout) as { id: string; remedy: string }[]).find(
      ({ id }) => id === 'schema',
    )!;
    expect(remedy).toBe(
      'run `docker compose run --rm migrate apps/admin/src/main.ts migrate` as their owner',
    );
    expect((await runHere(['warehouse', 'list'], there)).stderr).toBe(
      'error: the database has no tables yet: run `docker compose run --rm migrate apps/admin/src/main.ts migrate` first\n',
    );
    expect((await runHere(['status'], there)).stdout).toContain('`docker compose run --rm admin doctor`');
  } finally {
    await empty.drop();
  }
  const { stdout } = await runCommand(['warehouse', 'list', '--help'], env);
  expect(stdout).toContain('\n  docker compose run --rm admin warehouse list\n');
});
