import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inventory as program } from '@inventory/admin/program';
import { createSigningKey } from '@inventory/auth/token';
import { addFirstSigningKey, withdrawSigningKey } from '@inventory/db/signing-keys';
import type { Command } from 'commander';
import { afterAll, expect, test } from 'vitest';
import { addressFor } from '../harness/as-part.ts';
import { runCommand, runHere } from '../harness/command-line.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const folder = mkdtempSync(join(tmpdir(), 'help-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Help = { command: string; description: string; text: string; examples: string[] };

/** What each command says of itself. */
function helps(command: Command, above: readonly string[] = []): Help[] {
  const names = above.concat(command === program ? [] : command.name());
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  const after = text.split(/\nExamples?:\n/)[1] ?? '';
  const examples = [...after.matchAll(/^ {2}pnpm inventory (.*)$/gm)].map(([, line]) => line!);
  const own = { command: names.join(' '), description: command.description(), text, examples };
  return [own, ...command.commands.flatMap((each) => helps(each, names))];
}

const all = helps(program);
const leaves = all.filter(
  ({ command }) => !all.some((other) => other.command.startsWith(`${command} `) || command === ''),
);

test('every command has an example of its own, and its help says what it does as an order', () => {
  expect(leaves.length).toBeGreaterThan(30);
  expect(all.filter(({ examples }) => examples.length === 0).map(({ command }) => command)).toEqual([]);
  const foreign = leaves.filter(
    ({ command, examples }) => !examples.every((each) => each.startsWith(command)),
  );
  expect(foreign.map(({ command }) => command)).toEqual([]);
  const verbs =
    /^(Add|Change|Check|Draw|End|Fill|Find|Bring|Give|Let|Make|Put|Remove|Restore|Run|Set|Show|Shut|Take|Write)\b/;
  expect(
    leaves.filter(({ description }) => !verbs.test(description)).map(({ description }) => description),
  ).toEqual([]);
});

// These run the service, write secrets, or are there for trials of another size; they have tests of their
// own.
const elsewhere = [
  'start',
  'status',
  'doctor',
  'migrate',
  'secrets',
  'seed',
  'backup',
  'restore',
  'restored',
];

/** What an example adds is there for the others, and what it removes goes last. */
function rankOf(example: string): number {
  if (/ (add|import)\b/.test(example)) return 0;
  return / (remove|withdraw|release)\b/.test(example) ? 2 : 1;
}

test('every example works', { timeout: 240_000 }, async () => {
  await service.sql`delete from warehouse where wid = 3`;
  const client = await service.client();
  for (const shortID of ['WIDGET-100', 'WIDGET-200']) await client.post('/Item', { shortID });
  for (let turn = 0; turn < 17; turn++) {
    await client.post('/Inventory/Receive', { itemID: 'WIDGET-100', units: 5, wid: 1, reasonCode: 1 });
  }
  const withdrawn = /key withdraw (\S+)/.exec(all.map(({ examples }) => examples.join('\n')).join('\n'))![1]!;
  const spare = await createSigningKey();
  const [signing] = await service.sql<{ kid: string }[]>`select kid from verifying_key`;
  await withdrawSigningKey(service.sql, signing!.kid, { ...spare, kid: withdrawn });
  await addFirstSigningKey(service.sql, await createSigningKey());
  const files: Record<string, string> = {
    'items.csv': 'shortID,description\nFROM-FILE,it came\n',
    'aliases.csv': 'alias,item\n4006381333948,WIDGET-100\n',
    'fleet.csv': 'id,permissions,warehouses\nfleet-1,11 95,1\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const examples = leaves
    .filter(({ command }) => !elsewhere.includes(command))
    .flatMap(({ examples }) => examples)
    .sort((one, other) => rankOf(one) - rankOf(other));
  const env = { DATABASE_URL: addressFor('operator', service.databaseUrl) };
  for (const example of examples) {
    const args = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);
    const placed = args.map((arg) => (arg in files || arg.endsWith('.csv') ? join(folder, arg) : arg));
    const { code, stderr } = await runHere(placed, env);
    expect({ example, code, stderr }).toEqual({ example, code: 0, stderr: '' });
  }
});

test('what is nearly right is told', { timeout: 120_000 }, async () => {
  const said = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere(args, { DATABASE_URL: '' });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    return stderr;
  };
  expect(await said('clinet', 'list')).toMatch(
    /^error: there is no command clinet; did you mean client\?; inventory has: start, .*\n$/,
  );
  expect(await said('client', 'lst')).toMatch(
    /^error: there is no command lst; did you mean list\?; client has: .*\n$/,
  );
  expect(await said('client', 'list', '--jsn')).toBe("error: unknown option '--jsn'; did you mean --json?\n");
  // The whole way, once.
  expect(await runCommand(['--version'], {})).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: '',
  });
  expect((await runCommand(['clinet'], {})).code).toBe(2);
});

const root = join(import.meta.dirname, '../..');
const scripts = Object.entries(
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts as Record<string, string>,
).flatMap(([name, line]) => {
  const file = /--import tsx (test\/\S+\.ts)$/.exec(line)?.[1];
  return file === undefined ? [] : [{ name, file }];
});

test('every script of package.json that tests or measures says what it does, and does nothing, with --help', async () => {
  expect(scripts.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['test:faults', 'test:mutants', 'bench:write', 'bench:read', 'bench:soak']),
  );
  for (const { name, file } of scripts) {
    const run = (...args: string[]) =>
      new Promise<{ code: number; stdout: string }>((resolve) => {
        execFile(
          process.execPath,
          ['--import', 'tsx', join(root, file), ...args],
          { cwd: root },
          (error, stdout) => resolve({ code: error === null ? 0 : Number(error.code), stdout }),
        );
      });
    const { code, stdout } = await run('--help');
    const [usage, , what] = stdout.split('\n');
    expect({ code, usage }).toEqual({ code: 0, usage: `Usage: pnpm ${name} [options]` });
    expect(what).toMatch(/^[A-Z][a-z]+s .*\.$/);
    expect(await run('--nonsense')).toEqual({ code: 2, stdout: '' });
  }
}, 300_000);
