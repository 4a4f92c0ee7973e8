import { enforceReasons, importReasons } from '@inventory/db/operator/manage-reasons';
import { reasonedNames } from '@inventory/domain/contract/reason';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

const forAll = 3;
const unknown = 77;
// For each operation a reason that is listed for it alone.
const codeOf = { receive: 11, issue: 12, count: 13 } as const;
const own = [...Object.entries(codeOf)] as [keyof typeof codeOf, number][];
const all = [...reasonedNames] as (keyof typeof codeOf)[];
let client: ApiClient;

beforeAll(async () => {
  const given = [
    { line: 1, reasonCode: forAll, name: 'Returned', operations: all },
    ...own.map(([op, reasonCode]) => ({
      line: reasonCode,
      reasonCode,
      name: `Only ${op}`,
      operations: [op],
    })),
  ];
  await importReasons(service.sql, given, { take: 'all', byDefault: all });
  client = await service.client();
});
afterEach(() => enforceReasons(service.sql, false));

const enforce = () => enforceReasons(service.sql, true);
const pathOf = { receive: 'Receive', issue: 'Issue', count: 'Count' } as const;

/** A new item with 10 units in a spot, and a body for each operation on it. */
async function stocked() {
  const itemID = await service.item();
  const received = await client.post('/Inventory/Receive', {
    ...{ itemID, units: 10, wid: 1, reasonCode: forAll, spot: 'A' },
  });
  expect(received.status, received.text).toBe(201);
  const bodies = { receive: { units: 2, spot: 'B' }, issue: { units: 1 }, count: { counted: 9, spot: 'A' } };
  const bodyOf = (op: keyof typeof bodies, reasonCode: number) => ({
    ...{ itemID, wid: 1, reasonCode },
    ...bodies[op],
  });
  return { itemID, bodyOf };
}

const refusal = (op: string) => ({
  error: 'validation_error',
  details: { reasonCode: [expect.stringContaining(`listed for ${op}`)] },
});

test('the reasons are paged by their code, for any token', async () => {
  const anyone = await service.client({ permissions: [], warehouses: [] });
  const first = await anyone.get('/Reasons?pageSize=2');
  expect(first.body).toEqual({
    value: [
      { reasonCode: 3, name: 'Returned', operations: ['receive', 'issue', 'count'] },
      { reasonCode: 11, name: 'Only receive', operations: ['receive'] },
    ],
    ...{ totalCount: 4, page: 1, pageSize: 2, pageCount: 2, hasMore: true },
  });
  const second = await anyone.get('/Reasons?pageSize=2&page=2');
  expect(second.body.value.map((each: { reasonCode: number }) => each.reasonCode)).toEqual([12, 13]);
});

test('any reason is taken unless the list is enforced', async () => {
  const { bodyOf } = await stocked();
  for (const op of all) {
    const { status } = await client.post(`/Inventory/${pathOf[op]}`, bodyOf(op, unknown));
    expect(status, op).toBe(op === 'receive' ? 201 : 200);
  }
});

describe.each(all)('%s, while the list is enforced', (op) => {
  const path = `/Inventory/${pathOf[op]}`;
  const others = own.flatMap(([other, code]) => (other === op ? [] : code));

  test('a reason that is listed for it is taken, and one that is not is 400 and changes nothing', async () => {
    const { itemID, bodyOf } = await stocked();
    const inStock = async () => (await client.get(`/Inventory/1?itemID=${itemID}`)).body.value;
    const before = await inStock();
    expect(before).toHaveLength(1);
    await enforce();
    for (const code of [unknown, ...others]) {
      const { status, body } = await client.post(path, bodyOf(op, code));
      expect({ status, ...body }).toMatchObject({ status: 400, ...refusal(op) });
    }
    expect(await inStock()).toEqual(before);
    for (const code of [codeOf[op], forAll])
      expect((await client.post(path, bodyOf(op, code))).status).toBeLessThan(300);
  });

  test('lists and dry runs refuse it likewise', async () => {
    const { bodyOf } = await stocked();
    await enforce();
    const operations = [forAll, unknown].map((code) => ({ op, ...bodyOf(op, code) }));
    const batch = (mode: string, more = {}) => client.post('/Inventory/Batch', { mode, operations, ...more });
    const each = await batch('each');
    expect(each.body.results[0].status).toBe('applied');
    expect(each.body.results[1]).toMatchObject({ status: 'refused', error: refusal(op) });
    for (const more of [{}, { dryRun: true }]) {
      const atomic = await batch('atomic', more);
      expect(atomic.status).toBe(409);
      expect(JSON.stringify(atomic.body)).toContain(`listed for ${op}`);
    }
    if (op === 'receive') return;
    const tried = await client.post(path, { ...bodyOf(op, unknown), dryRun: true });
    expect(tried.body).toMatchObject(refusal(op));
  });

  test('a call that was applied before it was enforced gets its answer again', async () => {
    const { bodyOf } = await stocked();
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const send = () => client.send('POST', path, { headers, body: bodyOf(op, unknown) });
    const first = await send();
    expect(first.status).toBeLessThan(300);
    await enforce();
    const again = await send();
    expect([again.status, again.body]).toEqual([first.status, first.body]);
  });
});

test('one answer names an unknown reason and an unknown item', async () => {
  await enforce();
  const { status, body } = await client.post('/Inventory/Issue', {
    ...{ itemID: 'there is none', units: 1, wid: 1, reasonCode: unknown },
  });
  expect([status, body.details]).toEqual([
    400,
    { itemID: ['itemID is not a known item.'], reasonCode: ['reasonCode 77 is not listed for issue.'] },
  ]);
});

test('moves and reversals have no reason, and the rights come first', async () => {
  const { itemID, bodyOf } = await stocked();
  await enforce();
  const moved = await client.post('/Inventory/Move', { itemID, units: 1, wid: 1, spot: 'A', toSpot: 'C' });
  expect(moved.status).toBe(200);
  const { transactionNo } = moved.body;
  expect((await client.post('/Inventory/Reverse', { transactionNo })).status).toBe(200);
  const elsewhere = await service.client({ warehouses: [2] });
  expect((await elsewhere.post('/Inventory/Issue', bodyOf('issue', unknown))).status).toBe(403);
});
