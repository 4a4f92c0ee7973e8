import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inventory as program } from '@inventory/admin/program';
import type { Command } from 'commander';
import { beforeAll, expect, test } from 'vitest';
import { addressFor } from '../harness/as-part.ts';
import { fileIn, useFolder } from '../harness/folders.ts';
import { runHere } from '../harness/service/command-line.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

// The author of a text, sent over HTTP or in a file, must not control the terminal of the operator who views
// it.
const service = useService();
const folder = useFolder();

// Each changes the colour, the title, the lines or the text direction of a terminal.
const escapes = '\u001b[31m\u009b31m\u001b]0;title\u0007\u0090q\u009c\r\u202e\u2028\u007f';
const moves = (text: string) =>
  [...text].filter((each) => each !== '\n' && escapes.includes(each) && !/[\w\][;]/.test(each));

let shortID: string;
let recNo: number;
let transactionNo: number;
let webhookId: number;

beforeAll(async () => {
  const client = await service.client();
  shortID = `${uniqueName('odd')}${escapes}`;
  await client.post('/Item', { shortID, description: escapes, putUp: escapes });
  const { body } = await client.post('/Inventory/Receive', {
    ...{ itemID: shortID, units: 1, wid: 1, reasonCode: 1 },
    ...{ spot: escapes, serial: escapes, reference: escapes, remark: escapes },
  });
  ({ recNo, transactionNo } = body);
  const held = await run('lot', 'hold', '--rec-no', `${recNo}`, '--reason', escapes);
  expect(held.code).toBe(0);
  const low = await run('level', 'set', '--item', shortID, '--warehouse', '1', '--minimum', '5');
  expect(low.code).toBe(0);
  const { clientId } = await service.client();
  const added = await run(
    'webhook',
    'add',
    '--client',
    clientId,
    '--url',
    'https://127.0.0.1/',
    '--allow-private',
    '--json',
  );
  ({ webhookId } = JSON.parse(added.stdout));
  // The answer of a receiver.
  await service.sql`
    insert into webhook_delivery (webhook_id, message_id, attempt, change_count, at, took_ms, outcome, answer)
    values (${webhookId}, 'msg_1', 1, 1, clock_timestamp(), 1, '500', ${escapes})`;
});

const run = (...args: string[]) =>
  runHere(args, { DATABASE_URL: addressFor('operator', service.databaseUrl) });

const fileOf = (text: string) => fileIn(folder, [text]);

/** The commands that show stored data, with the names of the odd things. */
const shows = (): string[][] => [
  ['item', 'list', '--limit', '10000'],
  ['lot', 'list', '--item', shortID],
  ['lot', 'show', '--rec-no', `${recNo}`],
  ['level', 'list', '--item', shortID],
  ['level', 'list', '--low'],
  ['transaction', 'list'],
  ['transaction', 'show', `${transactionNo}`],
  ['alias', 'list', '--item', shortID],
  ['client', 'list'],
  ['warehouse', 'list'],
  ['webhook', 'list'],
  ['webhook', 'show', '--id', `${webhookId}`],
];

test('list and show print no character that controls a terminal, and --json gives it back', async () => {
  for (const args of shows()) {
    const shown = await run(...args);
    expect({ args, code: shown.code, moves: moves(shown.stdout + shown.stderr) }).toEqual({
      args,
      code: 0,
      moves: [],
    });
    const json = await run(...args, '--json');
    expect({ args, moves: moves(json.stdout + json.stderr) }).toEqual({ args, moves: [] });
    if (args.includes(shortID)) continue;
    const value = JSON.stringify(JSON.parse(json.stdout));
    if (/item|lot|show|low/.test(args.join(' ')))
      expect(value).toContain(JSON.stringify(escapes).slice(1, -1));
  }
});

test('errors print none either: about names, options, values, files and their rows', async () => {
  const wrong: string[][] = [
    [escapes],
    ['item', escapes],
    ['item', 'list', `--${escapes}`],
    ['item', 'list', '--limit', escapes],
    ['client', 'show', '--id', escapes],
    ['client', 'add', '--id', escapes, '--permissions', '11', '--warehouses', '1'],
    ['alias', 'add', '--alias', 'plain', '--item', escapes],
    ['alias', 'remove', '--alias', escapes],
    ['level', 'set', '--item', escapes, '--warehouse', '1', '--on-order', '1'],
    ['transaction', 'list', '--kind', escapes],
    ['transaction', 'show', escapes],
    ['item', 'import', '--from', join(folder, escapes)],
    ['item', 'import', '--from', fileOf(`shortID,${escapes}\nA,B\n`)],
    ['item', 'import', '--from', fileOf(`shortID,units\n${escapes},${escapes}\n`)],
    ['item', 'import', '--from', fileOf(`shortID\n"${escapes}`)],
    ['item', 'export', '--to', join(folder, escapes, 'none')],
    ['alias', 'import', '--from', fileOf(`alias,item\nplain-2,${escapes}\n${escapes},none\n`)],
    ['client', 'add', '--from', fileOf(`id,permissions,warehouses\n${escapes},${escapes},${escapes}\n`)],
    ['reason', 'add', '--code', escapes, '--name', 'plain'],
    ['reason', 'add', '--code', '1', '--name', escapes],
    ['reason', 'import', '--from', fileOf(`reasonCode,name\n${escapes},plain\n1,${escapes}\n`)],
    ['restore', '--check', fileOf(escapes)],
    ['restore', '--check', join(folder, escapes)],
  ];
  for (const args of wrong) {
    const { code, stdout, stderr } = await run(...args);
    expect({ args, code, moves: moves(stdout + stderr) }).toEqual({
      args,
      code: expect.toBeOneOf([1, 2]),
      moves: [],
    });
    expect(stderr).not.toBe('');
  }
});

test('every command that shows stored data is tested here', () => {
  const leaves = (command: Command, above: string[] = []): string[] =>
    command.commands.length === 0
      ? [above.join(' ')]
      : command.commands.flatMap((each) => leaves(each, [...above, each.name()]));
  const looked = new Set(shows().map(([group, name]) => `${group} ${name}`));
  const unseen = leaves(program).filter((name) => / (list|show)$/.test(name) && !looked.has(name));
  // Two show only names that were checked when given, the other only what the service makes.
  expect(unseen).toEqual(['client show', 'reason list', 'key list']);
});

test('one file writes what people read, and one the progress', async () => {
  const root = join(import.meta.dirname, '../../apps/admin/src');
  const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const writing = files.filter((name) =>
    /\bstd(?:out|err)\.write\(|\bconsole\./.test(readFileSync(join(root, name), 'utf8')),
  );
  expect(writing.sort()).toEqual(['cli/print.ts', 'cli/progress.ts']);
});
