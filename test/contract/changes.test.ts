import { adoptRestored } from '@inventory/db/backup/identity';
import { addAlias } from '@inventory/db/catalog/aliases';
import { holdLot, releaseLot } from '@inventory/db/operator/holds';
import { removeAlias } from '@inventory/db/operator/manage-aliases';
import { setOrderQuantities } from '@inventory/db/operator/order-quantities';
import { renameWarehouse } from '@inventory/db/operator/rename-warehouse';
import { describe, expect, test } from 'vitest';
import {
  conflictObject,
  expectAnswer,
  forbidden,
  untilTaken,
  validationError,
} from '../harness/contract/answers.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { holdOpen } from '../harness/network/held-open.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receive, receiveLot } from '../harness/stock/stock.ts';

const service = useService();

// biome-ignore lint/suspicious/noExplicitAny: changes have their own names.
type Changes = any[];

// That of /Me may be an earlier one on a busy machine.
const cursorOf = async (client: ApiClient): Promise<string> =>
  (await client.get('/Changes?after=now')).body.nextCursor;

/** Everything behind a cursor, read in pages of `limit`, and the cursor behind it. */
async function readOn(client: ApiClient, after: string | null, limit = 250) {
  const value: Changes = [];
  let cursor = after;
  for (;;) {
    const { status, body, text } = await client.get(
      `/Changes?limit=${limit}${cursor === null ? '' : `&after=${cursor}`}`,
    );
    expect(status, text).toBe(200);
    expect(body.value.length).toBeLessThanOrEqual(limit);
    value.push(...body.value);
    cursor = body.nextCursor as string;
    if (!body.hasMore) return { value, cursor };
  }
}

async function done(client: ApiClient, path: string, body: object) {
  const answer = await client.post(`/Inventory/${path}`, { wid: 1, reasonCode: 0, ...body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

async function fullLot(client: ApiClient, recNo: number) {
  return (await client.get(`/Inventory?view=full&recNo=${recNo}`)).body.value[0];
}

describe('each type', () => {
  test('stock: the transaction as in the history, with its lots as they are now', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const cursor = await cursorOf(client);
    const fields = { serial: 'S-1', rfidTag: 'TAG', expires: '2040-01-01', price: 1.25, reference: 'PO' };
    const received = await done(client, 'Receive', { itemID, units: 10.000001, ...fields });
    const moved = await done(client, 'Move', { itemID, units: 4, shipToWid: 2 });
    const issued = await done(client, 'Issue', { itemID, units: 1 });
    const counted = await done(client, 'Count', { itemID, counted: 5.000001, everywhere: true });
    const undone = await done(client, 'Reverse', { transactionNo: issued.transactionNo });
    const { value } = await readOn(client, cursor);
    const made = [received, moved, issued, counted, undone].map(({ transactionNo }) => transactionNo);
    expect(value.map(({ transactionNo }) => transactionNo)).toEqual(made);
    const [source, split] = [await fullLot(client, received.recNo), await fullLot(client, moved.recNo)];
    const lots = [[source], [source, split], [source], [], [source]];
    for (const [index, change] of value.entries()) {
      const alone = (await client.get(`/Inventory/Transactions/${made[index]}`)).body;
      expect(change).toEqual({ type: 'stock', ...alone, lots: lots[index] });
    }
  });

  test('hold: the lot that was put on hold or released', async () => {
    const client = await service.client();
    const recNo = await receiveLot(client, await service.item(), 5);
    const cursor = await cursorOf(client);
    await holdLot(service.sql, { recNo, reason: 'inspection' });
    const held = await readOn(client, cursor);
    expect(held.value).toEqual([{ type: 'hold', ...(await fullLot(client, recNo)) }]);
    expect(held.value[0]).toMatchObject({ recNo, hold: true, holdReason: 'inspection' });
    await releaseLot(service.sql, recNo);
    const { value } = await readOn(client, held.cursor);
    expect(value).toEqual([{ type: 'hold', ...(await fullLot(client, recNo)) }]);
    expect(value[0]).toMatchObject({ recNo, hold: false, holdReason: null });
  });

  test('item: a created or changed item with all fields, and its aliases', async () => {
    const client = await service.client({ warehouses: [] });
    const cataloguer = await service.client();
    const cursor = await cursorOf(client);
    const shortID = await service.item({ description: 'one' });
    const read = async (after: string) => {
      const { value, cursor } = await readOn(client, after);
      const { body } = await client.get(`/Item?key=${shortID}&type=id`);
      expect(value.filter((change) => change.shortID === shortID)).toEqual([
        { type: 'item', ...body, aliases: expect.any(Array) },
      ]);
      return { aliases: value.find((change) => change.shortID === shortID).aliases, cursor };
    };
    const created = await read(cursor);
    await cataloguer.put('/Item', { shortID, description: 'two' });
    const changed = await read(created.cursor);
    // Nothing changes.
    await cataloguer.put('/Item', { shortID, description: 'two' });
    expect((await readOn(client, changed.cursor)).value).toEqual([]);
    await cataloguer.delete(`/Item/${shortID}`);
    const discontinued = await read(changed.cursor);
    const aliases = [uniqueName('ALIAS-A'), uniqueName('ALIAS-B')];
    let { cursor: at } = discontinued;
    for (const alias of aliases) {
      await addAlias(service.sql, { alias, shortId: shortID });
      ({ cursor: at } = await read(at));
    }
    await removeAlias(service.sql, aliases[0]!);
    expect([created.aliases, (await read(at)).aliases]).toEqual([[], [aliases[1]]]);
  });

  test('level and warehouse: order quantities that were set, and a new name', async () => {
    const client = await service.client({ warehouses: [2] });
    const other = await service.client({ warehouses: [1] });
    const itemID = await service.item();
    const [cursor, elsewhere] = [await cursorOf(client), await cursorOf(other)];
    await setOrderQuantities(service.sql, { shortId: itemID, wid: 2 }, { onOrder: '1.5', asn: '2' });
    await setOrderQuantities(service.sql, { shortId: itemID, wid: 2 }, { onOrder: '1.5' });
    await renameWarehouse(service.sql, { wid: 2, name: 'Renamed' });
    await renameWarehouse(service.sql, { wid: 2, name: 'Overflow' });
    const [level, ...names] = (await readOn(client, cursor)).value;
    expect(level).toMatchObject({
      ...{ type: 'level', shortID: itemID, wID: 2, onOrder: 1.5, committed: 0, packed: 0, aSN: 2 },
    });
    // As it is now.
    expect(names).toEqual(Array(2).fill({ type: 'warehouse', wID: 2, name: 'Overflow' }));
    expect((await readOn(other, elsewhere)).value).toEqual([]);
  });

  test('scope: told first when the warehouses are others than when the cursor was given', async () => {
    const client = await service.client({ warehouses: [1] });
    const itemID = await service.item();
    const cursor = await cursorOf(client);
    const recNo = await receiveLot(client, itemID, 5);
    await service.sql`insert into client_warehouse (client_id, wid) values (${client.clientId}, 3)`;
    const told = {
      type: 'scope',
      warehouses: [
        { wID: 1, name: 'Main' },
        { wID: 3, name: 'Elsewhere' },
      ],
    };
    // The service caches a client for at most half a second.
    await expect.poll(async () => (await readOn(client, cursor)).value[0]).toEqual(told);
    for (const limit of [1, 2, 250]) {
      const { value, cursor: next } = await readOn(client, cursor, limit);
      expect(value).toEqual([told, expect.objectContaining({ type: 'stock' })]);
      expect(value[1].lots[0].recNo).toBe(recNo);
      expect((await readOn(client, next)).value).toEqual([]);
    }
  });
});

describe('the order and the pages', () => {
  test('every page size tells the same changes in the same order, each once', async () => {
    const client = await service.client();
    const cursor = await cursorOf(client);
    const items = [await service.item(), await service.item()];
    const lots: number[] = [];
    for (const itemID of [...items, ...items]) lots.push(await receiveLot(client, itemID, 3));
    await holdLot(service.sql, { recNo: lots[0]!, reason: 'inspection' });
    await done(client, 'Issue', { itemID: items[1], units: 4 });
    const whole = (await readOn(client, cursor)).value;
    expect(whole.map(({ type }) => type)).toEqual([
      ...['item', 'item', 'stock', 'stock', 'stock', 'stock', 'hold', 'stock'],
    ]);
    for (const limit of [1, 2, 3, 7, 8, 9]) {
      expect((await readOn(client, cursor, limit)).value).toEqual(whole);
    }
  });

  test('a page has at most 1,000 changes, and fewer if they have very many lines or very long texts', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const cursor = await cursorOf(client);
    const operations = Array(500).fill({ op: 'receive', itemID, units: 1, wid: 1, reasonCode: 0 });
    for (let batch = 0; batch < 3; batch++) {
      const key = { 'Idempotency-Key': uniqueName('batch') };
      const send = () => client.post('/Inventory/Batch', { mode: 'atomic', operations }, key);
      expect((await untilTaken(send, { isKeyed: true })).status).toBe(200);
    }
    const page = async (query: string) => (await client.get(`/Changes?after=${cursor}&${query}`)).body;
    const [standard, most, beyond] = [await page(''), await page('limit=1000'), await page('limit=999999')];
    expect([standard, most, beyond].map(({ value }) => value.length)).toEqual([250, 1000, 1000]);
    expect(most.hasMore).toBe(true);
    const { cursor: here } = await readOn(client, cursor, 1000);
    // Each of these moves a thousand lots, with two lines each.
    for (let spot = 0; spot < 6; spot++) {
      await done(client, 'Move', { itemID, units: 1000, toSpot: `S${spot}` });
    }
    const first = (await client.get(`/Changes?after=${here}&limit=1000`)).body;
    expect(first.hasMore).toBe(true);
    expect(first.value.length).toBeLessThan(6);
    expect(first.value[0].lines).toHaveLength(2000);
    const { value, cursor: there } = await readOn(client, here, 1000);
    expect(value).toHaveLength(6);
    await service.sql`
      insert into item (short_id, description, created_by)
      select 'LONG-' || n, repeat('é', 3000), 'tests' from generate_series(1, 1000) as n`;
    const long = (await client.get(`/Changes?after=${there}&limit=1000`)).body;
    expect(long.hasMore).toBe(true);
    expect(long.value.length).toBeLessThan(700);
    expect((await readOn(client, there, 1000)).value).toHaveLength(1000);
  });

  test('a page has at most 1 MiB, and a change that is larger alone comes alone', async () => {
    const client = await service.client({ warehouses: [] });
    const shortID = await service.item();
    const cursor = await cursorOf(client);
    // Each is 300 bytes long. Earlier versions set no limit to the aliases of an item.
    const teach = (from: number, to: number) => service.sql`
      insert into item_alias (alias, part_no)
      select n || repeat('€', 98), part_no
      from generate_series(${from}::integer, ${to}::integer) as n
      cross join item
      where short_id = ${shortID}`;
    const change = (description: string) =>
      service.sql`update item set description = ${description} where short_id = ${shortID}`;
    await teach(1, 1400);
    for (let time = 0; time < 6; time++) await change(String(time));
    await teach(1401, 4000);
    const bytes: number[] = [];
    const counts: number[] = [];
    for (let after = cursor, hasMore = true; hasMore; ) {
      const { status, body, text } = await client.get(`/Changes?after=${after}&limit=1000`);
      expect(status).toBe(200);
      bytes.push(Buffer.byteLength(text));
      counts.push(body.value.length);
      ({ nextCursor: after, hasMore } = body);
    }
    // All are told as the item is now, which is more than 1 MiB.
    expect(counts).toEqual(Array(counts.length).fill(1));
    expect(counts.length).toBeGreaterThan(6);
    await service.sql`
      delete from item_alias where alias in (select alias from item_alias offset 1400)`;
    for (let after = cursor, hasMore = true; hasMore; ) {
      const { body, text } = await client.get(`/Changes?after=${after}&limit=1000`);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2 ** 20);
      ({ nextCursor: after, hasMore } = body);
    }
  });

  test('nothing is told while an earlier change may still commit, and it comes in its place', async () => {
    const client = await service.client();
    const [early, late] = [await service.item(), await service.item()];
    const recNo = await receiveLot(client, early, 5);
    const cursor = await cursorOf(client);
    const commit = await holdOpen(service.sql, (own) => holdLot(own, { recNo, reason: 'inspection' }));
    await receiveLot(client, late, 1);
    const held = await readOn(client, cursor);
    expect(held.value).toEqual([]);
    await commit();
    const { value } = await readOn(client, held.cursor);
    expect(value.map(({ type, shortID, itemID }) => [type, shortID ?? itemID])).toEqual([
      ['hold', early],
      ['stock', late],
    ]);
  });

  test('after=now gives the cursor of this moment and nothing else', async () => {
    const client = await service.client();
    const itemID = await service.item();
    await receiveLot(client, itemID, 1);
    const now = (await client.get('/Changes?after=now')).body;
    expect(now).toEqual({ value: [], nextCursor: expect.stringMatching(/^[\w-]{24}$/), hasMore: false });
    expect((await readOn(client, now.nextCursor)).value).toEqual([]);
    await receiveLot(client, itemID, 1);
    expect((await readOn(client, now.nextCursor)).value).toHaveLength(1);
  });

  test('without a cursor it begins with the first change', async () => {
    const client = await service.client();
    await receiveLot(client, await service.item(), 1);
    const { value } = await readOn(client, null, 1000);
    const totalCount = async (path: string) => (await client.get(path)).body.totalCount;
    const count = (of: string) => value.filter(({ type }) => type === of).length;
    expect(count('stock')).toBe(await totalCount('/Inventory/Transactions'));
    const items = new Set(value.filter(({ type }) => type === 'item').map(({ partNo }) => partNo));
    expect(items.size).toBe(await totalCount('/Item/All'));
  });
});

describe('the scope', () => {
  test('a move across its edge: the lot that comes is told whole, and the one that is gone, as gone', async () => {
    const both = await service.client({ warehouses: [1, 3] });
    const [source, destination] = [
      await service.client({ warehouses: [1] }),
      await service.client({ warehouses: [3] }),
    ];
    const itemID = await service.item();
    const fields = { serial: 'S-9', rfidTag: 'TAG-9', expires: '2040-01-01' };
    const { recNo } = await receive(both, itemID, 5, fields);
    await holdLot(service.sql, { recNo, reason: 'inspection' });
    const cursors = [await cursorOf(source), await cursorOf(destination)];
    const moved = await done(both, 'Move', { itemID, units: 5, shipToWid: 3, recno: recNo });
    const [gone] = (await readOn(source, cursors[0]!)).value;
    expect(gone.lines).toMatchObject([{ recNo, wID: 1, delta: -5, balance: 0 }]);
    expect(gone.lots).toEqual([await fullLot(source, recNo)]);
    expect(gone.lots[0]).toMatchObject({ recNo, units: 0, active: false, shipped: expect.any(String) });
    const [come] = (await readOn(destination, cursors[1]!)).value;
    expect(come.lines).toMatchObject([{ recNo: moved.recNo, wID: 3, delta: 5, balance: 5 }]);
    expect(come.lots).toEqual([await fullLot(destination, moved.recNo)]);
    expect(come.lots[0]).toMatchObject({
      ...{ serial: 'S-9', rFIDTag: 'TAG-9', hold: true, holdReason: 'inspection', fromRecNo: null },
      expires: '2040-01-01T23:59:59.999Z',
    });
  });

  test('changes of other warehouses are passed: the cursor moves, and nothing is told', async () => {
    const client = await service.client({ warehouses: [3] });
    const other = await service.client({ warehouses: [1] });
    const itemID = await service.item();
    const cursor = await cursorOf(client);
    const recNo = await receiveLot(other, itemID, 5);
    await holdLot(service.sql, { recNo, reason: 'inspection' });
    await setOrderQuantities(service.sql, { shortId: itemID, wid: 1 }, { onOrder: '1' });
    const { value, cursor: next } = await readOn(client, cursor);
    expect(value).toEqual([]);
    expect(next).not.toBe(cursor);
    await receiveLot(client, itemID, 5, { wid: 3 });
    expect((await readOn(client, next)).value).toHaveLength(1);
  });

  test('a client of many warehouses gets the changes of all of them in order', async () => {
    const many = Array.from({ length: 40 }, (_, index) => 100 + index);
    for (const wid of many) {
      await service.sql`insert into warehouse (wid, name) values (${wid}, ${`Site ${wid}`})`;
    }
    const client = await service.client({ warehouses: many });
    const itemID = await service.item();
    const cursor = await cursorOf(client);
    // Most of them are of one warehouse.
    const wids = [...many, ...Array(120).fill(100), ...many];
    const operations = wids.map((wid) => ({ op: 'receive', itemID, units: 1, wid, reasonCode: 0 }));
    const batch = await client.post('/Inventory/Batch', { mode: 'atomic', operations });
    expect(batch.status).toBe(200);
    const made = batch.body.results.map(({ body }: Changes[0]) => body.transactionNo);
    for (const limit of [30, 250]) {
      const { value } = await readOn(client, cursor, limit);
      expect(value.map(({ transactionNo }) => transactionNo)).toEqual(made);
    }
  });
});

describe('waiting', () => {
  test('a call that waits is answered when something comes in its scope', async () => {
    const client = await service.client({ warehouses: [2] });
    const other = await service.client({ warehouses: [1] });
    const itemID = await service.item();
    const cursor = await cursorOf(client);
    const waiting = meanwhile(client.get(`/Changes?after=${cursor}&wait=25`));
    let isAnswered = false;
    void waiting.then(() => {
      isAnswered = true;
    });
    await receiveLot(other, itemID, 1);
    expect(isAnswered).toBe(false);
    const recNo = await receiveLot(client, itemID, 1, { wid: 2 });
    const { body } = await waiting;
    expect(body.value.map(({ lots }: Changes[0]) => lots[0].recNo)).toEqual([recNo]);
  });

  test('a call that waits in vain is answered with nothing, after the time it asked for', async () => {
    const client = await service.client({ warehouses: [] });
    const cursor = await cursorOf(client);
    const startedAt = performance.now();
    const { body } = await client.get(`/Changes?after=${cursor}&wait=1`);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    expect(body).toEqual({ value: [], nextCursor: expect.any(String), hasMore: false });
  });

  test('many calls that wait are all answered, each with its own', async () => {
    const clients = await Promise.all([1, 2, 3].map((wid) => service.client({ warehouses: [wid] })));
    const itemID = await service.item();
    const calls = [];
    for (const client of clients) {
      const cursor = await cursorOf(client);
      for (let call = 0; call < 30; call++) {
        calls.push({ client, answer: meanwhile(client.get(`/Changes?after=${cursor}&wait=25`)) });
      }
    }
    const lots = new Map<ApiClient, number>();
    for (const [index, client] of clients.entries()) {
      lots.set(client, await receiveLot(client, itemID, 1, { wid: index + 1 }));
    }
    for (const { client, answer } of calls) {
      const { value } = (await answer).body;
      expect(value.map((change: Changes[0]) => change.lots[0].recNo)).toEqual([lots.get(client)]);
    }
  });

  test('403, 401: rights that end while a call waits end it without a change', async () => {
    const clients = [await service.client(), await service.client()];
    const itemID = await service.item();
    const cursors = await Promise.all(clients.map(cursorOf));
    const waiting = clients.map((client, index) =>
      meanwhile(client.get(`/Changes?after=${cursors[index]}&wait=25`)),
    );
    const [unentitled, disabled] = clients.map(({ clientId }) => clientId);
    await service.sql`
      update client
      set group_id = (select group_id from client where client_id = ${(await service.client({ permissions: [88] })).clientId})
      where client_id = ${unentitled!}`;
    await service.sql`update client set disabled = true where client_id = ${disabled!}`;
    // The service caches a client for at most half a second.
    await expect.poll(async () => (await clients[0]!.get('/Item')).status).toBe(403);
    await expect.poll(async () => (await clients[1]!.get('/Item')).status).toBe(401);
    await receiveLot(await service.client(), itemID, 1);
    const answers = await Promise.all(waiting);
    expectAnswer(answers[0]!, 403, forbidden.permission);
    expect(answers[1]!.status).toBe(401);
  });
});

describe('refusals', () => {
  test('400: what is no cursor, limit or wait', async () => {
    const client = await service.client();
    const digits = 'must be a plain integer.';
    const answer = await client.get('/Changes?after=abc&limit=0&wait=-1');
    expectAnswer(
      answer,
      400,
      validationError({
        after: ['after must be `now` or a cursor that this service has given.'],
        limit: ['limit must be at least 1.'],
        wait: [`wait ${digits}`],
      }),
    );
    const cursor = await cursorOf(client);
    for (const after of ['', `${cursor}A`, `${cursor.slice(1)}`, `${cursor}=`, 'NOW', 'A'.repeat(24)]) {
      expect((await client.get(`/Changes?after=${after}`)).status, after).toBe(400);
    }
    expect((await client.get('/Changes?wait=1000000&limit=999999')).status).toBe(200);
  });

  test('400 with handling=strict: a parameter that is not known', async () => {
    const client = await service.client();
    const answer = await client.send('GET', '/Changes?since=1', { headers: { Prefer: 'handling=strict' } });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.details)).toEqual(['since']);
  });

  test('409: a cursor from before a restore, or of changes that the database has lost; also while it waits', async () => {
    const client = await service.client();
    const other = await service.client();
    const cursor = await cursorOf(client);
    const beyond = Buffer.from(cursor, 'base64url');
    beyond[13] = 255;
    const refused = conflictObject(
      'cursorOutdated',
      {},
      'This cursor is from before the database was restored or lost its last changes. Get a new cursor and read the lists again.',
    );
    expectAnswer(await client.get(`/Changes?after=${beyond.toString('base64url')}`), 409, refused);
    const waiting = meanwhile(other.get(`/Changes?after=${await cursorOf(other)}&wait=25`));
    await adoptRestored(service.sql, new Date());
    expectAnswer(await waiting, 409, refused);
    expectAnswer(await client.get(`/Changes?after=${cursor}`), 409, refused);
    const after = await cursorOf(client);
    expect((await readOn(client, after)).value).toEqual([]);
  });
});
