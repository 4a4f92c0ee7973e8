import { randomUUID } from 'node:crypto';
import { connect } from '@inventory/db/postgres/pool';
import { removeOutdatedPiece } from '@inventory/db/requests/remove-outdated';
import { expect, onTestFinished, test } from 'vitest';
import { addressFor } from '../harness/as-part.ts';
import { age, isOf, refuse, requestOf, thereIs } from '../harness/queue/old-keys.ts';
import { createDatabase } from '../harness/servers/database.ts';
import { useService } from '../harness/service/service.ts';

const service = useService({ workers: 2 });
const waits = { timeout: 60_000, interval: 200 };

/** Starts a round, as if the last one had ended two hours ago, and waits for its end. */
async function passRound(): Promise<void> {
  await service.sql`update retention set ended = clock_timestamp() - interval '2 hours'`;
  await expect
    .poll(async () => {
      const [row] =
        await service.sql`select ended > clock_timestamp() - interval '1 hour' as over from retention`;
      return row!.over;
    }, waits)
    .toBe(true);
}

test('workers remove keys after 8 days and refused transactions after 9, and keep applied ones', {
  timeout: 120_000,
}, async () => {
  const client = await service.client();
  const itemID = await service.item();
  const requests = new Map<string, string>();
  for (const days of [0, 6, 8, 10]) {
    const key = `refused-${days}-${randomUUID()}`;
    await refuse(client, itemID, key);
    requests.set(key, await requestOf(service.sql, key));
    await age(service.sql, key, days);
  }
  const applied = `applied-${randomUUID()}`;
  const receipt = { itemID, units: 1, wid: 1, reasonCode: 1 };
  const first = await client.post('/Inventory/Receive', receipt, { 'Idempotency-Key': applied });
  requests.set(applied, await requestOf(service.sql, applied));
  await age(service.sql, applied, 30);
  await service.sql`
    insert into stock_transaction (request_id, status, at)
    select gen_random_uuid(), 'abandoned', clock_timestamp() - n * interval '1 day'
    from generate_series(1, 20) as n`;
  await passRound();
  const kept: Record<string, { key: boolean; request: boolean }> = {};
  for (const [key, request] of requests) kept[key.slice(0, -37)] = await thereIs(service.sql, key, request);
  expect(kept).toEqual({
    'refused-0': { key: true, request: true },
    'refused-6': { key: true, request: true },
    'refused-8': { key: false, request: true },
    'refused-10': { key: false, request: false },
    applied: { key: false, request: true },
  });
  const [abandoned] = await service.sql`
    select count(*)::integer as count
    from stock_transaction
    where status = 'abandoned'`;
  expect(abandoned).toEqual({ count: 8 });
  // A resend within its time is answered; one after it is a new request.
  for (const key of [...requests.keys()].slice(0, 2)) {
    expect((await refuse(client, itemID, key)).headers.get('Idempotent-Replayed')).toBe('true');
  }
  const second = await client.post('/Inventory/Receive', receipt, { 'Idempotency-Key': applied });
  expect(second.body.transactionNo).toBeGreaterThan(first.body.transactionNo);
});

test('a refused transaction is removed never before its key, even when the key is held', {
  timeout: 120_000,
}, async () => {
  const client = await service.client();
  const itemID = await service.item();
  const [held, other] = [`held-${randomUUID()}`, `other-${randomUUID()}`];
  const requests = new Map<string, string>();
  for (const key of [held, other]) {
    await refuse(client, itemID, key);
    requests.set(key, await requestOf(service.sql, key));
    await age(service.sql, key, 20);
  }
  const there = () => Promise.all([held, other].map((key) => thereIs(service.sql, key, requests.get(key)!)));
  await service.sql.begin(async (tx) => {
    await tx`select from idempotency_key where key_digest = ${isOf(held)} for update`;
    await passRound();
    expect(await there()).toEqual([
      { key: true, request: true },
      { key: false, request: true },
    ]);
  });
  await passRound();
  expect(await there()).toEqual([
    { key: false, request: false },
    { key: false, request: false },
  ]);
});

test('removal goes in small pieces, one worker at a time, and continues where another worker stopped', async () => {
  const database = await createDatabase();
  const url = addressFor('worker', database.url);
  const workers = [1, 2].map(() => connect(url, { name: 'tests', connectionsMax: 1 }));
  onTestFinished(async () => {
    await Promise.all(workers.map((sql) => sql.end({ timeout: 1 })));
    await database.drop();
  });
  await database.sql`
    insert into idempotency_key (client_id, key_digest, asked_at, refused_at)
    select 'many', sha256(n::text::bytea), now() - interval '20 days', now() - interval '20 days'
    from generate_series(1, 20000) as n`;
  await database.sql`
    insert into stock_transaction (request_id, status, at)
    select gen_random_uuid(), 'abandoned', now() - interval '20 days'
    from generate_series(1, 5000)`;
  const nothing = { keys: 0, transactions: 0, goesOn: false };
  // No round is due.
  expect(await removeOutdatedPiece(workers[0]!, 8)).toEqual(nothing);
  await database.sql`update retention set ended = ended - interval '2 hours'`;
  await database.sql.begin(async (tx) => {
    await tx`select from retention for update`;
    expect(await removeOutdatedPiece(workers[0]!, 8)).toEqual(nothing);
  });
  const pieces = [];
  do pieces.push(await removeOutdatedPiece(workers[pieces.length % 2]!, 8));
  while (pieces.at(-1)!.goesOn);
  const sums = { keys: 0, transactions: 0 };
  for (const { keys, transactions } of pieces) {
    expect(keys).toBeLessThanOrEqual(5000);
    expect(transactions).toBeLessThanOrEqual(2000);
    sums.keys += keys;
    sums.transactions += transactions;
  }
  expect(sums).toEqual({ keys: 20_000, transactions: 5000 });
  expect(await removeOutdatedPiece(workers[0]!, 8)).toEqual(nothing);
});
