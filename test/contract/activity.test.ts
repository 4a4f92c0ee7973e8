import { expect } from 'vitest';
import { expectAnswer, invalid } from '../harness/contract/answers.ts';
import { stockOf, useStock } from '../harness/contract/item-stock.ts';

const { service, test } = useStock();

const list = '/Inventory/Activity';
const dayMs = 86_400_000;

test('200: the transactions by hour or day, kind and client, each once, in scope', async ({
  stock,
  client,
}) => {
  const other = await service.client();
  const theirs = stockOf(service, other, stock.itemID);
  const recNo = await stock.addLot(10);
  await theirs.addLot(5, { wid: 2 });
  await stock.done('Move', { units: 2, shipToWid: 2 });
  await theirs.done('Move', { units: 1, wid: 2, toSpot: 'B' });
  await theirs.done('Hold', { recno: recNo, hold: true });
  // One of them two days ago.
  const issued = await stock.done('Issue', { units: 1, wid: 2 });
  await service.sql.begin(async (tx) => {
    await tx`alter table stock_transaction disable trigger stock_transaction_append_only`;
    await tx`update stock_transaction set at = at - interval '2 days' where transaction_no = ${issued.transactionNo}`;
    await tx`alter table stock_transaction enable trigger stock_transaction_append_only`;
  });
  const [from, to] = [new Date(Date.now() - 3 * dayMs), new Date(Date.now() + dayMs)].map((time) =>
    time.toISOString(),
  );
  const read = async (who: typeof client, query = '') => {
    const { status, body, text } = await who.get(`${list}?from=${from}&to=${to}&pageSize=250${query}`);
    expect(status, text).toBe(200);
    expect(body.totalCount).toBe(body.value.length);
    return body.value as { start: string; kind: string; clientId: string; transactions: number }[];
  };
  const of = (some: Awaited<ReturnType<typeof read>>, { clientId }: { clientId: string }) =>
    Object.fromEntries(
      some.filter((each) => each.clientId === clientId).map(({ kind, transactions }) => [kind, transactions]),
    );
  for (const by of ['day', 'hour']) {
    const found = await read(client, `&by=${by}`);
    expect(of(found, client)).toEqual({ issue: 1, receive: 1, move: 1 });
    expect(of(found, other)).toEqual({ receive: 1, move: 1, hold: 1 });
    const starts = found.map(({ start }) => start);
    expect(starts).toEqual([...starts].sort());
    for (const start of starts) expect(start).toMatch(by === 'day' ? /T00:00:00\.000Z$/ : /:00:00\.000Z$/);
    expect(found[0]).toMatchObject({ kind: 'issue', clientId: client.clientId, transactions: 1 });
  }
  // A move between warehouses is seen from both, and counted once by who sees both.
  const second = await service.client({ warehouses: [2] });
  expect(of(await read(second), client)).toEqual({ issue: 1, move: 1 });
  expect(of(await read(second), other)).toEqual({ receive: 1, move: 1 });
  const first = await client.get(`${list}?from=${from}&to=${to}&pageSize=1&page=2`);
  expect(first.body.value).toEqual([(await read(client))[1]]);
  const before = await client.get(`${list}?from=2020-01-01&to=2020-01-31`);
  expect(before.body.value).toEqual([]);
});

test('400: no time, or too long', async ({ client }) => {
  const ask = (query: string) => client.get(`${list}?${query}`);
  expectAnswer(await ask(''), 400, invalid({ from: 'is required.', to: 'is required.' }));
  expectAnswer(await ask('from=2026-01-02&to=2026-01-01'), 400, invalid({ to: 'must not be before from.' }));
  expect((await ask('from=2024-01-01&to=2024-12-31')).status).toBe(200);
  expectAnswer(await ask('from=2025-01-01&to=2026-01-02'), 400, invalid({ to: 'must be within 366 days.' }));
  expect((await ask('from=2026-01-01&to=2026-01-31&by=hour')).status).toBe(200);
  expectAnswer(
    await ask('from=2026-01-01&to=2026-02-01&by=hour'),
    400,
    invalid({ to: 'must be within 31 days.' }),
  );
  expectAnswer(
    await ask('from=2026-01-01&to=2026-02-01&by=week'),
    400,
    invalid({ by: 'must be hour or day.' }),
  );
});
