import { randomBytes } from 'node:crypto';
import { openSync } from 'node:fs';
import { digestSecret, isSecretOf } from '@inventory/auth/secret';
import { addClient, addSecret, readSecretDigests } from '@inventory/db/access/clients';
import { describe, expect, test } from 'vitest';
import { useDatabase } from '../../apps/admin/src/cli/database.ts';
import { addressFor } from '../harness/as-part.ts';
import { expectWaiting } from '../harness/queue/batches.ts';
import { askToken, createApiClient } from '../harness/service/api-client.ts';
import { type Ended, runHere, startCommand } from '../harness/service/command-line.ts';
import { rightsOf } from '../harness/service/rights-of.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receive } from '../harness/stock/stock.ts';

const service = useService();

const operatorUrl = () => addressFor('operator', service.databaseUrl);

/** Runs the command line in this process, as an operator on the test's database or on the given one. */
function inventory(args: string[], databaseUrl = operatorUrl()): Promise<Ended> {
  return runHere(args, { DATABASE_URL: databaseUrl });
}

/** An item with one lot of 10 units in warehouse 1. */
async function receiveTen() {
  const client = await service.client();
  const shortID = await service.item();
  const { recNo, lot } = await receive(client, shortID, 10);
  return { client, shortID, recNo, partNo: lot.partNo };
}

const done = (stdout: string) => ({ code: 0, stdout, stderr: '' });
const refused = (line: string, code = 1) => ({ code, stdout: '', stderr: `error: ${line}\n` });

/** A client that may list in warehouse 1, with this secret. */
async function clientWith(secret: string, rights: object = {}): Promise<string> {
  const clientId = uniqueName('scanner');
  const usual = { permissions: [11], wids: [1], readOnly: false, rateLimit: null };
  await addClient(service.sql, { clientId, ...usual, ...rights, secretDigest: digestSecret(secret) });
  return clientId;
}
/** Which of these secrets of a client are valid. */
async function areLive(clientId: string, ...secrets: string[]): Promise<boolean[]> {
  const digests = await readSecretDigests(service.sql, clientId);
  return secrets.map((secret) => isSecretOf(secret, digests));
}
const json = async (...args: string[]) => JSON.parse((await inventory([...args, '--json'])).stdout);

describe('client', () => {
  test('client add --json prints the id and the secret and nothing else; 1 when the id is taken, 2 when a warehouse does not exist', async () => {
    const id = uniqueName('scanner');
    const add = (name: string, warehouses: string, ...more: string[]) =>
      inventory([
        ...['client', 'add', '--id', name, '--permissions', '11,95', '--warehouses', warehouses],
        ...more,
      ]);
    const limits = ['--rate-limit', '1000', '--operation-limit', '5000'];
    const { code, stdout, stderr } = await add(id, '1,2', ...limits, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\{.*\}\n$/);
    const { clientId, clientSecret, ...rest } = JSON.parse(stdout);
    expect({ clientId, rest }).toEqual({ clientId: id, rest: {} });
    expect(await areLive(id, clientSecret)).toEqual([true]);
    expect(await rightsOf(service.sql, id)).toEqual({
      ...{ tokensFrom: 0, clientId: id, readOnly: false, rateLimit: 1000, operationsPerMinute: 5000 },
      ...{ permissions: new Set([11, 95]), scope: new Set([1, 2]) },
    });
    expect(await add(id, '1,2')).toEqual(refused(`client ${id} already exists`));
    expect(await add(`${id}-2`, '1,77')).toEqual(refused('there is no warehouse 77', 2));
  });

  test('client set changes the given fields and leaves the rest', async () => {
    const clientId = await clientWith('secret', { readOnly: true, rateLimit: 5, operationsPerMinute: 7 });
    const { code } = await inventory([
      ...['client', 'set', '--id', clientId, '--permissions', '15,88', '--warehouses', '2,3'],
      ...['--no-read-only', '--rate-limit', 'default', '--operation-limit', 'default'],
    ]);
    expect(code).toBe(0);
    const changed = {
      ...{ tokensFrom: 0, clientId, readOnly: false, rateLimit: null, operationsPerMinute: null },
      ...{ permissions: new Set([15, 88]), scope: new Set([2, 3]) },
    };
    expect(await rightsOf(service.sql, clientId)).toEqual(changed);
    await inventory(['client', 'set', '--id', clientId, '--read-only']);
    expect(await rightsOf(service.sql, clientId)).toEqual({ ...changed, readOnly: true });
  });

  test('client secret adds a second secret; a third ends the oldest, or one that has expired', async () => {
    const clientId = await clientWith('first');
    const add = async () => (await json('client', 'secret', '--id', clientId)).clientSecret;
    const second = await add();
    expect(await areLive(clientId, 'first', second)).toEqual([true, true]);
    const third = await add();
    expect(await areLive(clientId, 'first', second, third)).toEqual([false, true, true]);

    const other = await clientWith('old');
    const expired = { expires: new Date(0), revokeOthers: false };
    await addSecret(service.sql, other, digestSecret('expired'), expired);
    await inventory(['client', 'secret', '--id', other]);
    expect(await readSecretDigests(service.sql, other)).toHaveLength(2);
    expect(await areLive(other, 'old', 'expired')).toEqual([true, false]);
  });

  test('client secret --expires makes a secret that ends, and --revoke-others ends all earlier ones', async () => {
    const clientId = await clientWith('first');
    const command = ['client', 'secret', '--id', clientId];
    const inMonth = await json(...command, '--expires', '30d');
    const inDays = (Date.parse(inMonth.expires) - Date.now()) / 86_400_000;
    expect(inDays).toBeGreaterThan(29.9);
    expect(inDays).toBeLessThan(30.1);
    expect(await areLive(clientId, 'first', inMonth.clientSecret)).toEqual([true, true]);
    const last = await json(...command, '--expires', '2100-01-31', '--revoke-others');
    expect(last.expires).toBe('2100-01-31T23:59:59.999Z');
    const secrets = ['first', inMonth.clientSecret, last.clientSecret];
    expect(await areLive(clientId, ...secrets)).toEqual([false, false, true]);
    const shown = await inventory([...command, '--expires', '12h']);
    expect(shown.stdout).toMatch(/\nIt ends at 20\d\d-.*Z\.\n/);
    for (const wrong of ['0d', '30', 'soon', '2020-01-01', '2031-02-30'])
      expect(await inventory([...command, '--expires', wrong])).toMatchObject({ code: 2, stdout: '' });
  });

  test('client secret --revoke-others ends earlier tokens for good, and new ones are issued at once', async () => {
    const client = await service.client();
    const { clientId } = client;
    const statusOf = async (token: string) =>
      (await createApiClient(service.baseUrl, clientId, token).get('/Item')).status;
    const ask = async (secret: string) =>
      (await askToken(service.baseUrl, { clientId, secret })).body.access_token;
    const before = await ask(client.secret);
    const added = await json('client', 'secret', '--id', clientId);
    expect(await statusOf(before)).toBe(200);
    const revoked = await json('client', 'secret', '--id', clientId, '--revoke-others');
    const after = await ask(revoked.clientSecret);
    expect(after).not.toBe(before);
    await expect.poll(() => statusOf(before)).toBe(401);
    expect(await ask(added.clientSecret)).toBeUndefined();
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
    expect(await revoke()).toEqual(
      refused(
        `all secrets of client ${clientId} have ended, but its tokens have not; run this again to end them and get a secret`,
      ),
    );
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
      expect(await ended).toEqual(refused('not all could be written to standard output (ENOSPC)'));
    },
  );
});

describe('lot', () => {
  test('lot hold takes a lot out of every allocation until lot release', async () => {
    const { client, shortID, recNo, partNo } = await receiveTen();
    const issue = () => client.post('/Inventory/Issue', { itemID: shortID, units: 1, wid: 1, reasonCode: 1 });
    const held = await inventory(['lot', 'hold', '--rec-no', `${recNo}`, '--reason', 'broken']);
    expect(held).toEqual(done(`lot ${recNo} is on hold\n`));
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
    const { client, shortID, recNo } = await receiveTen();
    const hold = (lot: number) => inventory(['lot', 'hold', '--rec-no', `${lot}`, '--reason', 'x']);
    const release = (lot: number) => inventory(['lot', 'release', '--rec-no', `${lot}`]);
    expect(await hold(999_999)).toEqual(refused('there is no lot 999999'));
    expect(await release(recNo)).toEqual(refused(`lot ${recNo} is not on hold`));
    await hold(recNo);
    expect(await hold(recNo)).toEqual(refused(`lot ${recNo} is on hold already`));
    await release(recNo);
    await client.post('/Inventory/Issue', { itemID: shortID, units: 10, wid: 1, reasonCode: 1 });
    expect(await hold(recNo)).toEqual(refused(`lot ${recNo} is not in stock`));
  });

  test('lot hold waits for the holder of the gate and sees its result', async () => {
    const { recNo, partNo } = await receiveTen();
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
    for (const [args, line] of wrong) {
      const stderr = expect.stringMatching(line);
      expect(await inventory(args)).toEqual({ code: 2, stdout: '', stderr });
    }
  });

  test('an error of Postgres is one line that quotes no value', async () => {
    await service.sql.unsafe(`
      create function quote_name() returns trigger language plpgsql as $$
      begin raise exception 'the name is %', new.name; end $$;
      create trigger quote_name before insert on warehouse for each row execute function quote_name()`);
    const added = await inventory(['warehouse', 'add', '--id', '50', '--name', 'Sesame']);
    expect(added).toEqual(refused('raise_exception'));
    await service.sql`drop function quote_name() cascade`;
  });

  test('an unreachable database is named by host and port, without its password', async () => {
    expect(await inventory(['key', 'rotate'], 'postgres://joe:sesame@127.0.0.1:1/inventory')).toEqual(
      refused('the database at 127.0.0.1:1 cannot be reached (ECONNREFUSED)'),
    );
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
    expect(await inventory(['key', 'rotate-envelopes'])).toEqual(done('added envelope key 2\n'));
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
    const list = () => json('key', 'list');
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
    expect(await inventory(['key', 'withdraw', signing.kid])).toEqual(
      done(
        `withdrew signing key ${signing.kid}: its tokens end within a second, and clients fetch new ones\n`,
      ),
    );
    const after = (await list()) as typeof before;
    expect(after.find(({ kid }) => kid === signing.kid)?.state).toBe('withdrawn');
    expect(after.filter(({ state }) => state === 'signs')).toHaveLength(1);
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
