import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSecretOf } from '@inventory/auth/secret';
import { readClients, readSecretDigests } from '@inventory/db/access/clients';
import { describe, expect, test } from 'vitest';
import { addressFor } from '../harness/as-part.ts';
import { fileIn, useFolder } from '../harness/folders.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { expectWaiting } from '../harness/queue/batches.ts';
import { askToken } from '../harness/service/api-client.ts';
import { type Ended, runCommand, runHere } from '../harness/service/command-line.ts';
import { rightsOf } from '../harness/service/rights-of.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';
import { untilRightsHold } from '../harness/watch/rights-hold.ts';

const service = useService();
const folder = useFolder();

const env = () => ({ DATABASE_URL: addressFor('operator', service.databaseUrl) });

/** Runs a command in this process. */
function inventory(args: readonly string[]): Promise<Ended> {
  return runHere(args, env());
}

const json = async (...args: string[]) => JSON.parse((await inventory([...args, '--json'])).stdout);

/** Runs a command in its own process: beside others, or with files as its input and output. */
function apart(args: readonly string[], input = ''): Promise<Ended> {
  return runCommand(args, env(), { input });
}

const fileOf = (...lines: string[]) => fileIn(folder, lines);

const failed = (code: number, stderr: string) => ({ code, stdout: '', stderr });
const done = (stdout: string) => ({ code: 0, stdout, stderr: '' });

describe('client', () => {
  test('client set adds and removes permissions and warehouses, and shows before and after', async () => {
    const { clientId } = await service.client({
      permissions: [11, 95],
      warehouses: [1, 2],
      rateLimit: 100,
    });
    const set = (...more: string[]) => inventory(['client', 'set', '--id', clientId, ...more]);
    expect(
      await set('--add-permissions', 'move,88', '--remove-warehouses', '1', '--add-warehouses', '3'),
    ).toEqual(
      done(
        `changed client ${clientId}\n  permissions: 11 list, 95 receive → 11 list, 15 move, 88 issue, 95 receive\n  warehouses: 1, 2 → 2, 3\n`,
      ),
    );
    const { stdout } = await set('--remove-permissions', 'list', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      clientId,
      before: { permissions: [11, 15, 88, 95], wids: [2, 3] },
      after: { permissions: [15, 88, 95], wids: [2, 3] },
    });
    expect(await rightsOf(service.sql, clientId)).toMatchObject({
      permissions: new Set([15, 88, 95]),
      scope: new Set([2, 3]),
    });
    for (const wrong of ['+15', '1e1', '0x0f', ' ', 'list,', 'constructor', '15.0']) {
      expect((await set('--permissions', wrong)).code).toBe(2);
    }
    expect((await set('--permissions', '11', '--add-permissions', '15')).code).toBe(2);
    expect((await set('--add-warehouses', '77')).stderr).toBe('error: there is no warehouse 77\n');
  });

  test('client set refuses to add and remove the same, and changes nothing', async () => {
    const { clientId } = await service.client({ permissions: [11], warehouses: [1] });
    const set = (...more: string[]) => inventory(['client', 'set', '--id', clientId, ...more]);
    expect(await set('--remove-permissions', 'list,88', '--add-permissions', 'move,11,issue')).toEqual(
      failed(2, 'error: --add-permissions and --remove-permissions both name 11 list, 88 issue\n'),
    );
    expect(await set('--read-only', '--add-warehouses', '2,1', '--remove-warehouses', '1')).toEqual(
      failed(2, 'error: --add-warehouses and --remove-warehouses both name 1\n'),
    );
    expect(await rightsOf(service.sql, clientId)).toMatchObject({
      permissions: new Set([11]),
      scope: new Set([1]),
      readOnly: false,
    });
  });

  test('two simultaneous changes to a client both take effect', async () => {
    const { clientId } = await service.client({ permissions: [11], warehouses: [1] });
    const set = (...more: string[]) => apart(['client', 'set', '--id', clientId, ...more]);
    let both: Promise<Ended[]> | undefined;
    await service.sql.begin(async (tx) => {
      await tx`select from client where client_id = ${clientId} for no key update`;
      both = Promise.all([set('--add-permissions', '15'), set('--add-permissions', '88')]);
      await expectWaiting(service.sql, 2);
    });
    expect((await both)?.map(({ code }) => code)).toEqual([0, 0]);
    expect((await rightsOf(service.sql, clientId))?.permissions).toEqual(new Set([11, 15, 88]));
  });

  test('client list and show give a client’s rights; client remove ends its tokens and its id for good', async () => {
    const { clientId, get, secret } = await service.client({ permissions: [11], warehouses: [2] });
    const listed = (await json('client', 'list')) as { clientId: string }[];
    const found = listed.find((each) => each.clientId === clientId);
    expect(found).toEqual({
      clientId,
      permissions: [11],
      warehouses: [{ wid: 2, name: 'Overflow' }],
      readOnly: false,
      rateLimit: 1_000_000,
      operationsPerMinute: null,
      disabled: false,
      created: expect.any(String),
      secrets: [{ created: expect.any(String), expires: null }],
    });
    expect(await json('client', 'show', '--id', clientId)).toEqual(found);
    expect((await inventory(['client', 'show', '--id', clientId])).stdout).toMatch(
      /\npermissions +11 list\n/,
    );
    expect((await inventory(['client', 'list'])).stdout).toContain(`\n${clientId}`);
    expect(await inventory(['client', 'remove', '--id', clientId])).toEqual(
      done(`removed client ${clientId}\n`),
    );
    await untilRightsHold();
    expect((await get('/Item')).status).toBe(401);
    expect((await askToken(service.baseUrl, { clientId, secret })).status).toBe(401);
    expect(await inventory(['client', 'remove', '--id', clientId])).toEqual(
      failed(1, `error: there is no client ${clientId}\n`),
    );
    const again = ['client', 'add', '--id', clientId, '--permissions', '11', '--warehouses', '1'];
    expect(await inventory(again)).toEqual(
      failed(
        1,
        `error: client ${clientId} was removed; its id cannot be used again, because the ledger names it\n`,
      ),
    );
  });

  test('client add waits for a removal of the same id under way, and is then refused', async () => {
    const { clientId } = await service.client();
    const removal = await service.sql.reserve();
    await removal`begin`;
    await removal`delete from client where client_id = ${clientId}`;
    await removal`insert into former_client (client_id) values (${clientId})`;
    const added = meanwhile(
      apart(['client', 'add', '--id', clientId, '--permissions', '11', '--warehouses', '1']),
    );
    await expectWaiting(service.sql, 1);
    await removal`commit`;
    removal.release();
    expect(await added).toMatchObject({ code: 1, stderr: expect.stringContaining('was removed') });
    expect(await service.sql`select from client where client_id = ${clientId}`).toHaveLength(0);
  });

  test('client add refuses an id, and warehouse add a name, with characters that have a meaning elsewhere', async () => {
    for (const id of ['a b', 'a:b', '-a', 'a\u202eb', '', 'ä', "a'b", 'admin', 'x'.repeat(101)]) {
      const rights = ['--permissions', '11', '--warehouses', '1'];
      const added = await inventory(['client', 'add', `--id=${id}`, ...rights]);
      expect({ id, code: added.code }).toEqual({ id, code: 2 });
    }
    for (const name of [' North', 'No\trth', 'No\u200brth', 'No  rth', '\u202eNorth']) {
      const added = await inventory(['warehouse', 'add', '--id', '60', '--name', name]);
      expect({ name, code: added.code }).toEqual({ name, code: 2 });
    }
    expect((await inventory(['warehouse', 'add', '--id', '60', '--name', 'Größe 3, Halle (Süd)'])).code).toBe(
      0,
    );
  });

  test('client add --from adds all clients of a file or none', async () => {
    const [one, two] = [uniqueName('fleet'), uniqueName('fleet')];
    const head = 'id;permissions;warehouses;readOnly;rateLimit;operationLimit';
    const bad = fileOf(head, `${one};11,95;1 2;;;`, `${two};nonsense;77;maybe;0;`, 'demo two;11;1;;;');
    expect(await inventory(['client', 'add', '--from', bad])).toEqual(
      failed(
        1,
        [
          'line 3, permissions: A permission is one of 11 list, 15 move, 88 issue, 95 receive, 116 items.',
          'line 3, readOnly: It must be true or false.',
          'line 3, rateLimit: It must be a whole number from 1 to 2147483647.',
          'line 4, id: It must be 1 to 100 characters of A-Z, a-z, 0-9, ".", "_", "-" and "@", and begin with a letter or a digit.',
          'error: 2 of 3 rows are bad: nothing was imported; --skip-bad imports the others',
          '',
        ].join('\n'),
      ),
    );
    expect((await readClients(service.sql, [one])).size).toBe(0);
    const good = fileOf(head, `${one};11,95;1 2;;;`, `${two};list receive;2;true;50;900`);
    const { code, stdout } = await inventory(['client', 'add', '--from', good, '--json']);
    const added = JSON.parse(stdout) as { clientId: string; clientSecret: string }[];
    expect({ code, ids: added.map(({ clientId }) => clientId) }).toEqual({ code: 0, ids: [one, two] });
    for (const { clientId, clientSecret } of added) {
      expect(isSecretOf(clientSecret, await readSecretDigests(service.sql, clientId))).toBe(true);
    }
    expect(await rightsOf(service.sql, two)).toEqual({
      tokensFrom: 0,
      clientId: two,
      readOnly: true,
      rateLimit: 50,
      operationsPerMinute: 900,
      permissions: new Set([11, 95]),
      scope: new Set([2]),
    });
    expect((await inventory(['client', 'add', '--from', good])).stderr).toMatch(
      /^line 2, id: a client with this id already exists\.\nline 3, .*\nerror: 2 of 2 rows are bad/,
    );
  });

  test.each([
    ['CSV', []],
    ['JSON', ['--json']],
  ])('client add --from --skip-bad prints the secrets as %s and nothing else', async (_what, more) => {
    const id = uniqueName('fleet');
    const file = fileOf('id,permissions,warehouses', `${id},11,1`, 'demo two,11,1');
    const ended = await inventory(['client', 'add', '--from', file, '--skip-bad', ...more]);
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\nerror: 1 of 2 rows were skipped\n$/),
    });
    const list = new RegExp(
      more.length > 0
        ? `^\\[{"clientId":"${id}","clientSecret":"(\\S+)"}]\\n$`
        : `^clientId,clientSecret\\n${id},(\\S+)\\n$`,
    );
    const secret = list.exec(ended.stdout)?.[1] ?? ended.stdout;
    expect(isSecretOf(secret, await readSecretDigests(service.sql, id))).toBe(true);
  });

  test('client add --from takes readOnly as a spreadsheet saves it, and as a file of items has it', async () => {
    const taken = ['TRUE', 'True', 'yes', '1'];
    const flags = [...taken, 'FALSE', 'no', '0', ''];
    const name = uniqueName('flag');
    const rows = flags.map((flag, at) => `${name}-${at},11,1,${flag}`);
    const file = fileOf('id,permissions,warehouses,readOnly', ...rows);
    expect(await inventory(['client', 'add', '--from', file])).toMatchObject({ code: 0, stderr: '' });
    const stored = await service.sql<{ flag: boolean }[]>`
      select read_only as flag from client where client_id like ${`${name}-%`} order by client_id`;
    expect(stored.map(({ flag }) => flag)).toEqual(flags.map((flag) => taken.includes(flag)));
  });
});

describe('warehouse', () => {
  test('warehouse rename marks exactly the lots there as modified', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const [there, elsewhere] = [
      await receiveLot(client, itemID, 1, { wid: 2 }),
      await receiveLot(client, itemID, 1),
    ];
    const [now] = await service.sql<{ now: Date }[]>`select clock_timestamp() as now`;
    const since = new Date(now!.now.getTime() + 1).toISOString();
    expect(await inventory(['warehouse', 'rename', '--id', '2', '--name', 'Overflow hall'])).toEqual(
      done('renamed warehouse 2: Overflow → Overflow hall\n'),
    );
    const { body } = await client.get(`/Inventory?modifiedSince=${since}&pageSize=250`);
    const lots = body.value as { recNo: number; warehouse: string }[];
    expect(lots.find(({ recNo }) => recNo === there)).toMatchObject({ warehouse: 'Overflow hall' });
    expect(lots.map(({ recNo }) => recNo)).not.toContain(elsewhere);
    expect((await inventory(['warehouse', 'list'])).stdout).toMatch(/\n *2 +Overflow hall /);
    expect((await inventory(['warehouse', 'rename', '--id', '99', '--name', 'x'])).code).toBe(1);
    await inventory(['warehouse', 'rename', '--id', '2', '--name', 'Overflow']);
  });
});

describe('item', () => {
  test('item export writes a file for its owner alone, over any older file, and follows no link', async () => {
    const there = join(folder, uniqueName('there'));
    const victim = fileOf('untouched');
    const file = join(there, 'items.csv');
    execFileSync('mkdir', [there]);
    writeFileSync(file, 'older', { mode: 0o644 });
    // In a folder where others may write as well, such as /tmp.
    for (const part of ['part', `part-${process.pid}`]) symlinkSync(victim, `${file}.${part}`);
    expect((await inventory(['item', 'export', '--to', file])).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(victim, 'utf8')).toBe('untouched');
    expect(readdirSync(there).sort()).toEqual(['items.csv', 'items.csv.part']);
    execFileSync('mkfifo', [join(there, 'device')]);
    // Like /dev/stdout, when that is a file.
    symlinkSync(victim, join(there, 'link'));
    for (const name of ['device', 'link'])
      expect(await inventory(['item', 'export', '--to', join(there, name)])).toEqual(
        failed(2, `error: ${join(there, name)} is not a file\n`),
      );
    expect(lstatSync(join(there, 'device')).isFIFO()).toBe(true);
    expect(lstatSync(join(there, 'link')).isSymbolicLink()).toBe(true);
    const piped = await apart(['item', 'export', '--to', '-']);
    expect(piped).toEqual(done(readFileSync(file, 'utf8')));
  });

  test('item export and item import keep every text exactly, and recognise unchanged items', async () => {
    const client = await service.client();
    const odd = [
      '"quoted"',
      'a,b;c',
      'line\nbreak',
      'tab\there',
      ' blanks ',
      ...['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', 'a\rb', "'=1+1", "''-1", "'"],
      'Größe €',
      "it's",
      '\\',
      '',
    ];
    const shortIDs: string[] = [];
    for (const description of odd)
      shortIDs.push(await service.item({ description, units: 0.000001, uOM: 'M' }));
    const file = join(folder, 'all.csv');
    expect((await inventory(['item', 'export', '--to', file])).code).toBe(0);
    const same = await json('item', 'import', '--from', file);
    expect(same).toMatchObject({ added: 0, changed: 0, skipped: [] });
    // Other names, as if into another database.
    const renamed = readFileSync(file, 'utf8').replaceAll(/ITEM-/g, 'COPY-');
    const copied = await apart(['item', 'import', '--from', '-', '--json'], renamed);
    expect(JSON.parse(copied.stdout)).toMatchObject({ changed: 0, unchanged: 0, skipped: [] });
    for (const [index, shortID] of shortIDs.entries()) {
      const key = encodeURIComponent(shortID.replace('ITEM-', 'COPY-'));
      const { body } = await client.get(`/Item?type=id&key=${key}`);
      expect(body).toMatchObject({
        description: odd[index],
        units: 0.000001,
        uOM: 'M',
        createdBy: 'admin',
      });
    }
  });

  test('item import takes all rows or none, and names each bad one by line and field', async () => {
    const alias = uniqueName('alias');
    const shortID = await service.item({ description: 'before' });
    await inventory(['alias', 'add', '--alias', alias, '--item', shortID]);
    const fresh = uniqueName('NEW');
    const lines = [
      'shortID,description,units,discontinued',
      `${fresh},"two`,
      `lines",1.5,yes`,
      `${shortID},after,2,`,
      `${fresh},again,1,no`,
      ',no name,1,no',
      'X-1,too fine,1.1234567,no',
      'X-2,no number,1e3,perhaps',
      'X-3,too short',
      `${alias},an alias,1,no`,
    ];
    const file = fileOf(...lines);
    const bad = [
      { line: 5, field: 'shortID', message: 'is already in line 2.' },
      { line: 6, field: 'shortID', message: 'must not be empty.' },
      { line: 7, field: 'units', message: expect.stringMatching(/6 digits/) },
      { line: 8, field: 'units', message: expect.stringMatching(/6 digits/) },
      { line: 8, field: 'discontinued', message: 'must be true or false.' },
      { line: 9, field: null, message: 'has 2 values, and the header has 4.' },
      { line: 10, field: 'shortID', message: 'an alias has this name.' },
    ];
    const refused = await inventory(['item', 'import', '--from', file, '--json']);
    expect(JSON.parse(refused.stdout)).toEqual({ added: 0, changed: 0, unchanged: 0, skipped: bad });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /^line 5, shortID: is already in line 2\.\n(line .*\n)+error: 6 of 8 rows are bad: nothing/,
    );
    const descriptions = async () =>
      (
        await service.sql<{ description: string }[]>`
          select description from item where short_id in (${fresh}, ${shortID}) order by description`
      ).map(({ description }) => description);
    expect(await descriptions()).toEqual(['before']);
    const clash = fileOf('shortID', fresh, alias);
    expect((await inventory(['item', 'import', '--from', clash])).stderr).toMatch(
      /^line 3, shortID: an alias has this name\.\nerror: 1 of 2 rows are bad: nothing/,
    );
    expect(await descriptions()).toEqual(['before']);
    const skipped = await inventory(['item', 'import', '--from', file, '--skip-bad', '--json']);
    expect({ code: skipped.code, ...JSON.parse(skipped.stdout) }).toEqual({
      code: 1,
      added: 1,
      changed: 1,
      unchanged: 0,
      skipped: bad,
    });
    expect(await descriptions()).toEqual(['after', 'two\nlines']);
  });

  test('a file that cannot be read as a whole is refused with 2 and the reason', async () => {
    const wrong: [string | Buffer, RegExp][] = [
      ['', /has no header/],
      ['shortID,descripton\nA,b', /a column "descripton"; did you mean description\?/],
      ['description\nb', /has no column shortID/],
      ['shortID,shortID\nA,b', /the column shortID twice/],
      ['shortID,description\nA,"b', /line 2: a quote is not closed/],
      ['shortID,description\nA,b 3" c', /line 2: a quote inside a value/],
      [Buffer.from('shortID,description\nA,Gr\xf6\xdfe', 'latin1'), /is not in UTF-8/],
    ];
    for (const [content, reason] of wrong) {
      const path = fileOf();
      writeFileSync(path, content);
      expect(await inventory(['item', 'import', '--from', path])).toEqual(
        failed(2, expect.stringMatching(reason)),
      );
    }
    expect((await inventory(['item', 'import', '--from', join(folder, 'none.csv')])).stderr).toMatch(
      /cannot be read \(ENOENT\)/,
    );
  });

  test('10,000 items are imported in the time of a thousand receipts', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const times: number[] = [];
    for (let turn = 0; turn < 40; turn++) {
      const startedAt = performance.now();
      await receiveLot(client, itemID, 1);
      times.push(performance.now() - startedAt);
    }
    const receiptMs = times.sort((a, b) => a - b)[20]!;
    const rows = Array.from(
      { length: 10_000 },
      (_, index) => `BULK-${index},"Bolt, ""long"", ${index}",${index % 50}`,
    );
    const file = fileOf('shortID,description,category', ...rows);
    const startedAt = performance.now();
    expect(await inventory(['item', 'import', '--from', file])).toEqual(
      done('added 10000, changed 0, unchanged 0\n'),
    );
    // 3 s when a receipt takes 3 ms, and no less, because other work on the machine does not slow both
    // evenly.
    expect(performance.now() - startedAt).toBeLessThan(Math.max(receiptMs, 3) * 1000);
    const [last] = await service.sql`select description from item where short_id = 'BULK-9999'`;
    expect(last).toEqual({ description: 'Bolt, "long", 9999' });
  });

  test('item list and alias list show a part, and where to continue', async () => {
    const items = ['item', 'list', '--limit', '2'];
    const [first, second] = (await json(...items)) as { shortID: string }[];
    const [next] = await json(...items, '--after', first!.shortID);
    expect(next).toEqual(second);
    expect((await inventory(['item', 'list', '--limit', '1'])).stdout).toMatch(
      /\nthere may be more: --after /,
    );
  });
});

describe('alias', () => {
  test('alias import takes all rows or none; alias list and alias remove work on them', async () => {
    const [shortID, other] = [await service.item(), await service.item()];
    const [one, two] = [uniqueName('40'), uniqueName('40')];
    const bad = fileOf(
      'alias,item',
      `${one},${shortID}`,
      `${two},nobody`,
      `${other},${shortID}`,
      `${one},${other}`,
      `a\u0007b,${shortID}`,
    );
    const run = (...more: string[]) => json('alias', 'import', '--from', bad, ...more);
    const skipped = [
      { line: 3, field: 'item', message: 'there is no item of this shortID.' },
      { line: 4, field: 'alias', message: 'it is the shortID of an item.' },
      { line: 5, field: 'alias', message: 'is already in line 2.' },
      { line: 6, field: 'alias', message: expect.stringMatching(/visible characters/) },
    ];
    expect(await run()).toEqual({ added: 0, changed: 0, unchanged: 0, skipped });
    expect((await service.sql`select from item_alias where alias = ${one}`).length).toBe(0);
    expect(await run('--skip-bad')).toEqual({ added: 1, changed: 0, unchanged: 0, skipped });
    expect(await run('--skip-bad')).toEqual({ added: 0, changed: 0, unchanged: 1, skipped });
    // Bad only by the content of the database: the good row beside it is not taken either.
    const three = uniqueName('40');
    const clash = fileOf('alias,item', `${three},${other}`, `${one},${other}`);
    expect((await inventory(['alias', 'import', '--from', clash])).stderr).toMatch(
      /^line 3, alias: it names another item already\.\nerror: 1 of 2 rows are bad: nothing/,
    );
    expect((await service.sql`select from item_alias where alias = ${three}`).length).toBe(0);
    expect(await json('alias', 'list', '--item', shortID)).toEqual([{ alias: one, shortID, units: '1' }]);
    expect((await inventory(['alias', 'remove', '--alias', one])).stdout).toBe(
      `removed alias ${one} of item ${shortID}\n`,
    );
    expect((await inventory(['alias', 'remove', '--alias', one])).code).toBe(1);
  });

  test('a GTIN is one alias in all its spellings, for alias add, import and remove and for item import', async () => {
    const [shortID, other] = [await service.item(), await service.item()];
    const [one, two] = ['614141000036', '036000291452'];
    expect(await inventory(['alias', 'add', '--alias', one, '--item', shortID])).toEqual(
      done(`added alias ${one} of item ${shortID}\n`),
    );
    for (const item of [shortID, other])
      expect((await inventory(['alias', 'add', '--alias', `0${one}`, '--item', item])).stderr).toBe(
        `error: alias 0${one} already exists\n`,
      );
    const rows = [`0${one},${shortID}`, `00${one},${other}`, `${two},${other}`, `00${two},${shortID}`];
    const file = fileOf('alias,item', ...rows);
    expect(await json('alias', 'import', '--from', file, '--skip-bad')).toEqual({
      added: 1,
      changed: 0,
      unchanged: 1,
      skipped: [
        { line: 3, field: 'alias', message: 'is already in line 2.' },
        { line: 5, field: 'alias', message: 'is already in line 4.' },
      ],
    });
    const again = fileOf('alias,item', `00${one},${shortID}`, `0${two},${shortID}`);
    expect(await json('alias', 'import', '--from', again, '--skip-bad')).toEqual({
      added: 0,
      changed: 0,
      unchanged: 1,
      skipped: [{ line: 3, field: 'alias', message: 'it names another item already.' }],
    });
    const asItems = fileOf('shortID', `00${one}`, `0${two}`, uniqueName('GOOD'));
    expect(await json('item', 'import', '--from', asItems, '--skip-bad')).toMatchObject({
      added: 1,
      skipped: [2, 3].map((line) => ({ line, field: 'shortID', message: 'an alias has this name.' })),
    });
    expect((await inventory(['alias', 'remove', '--alias', `00${one}`])).stdout).toBe(
      `removed alias 00${one} of item ${shortID}\n`,
    );
    expect(await json('alias', 'list', '--item', shortID)).toEqual([]);
  });

  test('units of one scan are added, set and imported, exactly, and stay where a file says nothing', async () => {
    const shortID = await service.item();
    const [case12, pallet, ean] = [uniqueName('C'), uniqueName('P'), '123456789012'];
    const add = ['alias', 'add', '--alias', case12, '--item', shortID];
    expect((await inventory([...add, '--units', '12'])).code).toBe(0);
    // What is there is not changed by adding it again.
    expect((await inventory([...add, '--units', '6'])).stderr).toBe(
      `error: alias ${case12} already exists\n`,
    );
    for (const units of ['0', '-1', '1e3', '1000000000000', '0.0000001'])
      expect((await inventory([...add, '--units', units])).code, units).toBe(2);
    const listed = async () =>
      (await json('alias', 'list', '--item', shortID)).map(
        ({ alias, units }: { alias: string; units: string }) => [alias, units],
      );
    const file = fileOf(
      'alias;item;units',
      `${case12};${shortID};24`,
      `${pallet};${shortID};999999999999.5`,
      `${ean};${shortID};`,
    );
    expect(await json('alias', 'import', '--from', file)).toEqual({
      ...{ added: 2, changed: 1, unchanged: 0, skipped: [] },
    });
    expect(await json('alias', 'import', '--from', file)).toMatchObject({ changed: 0, unchanged: 3 });
    const by = (one: string[], other: string[]) => (one[0]! < other[0]! ? -1 : 1);
    expect(await listed()).toEqual(
      [
        [case12, '24'],
        [pallet, '999999999999.5'],
        [ean, '1'],
      ].sort(by),
    );
    // In another spelling of the GTIN, and without a column of units.
    const other = fileOf('alias,item,units', `0${ean},${shortID},6`);
    expect(await json('alias', 'import', '--from', other)).toMatchObject({ added: 0, changed: 1 });
    const plain = fileOf('alias,item', `${ean},${shortID}`);
    expect(await json('alias', 'import', '--from', plain)).toMatchObject({ changed: 0, unchanged: 1 });
    expect((await inventory(['alias', 'set', '--alias', `00${ean}`, '--units', '0.25'])).stdout).toBe(
      `alias 00${ean} stands for 0.25 of item ${shortID}\n`,
    );
    expect(await listed()).toContainEqual([ean, '0.25']);
    expect((await inventory(['alias', 'set', '--alias', 'nothing-at-all', '--units', '2'])).code).toBe(1);
    const bad = fileOf('alias,item,units', `${uniqueName('B')},${shortID},many`, `a\u0007b,${shortID},0`);
    expect(await json('alias', 'import', '--from', bad, '--skip-bad')).toMatchObject({
      added: 0,
      skipped: [
        { line: 2, field: 'units' },
        { line: 3, field: 'alias' },
        { line: 3, field: 'units' },
      ],
    });
  });

  test('level import sets and removes minimums: all rows or none, or the good ones', async () => {
    const [one, two] = [await service.item(), await service.item()];
    const minimums = async (shortID: string) =>
      (await json('level', 'list', '--item', shortID)).map(
        ({ wid, minimum }: { wid: number; minimum: string | null }) => [wid, minimum],
      );
    const file = fileOf(
      'item;warehouse;minimum',
      `${one};1;60`,
      `${one};2;0.000001`,
      `${two};1;999999999.999999`,
    );
    expect(await json('level', 'import', '--from', file)).toEqual({ changed: 3, unchanged: 0, skipped: [] });
    expect(await json('level', 'import', '--from', file)).toMatchObject({ changed: 0, unchanged: 3 });
    expect(await minimums(one)).toEqual([
      [1, '60'],
      [2, '0.000001'],
    ]);
    const bad = fileOf(
      'item;warehouse;minimum',
      `${one};1;none`,
      `${one};2;`,
      `${two};1;1,5`,
      `${two};77;5`,
      `${two};x;1e3`,
      `nobody;1;5`,
      `${two}\u0000;2;5`,
      `${one};1;7`,
    );
    const skipped = [
      { line: 4, field: 'minimum', message: 'It must have a decimal point, and nothing between thousands.' },
      { line: 5, field: 'warehouse', message: 'there is no warehouse of this id.' },
      { line: 6, field: 'warehouse', message: expect.stringMatching(/whole number/) },
      { line: 6, field: 'minimum', message: expect.stringMatching(/^It must be 0 or more/) },
      { line: 7, field: 'item', message: 'there is no item of this shortID.' },
      { line: 8, field: 'item', message: 'must not contain U+0000.' },
      { line: 9, field: 'item', message: 'is already in line 2.' },
    ];
    const run = (...more: string[]) => json('level', 'import', '--from', bad, ...more);
    expect(await run()).toEqual({ changed: 0, unchanged: 0, skipped });
    expect(await minimums(one)).toContainEqual([1, '60']);
    expect(await run('--skip-bad')).toEqual({ changed: 2, unchanged: 0, skipped });
    expect(await minimums(one)).toEqual([
      [1, null],
      [2, null],
    ]);
    expect(await minimums(two)).toEqual([[1, '999999999.999999']]);
  });

  test('level list --low shows the levels below their minimum, of all warehouses or of one', async () => {
    const client = await service.client();
    const [one, two] = [await service.item({ description: 'runs low' }), await service.item()];
    const set = (item: string, warehouse: string, ...more: string[]) =>
      inventory(['level', 'set', '--item', item, '--warehouse', warehouse, ...more]);
    await receiveLot(client, one, 3);
    await set(one, '1', '--minimum', '3.5', '--on-order', '20');
    await set(one, '2', '--minimum', '0');
    await set(two, '2', '--minimum', '0.000001');
    const low = async (...more: string[]) =>
      (await json('level', 'list', '--low', '--limit', '10000', ...more)).filter(
        ({ shortID }: { shortID: string }) => [one, two].includes(shortID),
      );
    const [first, second] = [
      {
        ...{ wid: 1, warehouse: 'Main', shortID: one, description: 'runs low' },
        ...{ available: '3', minimum: '3.5', onOrder: '20' },
      },
      { wid: 2, shortID: two, available: '0', minimum: '0.000001', onOrder: '0' },
    ];
    expect(await low()).toMatchObject([first, second]);
    expect(await low('--warehouse', '2')).toMatchObject([second]);
    const { stdout } = await inventory(['level', 'list', '--low', '--limit', '1']);
    expect(stdout).toMatch(/^id +warehouse +item .*\n.*\nthere may be more: raise --limit\n$/);
    await receiveLot(client, one, 0.5);
    expect(await low('--warehouse', '1')).toEqual([]);
    for (const wrong of [[], ['--item', one, '--low']])
      expect((await inventory(['level', 'list', ...wrong])).code).toBe(2);
  });

  test('a quantity that may be a thousand is refused in a file with semicolons or tabs, and taken in one with commas', async () => {
    const shortID = await service.item();
    const message =
      'may be a thousand, in a file with semicolons or tabs: write it without the point, or with other decimals.';
    const skipped = (field: string, ...lines: number[]) => lines.map((line) => ({ line, field, message }));
    const minimums = ['1.000', '12.345.678', '1.0', '1000', '0.125'];
    const file = (separator: string, wids: readonly number[]) =>
      fileOf(
        ['item', 'warehouse', 'minimum'].join(separator),
        ...wids.map((wid, index) => [shortID, wid, minimums[index]].join(separator)),
      );
    const run = (path: string) => json('level', 'import', '--from', path, '--skip-bad');
    expect(await run(file(';', [1, 2, 3]))).toMatchObject({ changed: 1, skipped: skipped('minimum', 2, 3) });
    expect(await run(file('\t', [1, 2]))).toMatchObject({ changed: 0, skipped: skipped('minimum', 2, 3) });
    expect(await run(file(',', [1]))).toMatchObject({ changed: 1, skipped: [] });
    const alias = uniqueName('CASE');
    const aliases = fileOf('alias;item;units', `${alias};${shortID};1.000`);
    expect(await json('alias', 'import', '--from', aliases)).toMatchObject({ skipped: skipped('units', 2) });
    const items = fileOf('shortID;units', `${shortID};2.500`);
    expect(await json('item', 'import', '--from', items)).toMatchObject({ skipped: skipped('units', 2) });
  });

  test('a number that a spreadsheet has shortened is no name, row by row', async () => {
    const shortID = await service.item();
    const numbers = ['4,00638E+12', '1,5E+10', '4.00638E+12', '1E+13'];
    const message = 'is what a spreadsheet made of a long number: make the column text, and enter it again.';
    const good = uniqueName('GOOD');
    const skipped = (field: string) => numbers.map((_, index) => ({ line: index + 2, field, message }));
    const aliases = fileOf('alias;item', ...[...numbers, good].map((name) => `${name};${shortID}`));
    expect(await json('alias', 'import', '--from', aliases, '--skip-bad')).toEqual({
      ...{ added: 1, changed: 0, unchanged: 0, skipped: skipped('alias') },
    });
    const items = fileOf('shortID;units', ...[...numbers, `${good}-1`].map((name) => `${name};1`));
    expect(await json('item', 'import', '--from', items, '--skip-bad')).toMatchObject({
      ...{ added: 1, skipped: skipped('shortID') },
    });
  });

  test('a number that may be a UPC without its first zeros is taken and warned of, row by row', async () => {
    const shortID = await service.item();
    const warning = (line: number, field: string, [zeros, them] = ['a 0', 'the 0']) =>
      `warning: line ${line}, ${field}: with ${zeros} before it, this is a UPC: a spreadsheet may have removed ${them}.\n`;
    // Another check digit, in ten digits and in eleven, and a whole UPC.
    const others = ['7489000001', '74890000014', '748900000136'];
    const aliases = ['74890000013', ...others, '36000241457', '9800895007'].map(
      (alias) => `${alias},${shortID}`,
    );
    expect(await inventory(['alias', 'import', '--from', fileOf('alias,item', ...aliases)])).toEqual({
      ...done('added 6, changed 0, unchanged 0\n'),
      stderr: `${warning(2, 'alias')}${warning(6, 'alias')}${warning(7, 'alias', ['2 zeros', 'them'])}`,
    });
    const items = fileOf('shortID', uniqueName('GOOD'), '36000291452');
    const imported = await inventory(['item', 'import', '--from', items, '--json']);
    expect(imported).toMatchObject({ code: 0, stderr: warning(3, 'shortID') });
    expect(JSON.parse(imported.stdout)).toEqual({ added: 2, changed: 0, unchanged: 0, skipped: [] });
  });

  test('quantities have the limits that they have over HTTP, digit for digit', async () => {
    const shortID = await service.item();
    const gate = ['--item', shortID, '--warehouse', '1'];
    const most = '999999999999999.999999';
    expect((await inventory(['level', 'set', ...gate, '--minimum', most, '--on-order', most])).code).toBe(0);
    const file = fileOf('item,warehouse,minimum', `${shortID},1,${most}`);
    expect(await json('level', 'import', '--from', file)).toMatchObject({ changed: 0, unchanged: 1 });
    expect(await json('level', 'list', '--item', shortID)).toMatchObject([{ minimum: most, onOrder: most }]);
    const limits = (least: string, limit: string) =>
      `It must be ${least}, below ${limit}, with at most 6 digits after the point.`;
    for (const quantity of ['1000000000000000', '0.0000001', '-1'])
      expect((await inventory(['level', 'set', ...gate, '--minimum', quantity])).stderr).toContain(
        limits('0 or more', '1e15'),
      );
    const alias = ['--alias', uniqueName('C'), '--item', shortID, '--units'];
    expect((await inventory(['alias', 'add', ...alias, '1000000000000'])).stderr).toContain(
      limits('more than 0', '1e12'),
    );
    expect((await inventory(['alias', 'add', ...alias, '999999999999.999999'])).code).toBe(0);
    expect(await json('alias', 'list', '--item', shortID)).toMatchObject([{ units: '999999999999.999999' }]);
    const items = fileOf('shortID,units', `${shortID},123456789012.123456`);
    expect(await json('item', 'import', '--from', items)).toMatchObject({ changed: 1 });
    const exported = (await apart(['item', 'export', '--to', '-'])).stdout;
    const row = exported.split('\n').find((each) => each.includes(`${shortID},`));
    expect(row).toContain(',123456789012.123456,');
    const tooMuch = fileOf('shortID,units', `${shortID},1000000000000`);
    expect((await inventory(['item', 'import', '--from', tooMuch])).code).toBe(1);
  });

  test('an item has at most 100 aliases, also when others add one during an import', async () => {
    const shortID = await service.item();
    const names = (count: number) => Array.from({ length: count }, () => `${uniqueName('A')},${shortID}`);
    const run = (file: string) => json('alias', 'import', '--from', file, '--skip-bad');
    const message = 'it has 100 aliases, the most that an item may have.';
    expect(await run(fileOf('alias,item', ...names(98)))).toMatchObject({ added: 98, skipped: [] });
    let imported: Promise<Ended> | undefined;
    await service.sql.begin(async (tx) => {
      await tx`select teach_alias(${uniqueName('A')}, part_no) from item where short_id = ${shortID}`;
      const path = fileOf('alias,item', ...names(2));
      imported = apart(['alias', 'import', '--from', path, '--skip-bad', '--json']);
      await expectWaiting(service.sql, 1);
    });
    const late = await imported!;
    expect(JSON.parse(late.stdout)).toEqual({
      ...{ added: 1, changed: 0, unchanged: 0, skipped: [{ line: 3, field: 'item', message }] },
    });
    expect((await inventory(['alias', 'add', '--alias', uniqueName('A'), '--item', shortID])).stderr).toBe(
      `error: item ${shortID} has 100 aliases or more, and gets no further ones: remove some first\n`,
    );
    const full = fileOf('alias,item', ...names(2));
    expect((await run(full)).skipped).toEqual([2, 3].map((line) => ({ line, field: 'item', message })));
  });

  test('an item created during an import of aliases never has the name of one', async () => {
    const shortID = await service.item();
    const alias = uniqueName('race');
    const file = fileOf('alias,item', `${alias},${shortID}`);
    let imported: Promise<Ended> | undefined;
    await service.sql.begin(async (tx) => {
      // A create that has checked for an alias of its name, and has not committed.
      await tx`insert into item (short_id, created_by) values (${alias}, 'tests')`;
      imported = apart(['alias', 'import', '--from', file]);
      await expectWaiting(service.sql, 1);
    });
    expect(await imported).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^line 2, alias: it is the shortID of an item\.\n/),
    });
    expect((await service.sql`select from item_alias where alias = ${alias}`).length).toBe(0);
  });
});

describe('lot and transaction', () => {
  test('lot show names each hold and release: by whom, when and why, over HTTP and by the command line', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const recNo = await receiveLot(client, itemID, 5, { spot: 'A-1' });
    const hold = async (body: object) =>
      (await client.post('/Inventory/Hold', { recno: recNo, ...body })).status;
    expect(await hold({ hold: true, reason: 'label is wet' })).toBe(200);
    expect(await hold({ hold: true, reason: 'again' })).toBe(200);
    expect((await inventory(['lot', 'release', '--rec-no', `${recNo}`])).code).toBe(0);
    await client.post('/Inventory/Issue', { itemID, units: 2, wid: 1, reasonCode: 1 });
    expect((await inventory(['lot', 'hold', '--rec-no', `${recNo}`, '--reason', 'broken seal'])).code).toBe(
      0,
    );
    expect(await hold({ hold: false, reason: 'sealed' })).toBe(200);
    const { history } = await json('lot', 'show', '--rec-no', `${recNo}`);
    const by = { clientId: client.clientId, at: expect.any(String), wID: 1, spot: 'A-1', delta: '0' };
    const what = (hold: boolean, reason: string | null, changed = true) => ({
      hold: { recNo, hold, reason, changed },
    });
    expect(history).toMatchObject([
      { ...by, kind: 'release', balance: '3', ...what(false, 'sealed') },
      { ...by, clientId: 'admin', kind: 'hold', balance: '3', ...what(true, 'broken seal') },
      { kind: 'issue', delta: '-2', balance: '3', hold: null },
      { ...by, clientId: 'admin', kind: 'release', balance: '5', ...what(false, null) },
      { ...by, kind: 'hold', balance: '5', ...what(true, 'again', false) },
      { ...by, kind: 'hold', balance: '5', ...what(true, 'label is wet') },
      { kind: 'receive', delta: '5', balance: '5', hold: null },
    ]);
    const { stdout } = await inventory(['lot', 'show', '--rec-no', `${recNo}`, '--limit', '2']);
    expect(stdout).toMatch(
      / release .* 3 +sealed\n.* hold +admin .* 3 +broken seal\nthere may be more: .*\n$/,
    );
    // Other lots have none of these.
    const other = await receiveLot(client, itemID, 1);
    expect((await json('lot', 'show', '--rec-no', `${other}`)).history).toHaveLength(1);
  });

  test('show and list print the stored values, to the last digit', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const received = await client.post('/Inventory/Receive', {
      ...{ itemID, units: 123456789.123456, wid: 1, reasonCode: 7 },
      ...{ spot: 'A-1', serial: 'S\u001b[31m', price: 0.000001 },
    });
    const { recNo, transactionNo } = received.body as { recNo: number; transactionNo: number };
    const refused = await client.post('/Inventory/Issue', { itemID, units: 1, wid: 2, reasonCode: 1 });
    expect(refused.status).toBe(409);
    expect(await json('lot', 'show', '--rec-no', `${recNo}`)).toMatchObject({
      ...{ recNo, shortID: itemID, units: '123456789.123456' },
      ...{ price: '0.000001', reasonCode: 7, spot: 'A-1' },
    });
    // Text from a client is shown and has no effect on the terminal.
    expect((await inventory(['lot', 'show', '--rec-no', `${recNo}`])).stdout).toMatch(/\nserial +S\?\[31m\n/);
    expect(await json('lot', 'list', '--item', itemID)).toMatchObject([{ recNo, units: '123456789.123456' }]);
    expect(await json('lot', 'list', '--item', itemID, '--held')).toEqual([]);
    expect(await json('transaction', 'show', `${transactionNo}`)).toMatchObject({
      transactionNo,
      clientId: client.clientId,
      kind: 'receive',
      status: 'applied',
      asked: { itemID, units: 123456789.123456 },
      answered: { recNo },
      lines: [{ line: 1, recNo, shortID: itemID, wID: 1, spot: 'A-1', delta: '123456789.123456' }],
    });
    expect((await inventory(['transaction', 'show', `${transactionNo}`])).stdout).toMatch(
      /\n +1 .* 123456789\.123456\n$/,
    );
    await client.post('/Inventory/Issue', { itemID, units: 6789.123456, wid: 1, reasonCode: 4 });
    const { history } = await json('lot', 'show', '--rec-no', `${recNo}`);
    const line = { clientId: client.clientId, at: expect.any(String), wID: 1, spot: 'A-1', hold: null };
    expect(history).toEqual([
      {
        ...{ ...line, transactionNo: expect.any(Number), kind: 'issue' },
        ...{ delta: '-6789.123456', balance: '123450000' },
      },
      {
        ...{ ...line, transactionNo, kind: 'receive' },
        ...{ delta: '123456789.123456', balance: '123456789.123456' },
      },
    ]);
    const shown = await inventory(['lot', 'show', '--rec-no', `${recNo}`, '--limit', '1']);
    expect(shown.stdout).toMatch(
      /\ntransaction +at +kind .*\n.* issue .* -6789\.123456 +123450000\nthere may be more: raise --limit\n$/,
    );
    const back = await client.post('/Inventory/Reverse', { transactionNo: history[0].transactionNo });
    expect(back.status).toBe(200);
    const list = (await json('transaction', 'list', '--client', client.clientId)).slice(2);
    expect(list).toMatchObject([
      { kind: 'issue', status: 'refused', itemID },
      { transactionNo, kind: 'receive', status: 'applied', itemID },
    ]);
    expect(await json('transaction', 'list', '--client', client.clientId, '--status', 'refused')).toEqual([
      list[0],
    ]);
    const undone = await client.post('/Inventory/Reverse', { transactionNo });
    expect(await json('transaction', 'list', '--client', client.clientId, '--kind', 'reverse')).toMatchObject(
      [
        { transactionNo: undone.body.transactionNo, kind: 'reverse', status: 'applied', itemID },
        { transactionNo: back.body.transactionNo },
      ],
    );
    for (const command of [
      ['lot', 'show', '--rec-no', '99999999'],
      ['transaction', 'show', '99999999'],
    ]) {
      expect(await inventory(command)).toEqual(
        failed(1, expect.stringMatching(/^error: there is no (lot|transaction) 99999999\n$/)),
      );
    }
  });
});
