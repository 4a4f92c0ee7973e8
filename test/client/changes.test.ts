import { createHmac, randomBytes } from 'node:crypto';
import {
  InventoryClient,
  InventoryError,
  type MirrorStore,
  type Upsert,
  verifyWebhook,
  type WebhookMessage,
} from '@inventory/client';
import { holdLot, releaseLot } from '@inventory/db/operator/holds';
import { setOrderQuantities } from '@inventory/db/operator/order-quantities';
import { renameWarehouse } from '@inventory/db/operator/rename-warehouse';
import { afterEach, expect, test, vi } from 'vitest';
import { type Fault, startFaultProxy } from '../harness/network/fault-proxy.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { typedClient } from '../harness/service/typed-client.ts';

const service = useService();
afterEach(() => void vi.useRealTimers());
const faults: Fault[] = [
  'pass',
  'lose',
  'pass',
  'drop',
  'pass',
  'pass',
  'cut',
  { refuse: 503 },
  { instead: 502 },
];

/** A network with faults, for reading. */
function startBadNetwork() {
  return startFaultProxy(service.baseUrl, (_, index) => faults[index % faults.length]!);
}

test('changes come in order, each once, over any number of lost connections', async () => {
  const inventory = await typedClient(service);
  const { baseUrl } = await startBadNetwork();
  const follower = await typedClient(service, { baseUrl });
  const { cursor } = await inventory.me();
  const itemID = await service.item();
  const ending = new AbortController();
  const seen: unknown[] = [];
  const feed = follower.changes({ after: cursor, limit: 3 }, { signal: ending.signal });
  const follow = async () => {
    for await (const change of feed) if (change.type === 'stock') seen.push(change.transactionNo);
  };
  const following = follow().catch((error: InventoryError) => error);
  const written: number[] = [];
  for (let round = 0; round < 20; round++) {
    const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
    written.push((await inventory.receive(body)).transactionNo);
  }
  await expect.poll(() => seen.length).toBe(20);
  ending.abort();
  expect(await following).toMatchObject({ name: 'AbortError', code: 'aborted' });
  expect(seen).toEqual(written);
  // The cursor is behind all of them.
  expect((await inventory.changes({ after: feed.cursor }).page()).value).toEqual([]);
});

test('a program that keeps the cursor goes on with the next change', async () => {
  const inventory = await typedClient(service);
  let { cursor } = await inventory.me();
  const itemID = await service.item();
  const written: number[] = [];
  for (let round = 0; round < 6; round++)
    written.push((await inventory.receive({ itemID, units: 1, wid: 1, reasonCode: 0 })).transactionNo);
  const seen: number[] = [];
  while (seen.length < 6) {
    // All in one page.
    const feed = inventory.changes({ after: cursor });
    for await (const change of feed) {
      if (change.type === 'stock') seen.push(change.transactionNo);
      // It ends after each change.
      cursor = feed.cursor!;
      break;
    }
  }
  expect(seen).toEqual(written);
});

type Shelf = { kinds: Map<string, Map<number | string, unknown>>; position: string | null };

function shelfStore(shelf: Shelf): MirrorStore {
  return {
    position: () => shelf.position,
    clear() {
      shelf.kinds.clear();
      shelf.position = null;
    },
    async upsert(records: readonly Upsert[], position) {
      for (const { kind, key, record } of records) {
        const kept = shelf.kinds.get(kind) ?? new Map();
        shelf.kinds.set(kind, kept.set(key, record));
      }
      shelf.position = position;
    },
  };
}

/** All lists, as a mirror has them. */
async function listsOf(inventory: InventoryClient): Promise<Record<string, Map<number | string, unknown>>> {
  const lots = new Map<number, unknown>();
  for await (const lot of inventory.lots({ view: 'full' })) lots.set(lot.recNo, lot);
  const items = new Map<number, unknown>();
  for await (const item of inventory.items({ all: true })) items.set(item.partNo, item);
  const levels = new Map<string, unknown>();
  const { warehouses } = await inventory.me();
  for (const { wID } of warehouses)
    for await (const { shortID, description, modified, ...level } of inventory.stockLevels({
      wid: wID,
      view: 'full',
    }))
      levels.set(`${level.partNo}/${wID}`, { ...level, wID });
  return {
    lot: lots,
    item: items,
    level: levels,
    warehouse: new Map(warehouses.map((each) => [each.wID, each])),
  };
}

function sorted(records: Map<number | string, unknown> | undefined) {
  return [...(records ?? [])].sort(([one], [other]) => String(one).localeCompare(String(other)));
}

test('a mirror is equal to the lists whenever it has caught up, also after it was closed for a while', async () => {
  const { baseUrl } = await startBadNetwork();
  const inventory = await typedClient(service);
  const follower = await typedClient(service, { baseUrl });
  const items = [await service.item(), await service.item()];
  const shelf: Shelf = { kinds: new Map(), position: null };
  const expectEqual = async () => {
    const lists = await listsOf(inventory);
    for (const kind of ['lot', 'item', 'level', 'warehouse'])
      expect(sorted(shelf.kinds.get(kind)), kind).toEqual(sorted(lists[kind]));
  };
  let round = 0;
  const work = async () => {
    round += 1;
    for (const itemID of items) {
      const received = await inventory.receive({ itemID, units: 5, wid: 1, reasonCode: 0, spot: 'A' });
      await inventory.move({ itemID, units: 2, wid: 1, fromSpot: 'A', shipToWid: 2 });
      await inventory.issue({ itemID, units: 1, wid: 2, reasonCode: 0 });
      await holdLot(service.sql, { recNo: received.recNo, reason: 'leaks' });
      await inventory.updateItem({ shortID: itemID, description: `round ${round}` });
      const minimum = round === 3 ? null : String(round * 2);
      await inventory.setMinimum({ wid: 1, partNo: received.lot.partNo, minimum });
      await setOrderQuantities(service.sql, { shortId: itemID, wid: 2 }, { onOrder: String(round) });
      if (round === 2) await releaseLot(service.sql, received.recNo);
    }
    await renameWarehouse(service.sql, { wid: 1, name: `Main ${round}` });
    await inventory.createItem({ shortID: uniqueName('NEW') });
  };

  await work();
  const first = follower.mirror({ store: shelfStore(shelf) });
  await first.caughtUp();
  await expectEqual();
  for (let count = 0; count < 3; count++) {
    await work();
    await first.caughtUp();
    await expectEqual();
  }
  await first.close();
  await work();
  const second = follower.mirror({ store: shelfStore(shelf) });
  await second.caughtUp();
  await expectEqual();
  await second.close();
});

test('a mirror that a service of 0.1 told some levels, or a client of 0.1 went on with, begins again', async () => {
  let isOld = true;
  const tellOld: typeof fetch = async (...asked) => {
    const answer = await fetch(...asked);
    if (!isOld || !String(asked[0]).includes('/StockLevels')) return answer;
    const text = (await answer.text()).replaceAll(/"minimum":[^,]*,/g, '');
    return new Response(text, answer);
  };
  const inventory = await typedClient(service);
  const follower = await typedClient(service, { fetch: tellOld });
  const [one, other] = [await service.item(), await service.item()];
  const places = await Promise.all(
    [one, other].map(async (itemID) => {
      const { lot } = await inventory.receive({ itemID, units: 5, wid: 1, reasonCode: 0 });
      await inventory.setMinimum({ wid: 1, partNo: lot.partNo, minimum: 3 });
      return `${lot.partNo}/1`;
    }),
  );
  const shelf: Shelf = { kinds: new Map(), position: null };
  const minimums = () =>
    places.map((place) => (shelf.kinds.get('level')!.get(place) as { minimum: unknown }).minimum);
  const follow = async () => {
    const mirror = follower.mirror({ store: shelfStore(shelf) });
    await mirror.caughtUp();
    return mirror;
  };
  const first = await follow();
  expect(minimums()).toEqual([null, null]);
  isOld = false;
  // Nothing changes after the upgrade.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 });
  await first.caughtUp();
  expect(minimums()).toEqual([3, 3]);
  vi.useRealTimers();
  await first.close();
  // As a client of 0.1 goes on: it keeps what it does not know, and stores levels without minimums.
  await inventory.issue({ itemID: other, units: 1, wid: 1, reasonCode: 0 });
  const { cursor } = await inventory.me();
  const position = JSON.parse(shelf.position!);
  shelf.position = JSON.stringify({ ...position, cursor });
  const levels = shelf.kinds.get('level')!;
  levels.set(places[1]!, { ...(levels.get(places[1]!) as object), minimum: undefined });
  expect(cursor).not.toBe(position.cursor);
  const second = await follow();
  expect(minimums()).toEqual([3, 3]);
  await second.close();
});

test('a mirror hands many records on in parts; the position moves with the last', async () => {
  const lots = 3000;
  let cursor = 'c0';
  const page = (value: unknown[], totalCount = value.length, hasMore = false) => ({
    ...{ value, totalCount, hasMore, page: 1, pageSize: 250, pageCount: 1 },
  });
  const answers: Record<string, (query: URLSearchParams) => unknown> = {
    Token: () => ({ access_token: 't', expires_in: 1e6 }),
    Me: () => ({ cursor, warehouses: [{ wID: 1, name: 'A' }] }),
    Inventory(query) {
      // All of them after the warehouse has its new name.
      const from = (Number(query.get('page')) - 1) * 250;
      if (cursor === 'c0') return page([]);
      const value = Array.from({ length: 250 }, (_, index) => ({ recNo: from + index, warehouse: 'B' }));
      return page(value, lots, from + 250 < lots);
    },
    'Item/All': () => page([]),
    'Inventory/StockLevels/1': () => page([]),
    Changes: (query) => ({
      value: query.get('after') === cursor ? [] : [{ type: 'warehouse', wID: 1, name: 'B' }],
      ...{ nextCursor: cursor, hasMore: false },
    }),
  };
  const fetch = async (input: string | URL | Request) => {
    const { pathname, searchParams } = new URL(String(input));
    const answer = answers[pathname.replace('/api/v1/', '')]!(searchParams);
    return Response.json(answer, { headers: { 'X-Next-Modified-Since': cursor } });
  };
  const inventory = new InventoryClient({
    ...{ baseUrl: 'http://localhost/api/v1', clientId: 'a', clientSecret: 'b' },
    fetch: fetch as typeof globalThis.fetch,
  });
  const shelf: Shelf = { kinds: new Map(), position: null };
  const parts: [number, unknown][] = [];
  const store = shelfStore(shelf);
  const upsert: MirrorStore['upsert'] = (records, position) => {
    parts.push([records.length, position && JSON.parse(position).cursor]);
    return store.upsert(records, position);
  };
  const mirror = inventory.mirror({ store: { ...store, upsert } });
  await mirror.caughtUp();
  parts.length = 0;
  const before = shelf.position;
  cursor = 'c1';
  await mirror.caughtUp();
  await mirror.close();
  expect(shelf.kinds.get('lot')!.size).toBe(lots);
  expect(shelf.kinds.get('warehouse')!.get(1)).toEqual({ wID: 1, name: 'B' });
  expect(Math.max(...parts.map(([count]) => count))).toBeLessThan(1500);
  const moved = parts.findIndex(([, at]) => at === 'c1');
  expect(parts.slice(0, moved).map(([, at]) => at)).toEqual(Array(moved).fill('c0'));
  expect(moved).toBe(parts.length - 1);
  expect(moved).toBeGreaterThan(1);
  // As after a crash between two parts: the changes are read again from where the position is.
  shelf.position = before;
  for (let recNo = 1000; recNo < lots; recNo++) shelf.kinds.get('lot')!.delete(recNo);
  const next = inventory.mirror({ store });
  await next.caughtUp();
  await next.close();
  expect([shelf.kinds.get('lot')!.size, JSON.parse(shelf.position!).cursor]).toEqual([lots, 'c1']);
});

test('a mirror reads the lists again when its warehouses are others', async () => {
  const client = await service.client({ warehouses: [1] });
  const inventory = new InventoryClient({
    ...{ baseUrl: service.baseUrl, clientId: client.clientId, clientSecret: client.secret },
  });
  const shelf: Shelf = { kinds: new Map(), position: null };
  const mirror = inventory.mirror({ store: shelfStore(shelf) });
  await mirror.caughtUp();
  expect([...shelf.kinds.get('warehouse')!.keys()]).toEqual([1]);
  await service.sql`
    insert into client_warehouse (client_id, wid)
    select client_id, 2 from client where client_id = ${client.clientId}`;
  await expect
    .poll(async () => {
      await mirror.caughtUp();
      return [...shelf.kinds.get('warehouse')!.keys()];
    })
    .toEqual([1, 2]);
  await mirror.close();
});

test('a mirror begins again when a warehouse leaves the scope during its walk', async () => {
  let refusals = 2;
  const forbidden = JSON.stringify({ statusCode: 403, error: 'forbidden', message: 'No.' });
  const proxy = await startFaultProxy(service.baseUrl, ({ path }) => {
    if (!path.includes('/StockLevels/2') || refusals === 0) return 'pass';
    refusals -= 1;
    return { refuse: 403, body: forbidden };
  });
  const follower = await typedClient(service, { baseUrl: proxy.baseUrl });
  const shelf: Shelf = { kinds: new Map(), position: null };
  const heard: unknown[] = [];
  const mirror = follower.mirror({ store: shelfStore(shelf), onError: (error) => heard.push(error) });
  await mirror.caughtUp();
  const lists = await listsOf(await typedClient(service));
  expect(sorted(shelf.kinds.get('level'))).toEqual(sorted(lists.level));
  // Once it passes by itself; the second time somebody may have to look.
  expect(heard).toMatchObject([{ status: 403 }]);
  await mirror.close();
});

test.each(['position', 'clear', 'upsert'] as const)(
  'an error of the store ends a mirror, which tells it wherever it is asked: %s',
  async (method) => {
    const inventory = await typedClient(service);
    const failure = new Error('the disk is full');
    const fail = () => Promise.reject(failure);
    const store = { ...shelfStore({ kinds: new Map(), position: null }), [method]: fail };
    // Vitest fails if nobody hears of it.
    const unasked = inventory.mirror({ store });
    const asked = inventory.mirror({ store });
    await expect(asked.caughtUp()).rejects.toBe(failure);
    await expect(asked.caughtUp()).rejects.toBe(failure);
    await expect(asked.ended).rejects.toBe(failure);
    await asked.close();
    await unasked.close();
  },
);

test('verifyWebhook throws InventoryError for any secret, headers and body', async () => {
  const key = randomBytes(24);
  const good = `whsec_${key.toString('base64')}`;
  const seconds = `${Math.floor(Date.now() / 1000)}`;
  const signed = (text: string) => ({
    ...{ 'webhook-id': 'm', 'webhook-timestamp': seconds },
    'webhook-signature': `v1,${createHmac('sha256', key).update(`m.${seconds}.${text}`).digest('base64')}`,
  });
  const odd = [
    undefined,
    null,
    5,
    {},
    [],
    '',
    'x',
    'whsec_',
    'whsec_*',
    '\u0000',
    'ä',
    '{',
    [1],
    NaN,
    () => 1,
  ];
  const headers = [
    ...odd,
    new Headers(),
    ...odd.map((value) => ({ ...signed('{'), 'webhook-timestamp': value })),
    ...odd.map((value) => ({ ...signed('{'), 'webhook-id': value })),
    ...odd.map((value) => ({ ...signed('{'), 'webhook-signature': value })),
    ...odd.map((value) => ({ get: () => value })),
    ...[signed('{'), signed(''), { ...signed('{'), 'webhook-signature': 'v1,*'.repeat(1000) }],
  ];
  const bodies = [...odd, new Uint8Array(), new Uint8Array([255, 0]), Buffer.from('{'), new ArrayBuffer(3)];
  for (const secret of [good, ...odd])
    for (const given of headers)
      for (const body of bodies) {
        const call = verifyWebhook(secret as string, given as Headers, body as string);
        const error = await call.then(
          () => null,
          (each) => each,
        );
        // Signed with the secret, and JSON: none of them.
        expect(error, String([secret, given, body])).toBeInstanceOf(InventoryError);
      }
});

test('a webhook is taken for real only if it was signed with the secret, lately, and not changed', async () => {
  const key = randomBytes(24);
  const secret = `whsec_${key.toString('base64')}`;
  const message: WebhookMessage = {
    ...{ type: 'inventory.changes', timestamp: new Date().toISOString() },
    data: { value: [], nextCursor: 'ä' },
  };
  const body = JSON.stringify(message);
  const seconds = Math.floor(Date.now() / 1000);
  const sign = (text: string, at = seconds, by = key) =>
    `v1,${createHmac('sha256', by).update(`msg_1.${at}.${text}`).digest('base64')}`;
  const headers = (signature: string, at = seconds) => ({
    ...{ 'Webhook-Id': 'msg_1', 'webhook-timestamp': String(at), 'webhook-signature': signature },
  });
  expect(await verifyWebhook(secret, headers(sign(body)), body)).toEqual(message);
  const both = `${sign(body, seconds, randomBytes(24))} ${sign(body)}`;
  expect(await verifyWebhook(secret, new Headers(headers(both)), Buffer.from(body))).toEqual(message);
  const old = seconds - 400;
  const wrong: [Record<string, string>, string][] = [
    [headers(sign(body)), body.replace('ä', 'a')],
    [headers(sign(body, old), old), body],
    [headers(sign(body, seconds, randomBytes(24))), body],
    [headers(sign(body).replace('v1,', 'v2,')), body],
    [headers('v1,'), body],
    [headers('v1,*'), body],
    [{ 'webhook-id': 'msg_1' }, body],
  ];
  for (const [given, text] of wrong)
    await expect(verifyWebhook(secret, given, text)).rejects.toMatchObject({ code: 'invalid_signature' });
});
