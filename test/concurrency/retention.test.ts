import { randomUUID } from 'node:crypto';
import { removeOutdatedPiece } from '@inventory/db/requests/remove-outdated';
import { connect } from '@inventory/postgres/pool';
import { expect, onTestFinished, test } from 'vitest';
import { addressFor } from '../harness/as-part.ts';
import { age, isOf, refuse, requestOf, thereIs } from '../harness/queue/old-keys.ts';
import { createDatabase } from '../harness/servers/database.ts';
import { useService } from '../harness/service/service.ts';

const service = useService({ workers: 2 });
const waits = { interval: 200 };

/**
 * Starts a round, as if the last one had ended two hours ago, and waits for its end. The workers begin within
 * seconds; `help` does a piece of it at once.
 */
async function passRound(help: () => Promise<unknown> = async () => {}): Promise<void> {
  await service.sql`update retention_clock set reached = clock_timestamp()`;
  await service.sql`update retention set ended = clock_timestamp() - interval '2 hours'`;
  await expect
    .poll(async () => {
      await help();
      const [row] =
        await service.sql`select ended > clock_timestamp() - interval '1 hour' as over from retention`;
      return row!.over;
    }, waits)
    .toBe(true);
}

test('workers remove keys after 8 days and refused transactions after 9, never before its key, and keep applied ones', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const requests = new Map<string, { key: string; request: string }>();
  async function send(name: string, days: number, ask: (key: string) => Promise<unknown>) {
    const key = `${name}-${randomUUID()}`;
    await ask(key);
    requests.set(name, { key, request: await requestOf(service.sql, key) });
    await age(service.sql, key, days);
  }
  for (const days of [0, 6, 8, 10, 20])
    await send(`refused-${days}`, days, (key) => refuse(client, itemID, key));
  const receipt = { itemID, units: 1, wid: 1, reasonCode: 1 };
  const receive = (key: string) => client.post('/Inventory/Receive', receipt, { 'Idempotency-Key': key });
  await send('applied', 30, receive);
  await service.sql`
    insert into stock_transaction (request_id, status, at)
    select gen_random_uuid(), 'abandoned', clock_timestamp() - n * interval '1 day'
    from generate_series(1, 20) as n`;
  const kept = async () => {
    const found: Record<string, unknown> = {};
    for (const [name, { key, request }] of requests) found[name] = await thereIs(service.sql, key, request);
    return found;
  };
  const [both, requestOnly] = [
    { key: true, request: true },
    { key: false, request: true },
  ];
  const expected = { 'refused-0': both, 'refused-6': both, 'refused-8': requestOnly, applied: requestOnly };
  await service.sql.begin(async (tx) => {
    await tx`select from idempotency_key where key_digest = ${isOf(requests.get('refused-20')!.key)} for update`;
    await passRound();
    expect(await kept()).toEqual({ ...expected, 'refused-10': requestOnly, 'refused-20': both });
  });
  const worker = connect(addressFor('worker', service.databaseUrl), { name: 'tests', connectionsMax: 1 });
  onTestFinished(() => worker.end({ timeout: 1 }));
  await passRound(() => removeOutdatedPiece(worker, 8));
  const gone = { key: false, request: false };
  expect(await kept()).toEqual({ ...expected, 'refused-10': gone, 'refused-20': gone });
  const [abandoned] = await service.sql`
    select count(*)::integer as count from stock_transaction where status = 'abandoned'`;
  expect(abandoned).toEqual({ count: 8 });
  // A resend within its time is answered; one after it is a new request.
  for (const name of ['refused-0', 'refused-6']) {
    const again = await refuse(client, itemID, requests.get(name)!.key);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
  }
  const second = await receive(requests.get('applied')!.key);
  expect(second.headers.get('Idempotent-Replayed')).toBe(null);
  expect(second.status).toBe(201);
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
