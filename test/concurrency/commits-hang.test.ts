import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { watchStatusPage } from '../harness/pages/status-page-stream.ts';
import { type PostgresPair, startPostgresPair } from '../harness/servers/standby.ts';
import { untilAnswered } from '../harness/service/api-client.ts';
import { runCommand } from '../harness/service/command-line.ts';
import { expectInvariants } from '../harness/service/invariants.ts';
import { type OwnService, prepareDatabase, startOwnService } from '../harness/service/own-service.ts';
import { uniqueName } from '../harness/service/service.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

// Enough items that no request waits for another one's lock.
const itemIds = Array.from({ length: 300 }, (_, index) => `ITEM-${index}`);
const callerCount = 60;
const patient = { timeout: 60_000 };
let pair: PostgresPair;
let service: OwnService;
let env: Record<'DATABASE_URL' | 'REDIS_URL' | 'QUEUE_PREFIX', string>;

beforeAll(async () => {
  pair = await startPostgresPair({ prepare: (sql) => prepareDatabase(sql, itemIds), synchronous: true });
  env = {
    DATABASE_URL: pair.urlOf(pair.primary),
    REDIS_URL: inject('redisUrl'),
    QUEUE_PREFIX: uniqueName('hanging'),
  };
  service = await startOwnService({ apis: 1, workers: 1, env });
});
afterAll(async () => {
  await service?.stop();
  await pair?.stop();
});

/** The service's connections, by name. */
async function countConnections(): Promise<Record<string, number>> {
  const rows = await pair.primary.sql<{ name: string; count: number }[]>`
    select application_name as name, count(*)::integer as count from pg_stat_activity
    where application_name like 'inventory-%' group by 1`;
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

/** Failures that count as overload. */
async function countBusy(): Promise<number> {
  const { value } = await readMetrics(service.internalPorts[0]!);
  return value('inventory_api_failures_total{cause="busy"}')!;
}

test('503 while commits wait for an absent standby, without using up the connections of Postgres; then each is applied once', {
  timeout: 300_000,
}, async () => {
  const [client] = service.clients;
  const sent: { itemID: string; key: string }[] = [];
  const receive = ({ itemID, key }: { itemID: string; key: string }) =>
    client!.post(
      '/Inventory/Receive',
      { itemID, units: 1, wid: 1, reasonCode: 0 },
      { 'Idempotency-Key': key },
    );
  const sendNext = () => {
    const next = { itemID: itemIds[sent.length % itemIds.length]!, key: uniqueName('hang') };
    sent.push(next);
    return receive(next);
  };
  const first = await sendNext();
  expect(first.status).toBe(201);

  const replication = async () => {
    const { stdout } = await runCommand(['doctor', '--json'], asPart('operator', env));
    const checks = JSON.parse(stdout) as { id: string; state: string; found: string }[];
    return checks.find(({ id }) => id === 'replication');
  };
  const [names] = await pair.primary.sql`show synchronous_standby_names`;
  const setNames = async (to: string) => {
    await pair.primary.sql.unsafe(`alter system set synchronous_standby_names = '${to}'`);
    await pair.primary.sql`select pg_reload_conf()`;
  };
  expect(await replication()).toMatchObject({ state: 'ok' });
  await setNames('somebody_else');
  expect(await replication()).toMatchObject({
    state: 'fail',
    found: '1 attached, but none has acknowledged a commit: no write is answered',
  });
  await setNames(names!.synchronous_standby_names);
  expect((await untilAnswered(() => sendNext())).status).toBe(201);
  await pair.standby.kill();

  const statuses = new Set<number>();
  const call = async () => {
    while (sent.length < 3 * callerCount) statuses.add((await sendNext()).status);
  };
  await Promise.all(Array.from({ length: callerCount }, call));
  const page = await watchStatusPage(service.internalPorts[0]!);
  onTestFinished(() => page.close());
  await expect
    .poll(() => page.now()?.sentence, patient)
    .toMatch(/^Postgres waits for a standby that is away or too slow:/);
  const ready = await fetch(`http://127.0.0.1:${service.internalPorts[0]}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([200, expect.stringMatching(/^degraded: commits wait/)]);
  const { transactionNo } = first.body;
  const tried = await client!.post('/Inventory/Reverse', { transactionNo, dryRun: true });
  expect(tried.status, tried.text).toBe(200);
  // Writes of one item wait for the first one, and then for a connection.
  const busy = await countBusy();
  const write = () => client!.put('/Item', { shortID: itemIds.at(-1), description: 'hangs' });
  const writes = await Promise.all(Array.from({ length: 30 }, write));
  expect(writes.map(({ status }) => status)).toEqual(Array(30).fill(503));
  expect(await countBusy()).toBe(busy);
  expect(await replication()).toMatchObject({
    state: 'fail',
    found: 'no standby is attached, and synchronous_standby_names is set: no write is answered',
  });
  // Commits already on their way to the standby may still be answered.
  expect([...statuses].filter((status) => status !== 201)).toEqual([503]);
  const counts = await countConnections();
  // Four in service, eight that take long, eight left behind, and one that asks how many go on.
  expect(counts['inventory-verdict']).toBeLessThanOrEqual(21);
  expect(counts['inventory-items']).toBeLessThanOrEqual(21);
  // Two left behind; a pool of batches has three connections, and one for each batch it applies.
  for (const name of ['inventory-worker', 'inventory-counts']) expect(counts[name]).toBeLessThan(12);

  await pair.primary.sql`alter system reset synchronous_standby_names`;
  await pair.primary.sql`select pg_reload_conf()`;
  const answers = [await untilAnswered(() => receive(sent[0]!))];
  answers.push(...(await Promise.all(sent.map((each) => untilAnswered(() => receive(each))))));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  const [stock] = await pair.primary.sql`select sum(units)::integer as units from lot`;
  expect(stock!.units).toBe(sent.length);
  await expectInvariants(pair.primary.sql);
  // The connections that were left behind have gone, and nothing is held up.
  await expect.poll(() => page.now()?.sentence, patient).toBe('All is well.');
  const total = async () => Object.values(await countConnections()).reduce((sum, count) => sum + count, 0);
  await expect.poll(total, patient).toBeLessThan(25);
});
