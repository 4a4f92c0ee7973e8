import { randomBytes } from 'node:crypto';
import { openSync } from 'node:fs';
import { digestSecret, isSecretOf } from '@inventory/auth/secret';
import { addClient, addSecret, readClients, readSecretDigests } from '@inventory/db/access/clients';
import { describe, expect, test } from 'vitest';
import { useDatabase } from '../../apps/admin/src/cli/database.ts';
import { addressFor } from '../harness/as-part.ts';
import { expectWaiting } from '../harness/queue/batches.ts';
import { askToken, createApiClient } from '../harness/service/api-client.ts';
import { type Ended, runHere, startCommand } from '../harness/service/command-line.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();

const operatorUrl = () => addressFor('operator', service.databaseUrl);

/** Runs the command line in this process, as an operator on the test's database or on the given one. */
function inventory(args: string[], databaseUrl = operatorUrl()): Promise<Ended> {
  return runHere(args, { DATABASE_URL: databaseUrl });
}

/** An item with one lot of 10 units in warehouse 1. */
async function receiveLot() {
  const client = await service.client();
  const shortID = await service.item();
  const { body } = await client.post('/Inventory/Receive', {
    itemID: shortID,
    units: 10,
    wid: 1,
    reasonCode: 1,
  });
  return { client, shortID, recNo: body.recNo as number, partNo: body.lot.partNo as number };
}

const addArguments = (id: string) => [
  'client',
  'add',
  '--id',
  id,
  '--permissions',
  '11,95',
  '--warehouses',
  '1,2',
];

describe('client', () => {
  test('client add --json prints the id and the secret and nothing else', async () => {
    const id = uniqueName('scanner');
    const limits = ['--rate-limit', '1000', '--operation-limit', '5000', '--json'];
    const { code, stdout, stderr } = await inventory([...addArguments(id), ...limits]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\{.*\}\n$/);
    const { clientId, clientSecret, ...rest } = JSON.parse(stdout);
    expect({ clientId, rest }).toEqual({ clientId: id, rest: {} });
    expect(isSecretOf(clientSecret, await readSecretDigests(service.sql, id))).toBe(true);
    expect((await readClients(service.sql, [id])).get(id)).toEqual({
      tokensFrom: 0,
      clientId: id,
      readOnly: false,
      rateLimit: 1000,
      operationsPerMinute: 5000,
      permissions: new Set([11, 95]),
      scope: new Set([1, 2]),
    });
  });

  test('client add ends with 1 when the id is taken, with 2 when a warehouse does not exist', async () => {
    const id = uniqueName('scanner');
    await inventory(addArguments(id));
    expect(await inventory(addArguments(id))).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: client ${id} already exists\n`,
    });
    const other = ['client', 'add', '--id', `${id}-2`, '--permissions', '11', '--warehouses', '1,77'];
    expect(await inventory(other)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: there is no warehouse 77\n',
    });
  });

  test('client set changes the given fields and leaves the rest', async () => {
    const clientId = uniqueName('scanner');
    const secretDigest = digestSecret('secret');
    const limits = { rateLimit: 5, operationsPerMinute: 7 };
    const given = { clientId, permissions: [11], wids: [1], readOnly: true, ...limits, secretDigest };
    await addClient(service.sql, given);
    const { code } = await inventory([
      ...['client', 'set', '--id', clientId, '--permissions', '15,88', '--warehouses', '2,3'],
      ...['--no-read-only', '--rate-limit', 'default', '--operation-limit', 'default'],
    ]);
    expect(code).toBe(0);
    const changed = {
      clientId,
      readOnly: false,
      rateLimit: null,
      operationsPerMinute: null,
      permissions: new Set([15, 88]),
      scope: new Set([2, 3]),
      tokensFrom: 0,
    };
    expect((await readClients(service.sql, [clientId])).get(clientId)).toEqual(changed);
    await inventory(['client', 'set', '--id', clientId, '--read-only']);
    expect((await readClients(service.sql, [clientId])).get(clientId)).toEqual({
      ...changed,
      readOnly: true,
    });
  });

  test('client secret adds a second secret; a third ends the oldest', async () => {
    const clientId = uniqueName('scanner');
    const secretDigest = digestSecret('first');
    await addClient(service.sql, {
      clientId,
      permissions: [11],
      wids: [1],
      readOnly: false,
      rateLimit: null,
      secretDigest,
    });
    const add = async () =>
      JSON.parse((await inventory(['client', 'secret', '--id', clientId, '--json'])).stdout).clientSecret;
    const live = async (secret: string) => isSecretOf(secret, await readSecretDigests(service.sql, clientId));
    const second = await add();
    expect([await live('first'), await live(second)]).toEqual([true, true]);
    const third = await add();
    expect([await live('first'), await live(second), await live(third)]).toEqual([false, true, true]);
  });

  test('client secret --expires makes a secret that ends, and --revoke-others ends all earlier ones', async () => {
    const clientId = uniqueName('scanner');
    const rights = { permissions: [11], wids: [1], readOnly: false, rateLimit: null };
    await addClient(service.sql, { clientId, ...rights, secretDigest: digestSecret('first') });
    const command = ['client', 'secret', '--id', clientId];
    const add = async (...more: string[]) =>
      JSON.parse((await inventory([...command, '--json', ...more])).stdout);
    const live = async (secret: string) => isSecretOf(secret, await readSecretDigests(service.sql, clientId));
    const inMonth = await add('--expires', '30d');
    const inDays = (Date.parse(inMonth.expires) - Date.now()) / 86_400_000;
    expect(inDays).toBeGreaterThan(29.9);
    expect(inDays).toBeLessThan(30.1);
    expect([await live('first'), await live(inMonth.clientSecret)]).toEqual([true, true]);
    const last = await add('--expires', '2100-01-31', '--revoke-others');
    expect(last.expires).toBe('2100-01-31T23:59:59.999Z');
    expect([await live('first'), await live(inMonth.clientSecret), await live(last.clientSecret)]).toEqual([
      false,
      false,
      true,
    ]);
    const shown = await inventory([...command, '--expires', '12h']);
    expect(shown.stdout).toMatch(/\nIt ends at 20\d\d-.*Z\.\n/);
    for (const wrong of ['0d', '30', 'soon', '2020-01-01', '2031-02-30']) {
      expect(await inventory([...command, '--expires', wrong])).toMatchObject({ code: 2, stdout: '' });
    }
  });

  test('client secret --revoke-others ends earlier tokens for good, and new ones are issued at once', async () => {
    const client = await service.client();
    const { clientId } = client;
    const statusOf = async (token: string) =>
      (await createApiClient(service.baseUrl, clientId, token).get('/Item')).status;
    const ask = async (secret: string) =>
      (await askToken(service.baseUrl, { clientId, secret })).body.access_token;
    const before = await ask(client.secret);
    const added = await inventory(['client', 'secret', '--id', clientId, '--json']);
    expect(await statusOf(before)).toBe(200);
    const revoked = await inventory(['client', 'secret', '--id', clientId, '--json', '--revoke-others']);
    const after = await ask(JSON.parse(revoked.stdout).clientSecret);
    expect(after).not.toBe(before);
    await expect.poll(() => statusOf(before)).toBe(401);
    expect(await ask(JSON.parse(added.stdout).clientSecret)).toBeUndefined();
    expect([await statusOf(client.token), await statusOf(after)]).toEqual([401, 200]);
    await inventory(['client', 'disable', '--id', clientId]);
    await expect.poll(() => statusOf(after)).toBe(401);
    await inventory(['client', 'enable', '--id', clientId]);
    await expect.poll(() => statusOf(after)).toBe(200);
    expect(await statusOf(before)).toBe(401);
  });

  test('client secret --revoke-others says when it ended only the secrets, and completes when run again', async () => {
    const { clientId, get, secret } = await service.client();
    const guard = `keep_tokens_${randomBytes(6).toString('hex')}`;
    await service.sql.unsafe(`
      create function ${guard}() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
      create trigger ${guard} before update of tokens_from on client
        for each row when (new.client_id = '${clientId}') execute function ${guard}()`);
    const revoke = () => inventory(['client', 'secret', '--id', clientId, '--revoke-others']);
    expect(await revoke()).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: all secrets of client ${clientId} have ended, but its tokens have not; run this again to end them and get a secret\n`,
    });
    expect((await get('/Item')).status).toBe(200);
    expect((await askToken(service.baseUrl, { clientId, secret })).status).toBe(401);
    await service.sql.unsafe(`drop function ${guard}() cascade`);
    expect((await revoke()).code).toBe(0);
    await expect.poll(async () => (await get('/Item')).status).toBe(401);
  });

  test.runIf(process.platform === 'linux')(
    'client secret ends with 1 and says so when its output meets a full disk',
    async () => {
      const { clientId } = await service.client();
      const { ended } = startCommand(
        ['client', 'secret', '--id', clientId],
        { DATABASE_URL: operatorUrl() },
        { stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'] },
      );
      expect(await ended).toEqual({
        code: 1,
        stdout: '',
        stderr: 'error: not all could be written to standard output (ENOSPC)\n',
      });
    },
  );

  test('client secret keeps the newest secret that is valid, not an expired one', async () => {
    const clientId = uniqueName('scanner');
    const rights = { permissions: [11], wids: [1], readOnly: false, rateLimit: null };
    await addClient(service.sql, { clientId, ...rights, secretDigest: digestSecret('old') });
    await addSecret(service.sql, clientId, digestSecret('expired'), {
      expires: new Date(0),
      revokeOthers: false,
    });
    await inventory(['client', 'secret', '--id', clientId]);
    const digests = await readSecretDigests(service.sql, clientId);
    expect([digests.length, isSecretOf('old', digests), isSecretOf('expired', digests)]).toEqual([
      2,
      true,
      false,
    ]);
  });
});

describe('lot', () => {
  test('lot hold takes a lot out of every allocation until lot release', async () => {
    const { client, shortID, recNo, partNo } = await receiveLot();
    const issue = () => client.post('/Inventory/Issue', { itemID: shortID, units: 1, wid: 1, reasonCode: 1 });
    expect(await inventory(['lot', 'hold', '--rec-no', `${recNo}`, '--reason', 'broken'])).toEqual({
      code: 0,
      stdout: `lot ${recNo} is on hold\n`,
      stderr: '',
    });
    expect((await issue()).status).toBe(409);
    const level = async () =>
      (await service.sql`select in_stock, on_hold from stock_level where part_no = ${partNo} and wid = 1`)[0];
    expect(await level()).toEqual({ in_stock: '10', on_hold: '10' });
    expect((await inventory(['lot', 'release', '--rec-no', `${recNo}`])).code).toBe(0);
    expect((await issue()).status).toBe(200);
    expect(await level()).toEqual({ in_stock: '9', on_hold: '0' });
    const recorded = await service.sql`
      select kind, client_id, status, body
      from stock_transaction
      where kind in ('hold', 'release') and body->>'recNo' = ${`${recNo}`}
      order by transaction_no`;
    expect([...recorded]).toEqual([
      { kind: 'hold', client_id: 'admin', status: 'applied', body: { recNo, reason: 'broken' } },
      { kind: 'release', client_id: 'admin', status: 'applied', body: { recNo } },
    ]);
  });

  test('lot hold and lot release give the reason in one line when they cannot, and end with 1', async () => {
    const { client, shortID, recNo } = await receiveLot();
    const hold = (lot: number) => inventory(['lot', 'hold', '--rec-no', `${lot}`, '--reason', 'x']);
    const release = (lot: number) => inventory(['lot', 'release', '--rec-no', `${lot}`]);
    const refused = (line: string) => ({ code: 1, stdout: '', stderr: `error: ${line}\n` });
    expect(await hold(999_999)).toEqual(refused('there is no lot 999999'));
    expect(await release(recNo)).toEqual(refused(`lot ${recNo} is not on hold`));
    await hold(recNo);
    expect(await hold(recNo)).toEqual(refused(`lot ${recNo} is on hold already`));
    await release(recNo);
    await client.post('/Inventory/Issue', { itemID: shortID, units: 10, wid: 1, reasonCode: 1 });
    expect(await hold(recNo)).toEqual(refused(`lot ${recNo} is not in stock`));
  });

  test('lot hold waits for the holder of the gate and sees its result', async () => {
    const { recNo, partNo } = await receiveLot();
    let held: Promise<Ended> | undefined;
    await service.sql.begin(async (tx) => {
      await tx`select from stock_level where part_no = ${partNo} and wid = 1 for no key update`;
      held = inventory(['lot', 'hold', '--rec-no', `${recNo}`, '--reason', 'x']);
      await expectWaiting(service.sql, 1);
      // Like an issue of 4 units, without its ledger, which is put right below.
      await tx`update stock_level set in_stock = 6 where part_no = ${partNo} and wid = 1`;
      await tx`update lot set units = 6 where rec_no = ${recNo}`;
    });
    expect((await held)?.code).toBe(0);
    const [level] =
      await service.sql`select in_stock, on_hold from stock_level where part_no = ${partNo} and wid = 1`;
    expect(level).toEqual({ in_stock: '6', on_hold: '6' });
    await service.sql`update stock_level set in_stock = 10, on_hold = 10 where part_no = ${partNo} and wid = 1`;
    await service.sql`update lot set units = 10 where rec_no = ${recNo}`;
  });
});

describe('level', () => {
  test('level set keeps quantities to the last digit, leaves the others and makes the level visible', async () => {
    const client = await service.client();
    const shortID = await service.item();
    const set = (...quantities: string[]) =>
      inventory(['level', 'set', '--item', shortID, '--warehouse', '2', ...quantities]);
    expect((await set('--on-order', '123456789.123456', '--committed', '2.5')).code).toBe(0);
    expect((await set('--committed', '0', '--asn', '7')).code).toBe(0);
    // The newest item is the first one.
    const page = '/Inventory/StockLevels/2?sort=partNo&direction=DESC&pageSize=1';
    const { body } = await client.get(page);
    expect(body.value[0]).toEqual({
      ...body.value[0],
      inStock: 0,
      onOrder: 123456789.123456,
      committed: 0,
      packed: 0,
      aSN: 7,
      available: 0,
    });
  });
});

describe('any command', () => {
  test('a change that began and stands still ends by itself, and releases its locks', async () => {
    const [row] = await useDatabase(
      operatorUrl(),
      (sql) => sql`select current_setting('idle_in_transaction_session_timeout') as limit`,
    );
    expect(row!.limit).toBe('1min');
  });

  test('wrong arguments are one line on standard error and end with 2', async () => {
    const wrong: [string[], RegExp][] = [
      [['warehouse', 'add', '--id', 'x', '--name', 'North'], /^error: .*'--id <number>'.*whole number.*\n$/],
      [['warehouse', 'add', '--id', '4'], /^error: .*'--name <name>'.*\n$/],
      [['warehouse', 'add', '--id', '4', '--name', 'North', '--size', '3'], /^error: .*'--size'\n$/],
      [
        ['client', 'add', '--id', 'a', '--permissions', '12', '--warehouses', '1'],
        /^error: .*11 list, 15 move, 88 issue, 95 receive, 116 items\.\n$/,
      ],
      [
        ['level', 'set', '--item', 'A', '--warehouse', '1', '--packed', '1.1234567'],
        /^error: .*at most 6 digits.*\n$/,
      ],
      [['lots'], /^error: there is no command lots.*\n$/],
    ];
    const refused = (line: RegExp) => ({ code: 2, stdout: '', stderr: expect.stringMatching(line) });
    for (const [args, line] of wrong) expect(await inventory(args)).toEqual(refused(line));
  });

  test('an error of Postgres is one line that quotes no value', async () => {
    await service.sql.unsafe(`
      create function quote_name() returns trigger language plpgsql as $$
      begin raise exception 'the name is %', new.name; end $$;
      create trigger quote_name before insert on warehouse for each row execute function quote_name()`);
    expect(await inventory(['warehouse', 'add', '--id', '50', '--name', 'Sesame'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: raise_exception\n',
    });
    await service.sql`drop function quote_name() cascade`;
  });

  test('an unreachable database is named by host and port, without its password', async () => {
    expect(await inventory(['key', 'rotate'], 'postgres://joe:sesame@127.0.0.1:1/inventory')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: the database at 127.0.0.1:1 cannot be reached (ECONNREFUSED)\n',
    });
  });
});

describe('warehouse, alias, migrate, key', () => {
  test('warehouse add, alias add, key rotate and migrate do their work once', async () => {
    const shortID = await service.item();
    const alias = uniqueName('alias');
    const client = await service.client();
    expect((await inventory(['warehouse', 'add', '--id', '40', '--name', 'North'])).code).toBe(0);
    expect((await inventory(['warehouse', 'add', '--id', '40', '--name', 'South'])).code).toBe(1);
    expect((await inventory(['alias', 'add', '--alias', alias, '--item', shortID])).code).toBe(0);
    expect((await inventory(['alias', 'add', '--alias', alias, '--item', shortID])).code).toBe(1);
    expect((await client.get(`/Item?type=alias&key=${alias}`)).status).toBe(200);
    expect((await inventory(['migrate'], service.databaseUrl)).stdout).toBe('nothing to do\n');
    expect((await inventory(['key', 'rotate'])).code).toBe(0);
    expect(await inventory(['key', 'rotate-envelopes'])).toEqual({
      code: 0,
      stdout: 'added envelope key 2\n',
      stderr: '',
    });
    const [keys] = await service.sql`
      select (select count(*) from signing_key)::integer as signing,
        (select count(distinct secret) from envelope_key)::integer as envelope`;
    expect(keys).toEqual({ signing: 2, envelope: 2 });
    expect((await client.get('/Item')).status).toBe(200);
    const receipt = { itemID: shortID, units: 1, wid: 1, reasonCode: 0 };
    expect((await client.post('/Inventory/Receive', receipt)).status).toBe(201);
  });
});

describe('key', () => {
  test('key list shows every key and its state; key withdraw ends one, and the next one signs at once', async () => {
    const list = async () => JSON.parse((await inventory(['key', 'list', '--json'])).stdout);
    await inventory(['key', 'rotate']);
    const before = (await list()) as { kid: string; state: string; until: string | null }[];
    const waiting = before[0]!;
    const signing = before.find(({ state }) => state === 'signs')!;
    expect([waiting.state, waiting.until, signing.until !== null]).toEqual(['waits', null, true]);
    const { stdout } = await inventory(['key', 'list']);
    // A table with a line for each key, its columns below their heads.
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^key {2,}state {2,}signs from {2,}until$/);
    expect(lines.length).toBe(before.length + 1);
    const row = lines.find((line) => line.startsWith(signing.kid))!;
    expect(row.slice(lines[0]!.indexOf('state'))).toMatch(/^signs +20/);
    expect(row.slice(lines[0]!.indexOf('until'))).toBe(signing.until);
    expect(await inventory(['key', 'withdraw', signing.kid])).toEqual({
      code: 0,
      stdout: `withdrew signing key ${signing.kid}: its tokens end within a second, and clients fetch new ones\n`,
      stderr: '',
    });
    const after = (await list()) as typeof before;
    expect(after.find(({ kid }) => kid === signing.kid)?.state).toBe('withdrawn');
    expect(after.filter(({ state }) => state === 'signs')).toHaveLength(1);
    const refused = (line: string) => ({ code: 1, stdout: '', stderr: `error: ${line}\n` });
    expect(await inventory(['key', 'withdraw', signing.kid])).toEqual(
      refused(`signing key ${signing.kid} is already withdrawn`),
    );
    expect(await inventory(['key', 'withdraw', 'nobody'])).toEqual(refused('there is no signing key nobody'));
    for (const { kid, state } of after) if (state !== 'withdrawn') await inventory(['key', 'withdraw', kid]);
    const last = (await list()) as typeof before;
    expect(last.filter(({ state }) => state === 'signs')).toHaveLength(1);
    expect(before.map(({ kid }) => kid)).not.toContain(last.find(({ state }) => state === 'signs')?.kid);
  });
});

describe('as an operator', () => {
  test('audit finds no error in the stock of this file', async () => {
    const { code, stdout } = await inventory(['audit']);
    expect({ code, last: stdout.trim().split('\n').at(-1) }).toEqual({ code: 0, last: 'all is well' });
  });

  test("seed ends with 1 and says that it needs the tables' owner", async () => {
    expect(await inventory(['seed', '--items', '1', '--warehouses', '1', '--lots', '1', '--yes'])).toEqual({
      code: 1,
      stdout: expect.any(String),
      stderr:
        'error: permission denied for table stock_level: this command needs another login in DATABASE_URL: ' +
        "the tables' owner for `migrate`, `seed`, `restore` and `restored`\n",
    });
  });
});
