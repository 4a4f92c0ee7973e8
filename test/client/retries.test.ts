import { InventoryClient, InventoryError } from '@inventory/client';
import { describe, expect, test } from 'vitest';
import { type Fault, startFaultProxy } from '../harness/network/fault-proxy.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { credentialsFor, typedClient } from '../harness/service/typed-client.ts';

const service = useService();

const isToken = ({ path }: { path: string }) => path.endsWith('/Token');

/**
 * A client behind a proxy that meets the tries of its calls with these faults, and lets all further ones
 * pass. Tokens always pass.
 */
async function behind(faults: Fault[], options: { timeoutMs?: number } = {}) {
  const proxy = await startFaultProxy(service.baseUrl, (request) =>
    isToken(request) ? 'pass' : (faults.shift() ?? 'pass'),
  );
  const inventory = await typedClient(service, { baseUrl: proxy.baseUrl, ...options });
  return { inventory, calls: () => proxy.seen.filter((request) => !isToken(request)) };
}

async function ledgerOf(reference: string): Promise<number> {
  const inventory = await typedClient(service);
  return (await inventory.transactions({ reference }).page()).totalCount;
}

/** A receipt with a reference of its own. */
async function receipt() {
  return { itemID: await service.item(), units: 1, wid: 1, reasonCode: 0, reference: uniqueName('REF') };
}

describe('a write is applied once, whatever happens to its tries', () => {
  const faults: [string, Fault][] = [
    ['the request is lost', 'drop'],
    ['the answer is lost', 'lose'],
    ['the answer is cut', 'cut'],
    ['a proxy has lost the service', { instead: 502 }],
    ['a proxy gave up', { instead: 504 }],
    ['the service is busy', { refuse: 503, retryAfter: '1' }],
    ['there were too many calls', { refuse: 429, retryAfter: '1', body: '{"message":"Rate limit"}' }],
    ['the body came too slowly', { refuse: 408 }],
  ];
  test.each(faults)('%s', async (_, fault) => {
    const body = await receipt();
    const { inventory, calls } = await behind([fault, fault]);
    expect(await inventory.receive(body)).toMatchObject({ status: 'received' });
    expect(calls()).toHaveLength(3);
    const keys = new Set(calls().map(({ headers }) => headers['idempotency-key']));
    expect([keys.size, [...keys][0]]).toEqual([1, expect.stringMatching(/^\S{20,}$/)]);
    expect(await ledgerOf(body.reference)).toBe(1);
  });
});

test('an answer that was lost, and then 503 to the end: unknown, until a resend with the same key settles it', async () => {
  const body = await receipt();
  const busy = { refuse: 503, body: '{"statusCode":503,"error":"internal_error"}' };
  const faults: Fault[] = ['lose', ...Array(99).fill(busy)];
  const { inventory } = await behind(faults, { timeoutMs: 10_000 });
  const idempotencyKey = uniqueName('key');
  const error = await inventory.receive(body, { idempotencyKey }).catch((each) => each);
  expect(error).toBeInstanceOf(InventoryError);
  expect(error).toMatchObject({ status: 503, outcome: 'unknown' });
  // The next call does not know of the first one, but it knows that the key is not its own.
  await expect(inventory.receive(body, { idempotencyKey })).rejects.toMatchObject({ outcome: 'unknown' });
  faults.length = 0;
  expect(await inventory.receive(body, { idempotencyKey })).toMatchObject({ status: 'received' });
  expect(await ledgerOf(body.reference)).toBe(1);
});

test('an error says that nothing was applied if no try can have reached the service', async () => {
  const body = await receipt();
  const refusal = { refuse: 503, body: '{"statusCode":503,"error":"internal_error"}' };
  const busy = await behind(Array(99).fill(refusal), { timeoutMs: 10_000 });
  await expect(busy.inventory.receive(body)).rejects.toMatchObject({ status: 503, outcome: 'notApplied' });
  const nobody = new InventoryClient({
    ...(await credentialsFor(service)),
    ...{ baseUrl: 'http://127.0.0.1:9/api/v1', timeoutMs: 1000 },
  });
  await expect(nobody.receive(body)).rejects.toMatchObject({
    ...{ status: 0, code: 'connection_lost', outcome: 'notApplied' },
  });
});

test('a list waits for its turn, however long that takes; a single call does not', async () => {
  const limited: Fault = { refuse: 429, retryAfter: '11', body: '{"message":"Rate limit"}' };
  const list = await behind([limited], { timeoutMs: 10_000 });
  for await (const { active } of list.inventory.lots({ recNo: 1 })) expect(active).toBeTypeOf('boolean');
  expect(list.calls()).toHaveLength(2);
  const single = await behind([limited], { timeoutMs: 10_000 });
  await expect(single.inventory.me()).rejects.toMatchObject({ status: 429, code: 'rate_limited' });
});

test('operations of a batch that the service was too busy for are sent again, alone and in order', async () => {
  const itemID = await service.item();
  const receipt = { op: 'receive' as const, itemID, units: 1, wid: 1, reasonCode: 0 };
  const busy = { statusCode: 503, error: 'internal_error', message: 'busy' };
  const results = (statuses: string[]) =>
    statuses.map((status, index) => ({
      index,
      key: null,
      status,
      statusCode: status === 'applied' ? 201 : 503,
      error: busy,
    }));
  const answer = (statuses: string[]): Fault => ({
    ...{ refuse: 200, body: JSON.stringify({ mode: 'each', results: results(statuses) }) },
  });
  const { inventory, calls } = await behind([
    answer(['applied', 'notApplied', 'notApplied']),
    answer(['applied', 'notApplied']),
  ]);
  const operations = ['a', 'b', 'c'].map((key) => ({ ...receipt, key: uniqueName(key) }));
  const told = await inventory.batch({ mode: 'each', operations });
  expect(told.summary).toEqual({ applied: 3, refused: 0, notApplied: 0 });
  const keys = calls().map(({ body }) =>
    JSON.parse(body).operations.map(({ key }: { key: string }) => key[0]),
  );
  expect(keys).toEqual([['a', 'b', 'c'], ['b', 'c'], ['c']]);
});

test('an error in the middle of a batch has the results that are known', async () => {
  const itemID = await service.item();
  const operations = Array.from({ length: 600 }, () => ({
    ...{ op: 'receive' as const, itemID, units: 1, wid: 1, reasonCode: 0 },
  }));
  const faults: Fault[] = ['pass', ...Array(99).fill('lose')];
  const { inventory } = await behind(faults, { timeoutMs: 10_000 });
  const idempotencyKey = uniqueName('list');
  const error = await inventory.batch({ mode: 'each', operations }, { idempotencyKey }).catch((each) => each);
  expect(error).toMatchObject({ code: 'connection_lost', outcome: 'unknown' });
  expect(error.results).toHaveLength(500);
  faults.length = 0;
  const again = await inventory.batch({ mode: 'each', operations }, { idempotencyKey });
  expect(again.summary.applied).toBe(600);
  // The first list comes back as too busy, so the second is not sent: it may have been applied before.
  const busy = { status: 'notApplied', statusCode: 503, error: { message: 'busy' } };
  faults.push(...Array(99).fill({ refuse: 200, body: JSON.stringify({ results: Array(500).fill(busy) }) }));
  await expect(inventory.batch({ mode: 'each', operations }, { idempotencyKey })).rejects.toMatchObject({
    ...{ status: 503, outcome: 'unknown', results: Array(500).fill(expect.objectContaining(busy)) },
  });
  faults.length = 0;
  expect((await inventory.lots({ itemID }).page()).totalCount).toBe(600);
});

test('a refusal after operations of a batch that were applied: unknown, with their results', async () => {
  const operations = Array.from({ length: 501 }, (_, index) => ({
    ...{ op: 'receive' as const, itemID: 'A', units: 1, wid: 1, reasonCode: 0, remark: `${index}` },
  }));
  const applied = { status: 'applied', statusCode: 201, body: {} };
  const refused = { status: 'refused', statusCode: 409, error: { message: 'No.' } };
  const forbidden = { refuse: 403, body: '{"statusCode":403,"error":"forbidden","message":"No."}' };
  const told = async (first: object) => {
    const answer = { refuse: 200, body: JSON.stringify({ results: Array(500).fill(first) }) };
    const { inventory, calls } = await behind([answer, forbidden]);
    const error = await inventory.batch({ mode: 'each', operations }).catch((each) => each);
    expect(calls()).toHaveLength(2);
    return [error.status, error.outcome, error.results.length];
  };
  expect(await told(applied)).toEqual([403, 'unknown', 500]);
  expect(await told(refused)).toEqual([403, 'notApplied', 500]);
});

test.each([409, 400, 404, 413, 500, 501])('%i is final', async (status) => {
  const body = await receipt();
  const text = JSON.stringify({ statusCode: status, error: 'conflict', message: 'No.' });
  const { inventory, calls } = await behind([{ refuse: status, body: text }]);
  await expect(inventory.receive(body)).rejects.toMatchObject({ status, outcome: 'notApplied' });
  expect(calls()).toHaveLength(1);
});

describe('an answer that has not the form of the service settles nothing', () => {
  const foreign: [number, string][] = [
    [200, '<html>Welcome to our Wi-Fi</html>'],
    [200, '{"status":"maintenance"}'],
    [302, ''],
    [400, '{"error":"bad_request","message":"Bad request."}'],
    [400, '{"statusCode":400,"error":"Bad Request"}'],
    [401, '{"statusCode":401,"error":"Unauthorized"}'],
    [403, '{"statusCode":404,"error":"forbidden","message":"No."}'],
    [404, '{"message":"no Route matched with those values"}'],
    [409, '{"statusCode":"409","error":"conflict","message":"No."}'],
    [413, '<html>Request Entity Too Large</html>'],
    [429, '{"message":"Slow down.","code":7}'],
    [500, '{"status":500,"error":"Internal Server Error"}'],
    [500, '{"error":"internal_error","message":"No."}'],
    [501, '[]'],
    [502, '{"statusCode":502,"error":"internal_error","message":"No."}'],
    [503, '{"message":"no healthy upstream"}'],
    [504, '{"statusCode":504,"error":"internal_error","message":"No."}'],
  ];

  test.each(foreign)('%i %s', async (status, body) => {
    const stock = await receipt();
    const instead: Fault = { instead: status, body };
    const { inventory } = await behind(Array(99).fill(instead), { timeoutMs: 1000 });
    const told = (call: Promise<unknown>) =>
      call.then(
        () => 'applied',
        ({ outcome }: InventoryError) => outcome,
      );
    const operations = [{ op: 'receive' as const, ...stock }];
    expect(await told(inventory.receive(stock))).toBe('unknown');
    expect(await told(inventory.batch({ mode: 'each', operations }))).toBe('unknown');
    expect(await told(inventory.batch({ mode: 'atomic', operations }))).toBe('unknown');
    expect(await told(inventory.createItem({ shortID: uniqueName('NEW') }))).toBe('unknown');
    expect(await told(inventory.me())).toBe('notApplied');
    expect(await ledgerOf(stock.reference)).toBe(3);
    // A resend with the key gets the answer.
    const once = await behind([instead]);
    const again = await receipt();
    expect(await told(once.inventory.receive(again))).toBe(status === 413 ? 'unknown' : 'applied');
    expect(await ledgerOf(again.reference)).toBe(1);
  });
});

describe('a read is repeated after an answer that is not of the service', () => {
  const cut: Fault = { refuse: 200, body: '{"value":[{"recNo":1,"shortID":"A' };
  const portal: Fault = { refuse: 200, body: '<html>Welcome to our Wi-Fi</html>' };
  const faults: [string, Fault][] = [
    ['of a portal', portal],
    ['of a network of proxies', { refuse: 520, body: '<html>' }],
    ['that was cut off', cut],
    ['that is empty', { refuse: 200, body: '' }],
  ];

  test.each(faults)('%s', async (_, fault) => {
    const stock = await receipt();
    const { inventory, calls } = await behind([fault, fault, 'pass', fault]);
    for await (const lot of inventory.lots({ itemID: stock.itemID })) expect(lot).toBe('none');
    expect(await inventory.me()).toMatchObject({ readOnly: false });
    expect(calls()).toHaveLength(5);
    const never = await behind(Array(99).fill(fault), { timeoutMs: 1000 });
    await expect(never.inventory.me()).rejects.toMatchObject({
      ...{ code: 'unexpected_answer', outcome: 'notApplied' },
    });
  });

  test('and the feed goes on, however long that takes', async () => {
    const { inventory } = await behind([]);
    const { cursor } = await inventory.me();
    const stock = await receipt();
    const { transactionNo } = await inventory.receive(stock);
    const bad = await behind(
      Array.from({ length: 16 }, (_, index) => (index % 2 ? cut : portal)),
      {
        timeoutMs: 1000,
      },
    );
    for await (const change of bad.inventory.changes({ after: cursor, wait: 0 })) {
      if (change.type !== 'stock') continue;
      expect(change.transactionNo).toBe(transactionNo);
      break;
    }
    expect(bad.calls()).toHaveLength(17);
  });
});

test('a refusal before the key is looked up does not settle what an earlier try may have done', async () => {
  const body = await receipt();
  const forbidden = JSON.stringify({ statusCode: 403, error: 'forbidden', message: 'No.' });
  const { inventory } = await behind(['lose', { refuse: 403, body: forbidden }]);
  await expect(inventory.receive(body)).rejects.toMatchObject({ status: 403, outcome: 'unknown' });
  expect(await ledgerOf(body.reference)).toBe(1);
  // An item has no key: its resend is refused as a duplicate.
  const items = await behind(['lose']);
  const creating = items.inventory.createItem({ shortID: uniqueName('LOST') });
  await expect(creating).rejects.toMatchObject({ status: 400, outcome: 'unknown' });
});

test('a call ends when its caller aborts it, and says what is known', async () => {
  const body = await receipt();
  const { inventory } = await behind(Array(99).fill('lose'));
  const aborting = new AbortController();
  const call = inventory.receive(body, { signal: aborting.signal });
  await expect.poll(() => ledgerOf(body.reference)).toBe(1);
  aborting.abort();
  const error = await call.catch((each) => each);
  expect(error).toBeInstanceOf(InventoryError);
  expect(error).toMatchObject({ name: 'AbortError', code: 'aborted', outcome: 'unknown' });
  await expect(inventory.receive(body, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    ...{ code: 'aborted', outcome: 'notApplied' },
  });
});

describe('the token', () => {
  test('is fetched once for all calls that wait for it', async () => {
    const proxy = await startFaultProxy(service.baseUrl, () => 'pass');
    const inventory = await typedClient(service, { baseUrl: proxy.baseUrl });
    await Promise.all(Array.from({ length: 20 }, () => inventory.me()));
    expect(proxy.seen.filter(isToken)).toHaveLength(1);
  });

  test('is fetched anew once when the service refuses it', async () => {
    let refused = 0;
    const proxy = await startFaultProxy(service.baseUrl, (request) => {
      if (isToken(request)) return 'pass';
      refused += 1;
      return refused <= 3 ? { refuse: 401, body: '{"statusCode":401,"error":"unauthorized"}' } : 'pass';
    });
    const inventory = await typedClient(service, { baseUrl: proxy.baseUrl });
    // A second refusal is an answer.
    await expect(inventory.me()).rejects.toMatchObject({ status: 401, code: 'unauthorized' });
    expect(await inventory.me()).toMatchObject({ readOnly: false });
    expect(proxy.seen.filter(isToken)).toHaveLength(3);
  });

  test('is not asked for again before the time that the service asks to wait', async () => {
    const proxy = await startFaultProxy(service.baseUrl, () => ({
      ...{ refuse: 429, retryAfter: '60', body: '{"message":"Rate limit"}' },
    }));
    const inventory = await typedClient(service, { baseUrl: proxy.baseUrl, timeoutMs: 10_000 });
    await expect(inventory.me()).rejects.toMatchObject({ status: 429, retryAfterMs: 60_000 });
    expect(proxy.seen).toHaveLength(1);
  });

  test('is renewed early no sooner than the service asks', async () => {
    let tokens = 0;
    let now = 0;
    const realNow = Date.now;
    const fetch = async (input: string | URL | Request) => {
      if (!String(input).endsWith('/Token')) return Response.json({ warehouses: [] });
      tokens += 1;
      if (tokens === 1) return Response.json({ access_token: 't', expires_in: 1000 });
      return Response.json({ message: 'Rate limit' }, { status: 429, headers: { 'Retry-After': '60' } });
    };
    const inventory = new InventoryClient({
      ...{ baseUrl: 'http://localhost/api/v1', clientId: 'a', clientSecret: 'b' },
      fetch: fetch as typeof globalThis.fetch,
    });
    /** How often it was asked for once some calls were made so many seconds after the first. */
    const askedAfter = async (seconds: number) => {
      now = seconds * 1000;
      for (let count = 0; count < 3; count++) {
        await inventory.me();
        await new Promise((resolve) => setTimeout(resolve));
      }
      return tokens;
    };
    try {
      Date.now = () => realNow() + now;
      expect([await askedAfter(0), await askedAfter(801), await askedAfter(860)]).toEqual([1, 2, 2]);
      expect(await askedAfter(862)).toBe(3);
    } finally {
      Date.now = realNow;
    }
  });

  test('is fetched again before it ends, while calls go on with the old one', async () => {
    const used: (string | null)[] = [];
    let tokens = 0;
    let now = 0;
    const realNow = Date.now;
    const fetch = async (input: string | URL | Request, init?: RequestInit) => {
      if (String(input).endsWith('/Token')) {
        tokens += 1;
        return Response.json({ access_token: `token-${tokens}`, token_type: 'bearer', expires_in: 1000 });
      }
      used.push(new Headers(init?.headers).get('Authorization'));
      return Response.json({ warehouses: [] });
    };
    const inventory = new InventoryClient({
      ...{
        baseUrl: 'http://localhost/api/v1',
        clientId: 'a',
        clientSecret: 'b',
        fetch: fetch as typeof globalThis.fetch,
      },
    });
    try {
      Date.now = () => realNow() + now;
      await inventory.me();
      now = 790_000;
      await inventory.me();
      expect(tokens).toBe(1);
      now = 801_000;
      await inventory.me();
      await expect.poll(() => tokens).toBe(2);
      await inventory.me();
    } finally {
      Date.now = realNow;
    }
    expect(used).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  });
});
