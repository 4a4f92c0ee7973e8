import { randomUUID } from 'node:crypto';
import { startServer } from '@inventory/api/server';
import { applyBatch } from '@inventory/db/batch/apply-batch';
import { createBatchPool } from '@inventory/db/batch/batch-pool';
import { createPartNumbers } from '@inventory/db/batch/gates';
import { createItem, drawPartNo, hasItemFields, readCreated, updateItem } from '@inventory/db/catalog/items';
import { readScope } from '@inventory/db/catalog/warehouses';
import { readChanges } from '@inventory/db/changes/read-changes';
import { readFeedPosition } from '@inventory/db/changes/read-position';
import type { SentRequest } from '@inventory/db/requests/idempotency-keys';
import { readOutcomes, settle } from '@inventory/db/requests/settle';
import type { SingleRequest } from '@inventory/domain/kinds/kinds';
import type { Queued } from '@inventory/domain/request';
import { mayBeApplied } from '@inventory/postgres/lost-answer';
import { connect, isOutage, type Sql } from '@inventory/postgres/pool';
import { createLog } from '@inventory/process/log/log';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { watchStatusPage } from '../harness/pages/status-page-stream.ts';
import { type PostgresPair, startPostgresPair } from '../harness/servers/standby.ts';
import {
  type ApiAnswer,
  type ApiClient,
  createApiClient,
  untilAnswered,
} from '../harness/service/api-client.ts';
import { examine } from '../harness/service/doctor.ts';
import { expectInvariants } from '../harness/service/invariants.ts';
import { prepareDatabase, startOwnService } from '../harness/service/own-service.ts';
import { uniqueName } from '../harness/service/service.ts';
import { type Operation, receiveOf } from '../harness/stock/operations.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

// Enough items that no request waits for another one's lock.
const manyItems = Array.from({ length: 300 }, (_, index) => `ITEM-${index}`);
const lookedUp = 'LOOKED-UP';
const ownItems = ['SINGLE', 'ATOMIC', 'OWN', 'LARGE', 'CHANGED', 'ENDED', 'KEYLESS'];
let pair: PostgresPair;

beforeAll(async () => {
  const itemIds = [...manyItems, lookedUp, ...ownItems];
  pair = await startPostgresPair({ prepare: (sql) => prepareDatabase(sql, itemIds), synchronous: true });
});
beforeEach(() => pair.mend());
afterAll(() => pair?.stop());

test('503 while commits wait for an absent standby, without using up the connections of Postgres; then each is applied once', async () => {
  const callerCount = 60;
  const env = {
    DATABASE_URL: pair.urlOf(pair.primary),
    REDIS_URL: inject('redisUrl'),
    QUEUE_PREFIX: uniqueName('hanging'),
  };
  const service = await startOwnService({ apis: 1, workers: 1, env });
  onTestFinished(service.stop);
  const [client] = service.clients;
  const { sql } = pair.primary;
  const sent: { itemID: string; key: string }[] = [];
  const receive = ({ itemID, key }: { itemID: string; key: string }) =>
    client!.post(
      '/Inventory/Receive',
      { itemID, units: 1, wid: 1, reasonCode: 0 },
      { 'Idempotency-Key': key },
    );
  const sendNext = () => {
    const next = { itemID: manyItems[sent.length % manyItems.length]!, key: uniqueName('hang') };
    sent.push(next);
    return receive(next);
  };
  /** The service's connections, by name. */
  const countConnections = async (): Promise<Record<string, number>> => {
    const rows = await sql<{ name: string; count: number }[]>`
      select application_name as name, count(*)::integer as count from pg_stat_activity
      where application_name like 'inventory-%' group by 1`;
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  };
  /** Failures that count as overload. */
  const countBusy = async () =>
    (await readMetrics(service.internalPorts[0]!)).value('inventory_api_failures_total{cause="busy"}');
  const replication = async () => (await examine(asPart('operator', env))).checks.replication;
  const setNames = async (to: string) => {
    await sql.unsafe(`alter system set synchronous_standby_names = '${to}'`);
    await sql`select pg_reload_conf()`;
  };

  const first = await sendNext();
  expect(first.status).toBe(201);
  const cursorNow = async (of: ApiClient) => {
    const { status, body } = await of.get('/Me');
    expect(status).toBe(200);
    return body.cursor as string;
  };
  const told = await cursorNow(client!);
  expect(await replication()).toMatchObject({ state: 'ok' });
  await setNames('somebody_else');
  expect(await replication()).toMatchObject({
    state: 'fail',
    found: '1 attached, but none has acknowledged a commit: no write is answered',
  });
  await pair.awaitStandby(true);
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
    .poll(() => page.now()?.sentence)
    .toMatch(/^Postgres waits for a standby that is away or too slow:/);
  const ready = await fetch(`http://127.0.0.1:${service.internalPorts[0]}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([200, expect.stringMatching(/^degraded: commits wait/)]);
  const { transactionNo } = first.body;
  const tried = await client!.post('/Inventory/Reverse', { transactionNo, dryRun: true });
  expect(tried.status, tried.text).toBe(200);
  // Changes since the last position that a standby had are not told, and nothing fails or waits for them.
  expect(await cursorNow(client!)).toBe(told);
  expect((await client!.get(`/Changes?after=${told}&wait=1`)).body).toMatchObject({
    value: [],
    nextCursor: told,
  });
  const fresh = await startServer(asPart('api', { ...env, PORT: '0', INTERNAL_PORT: '0' }), createLog('api'));
  onTestFinished(fresh.stop);
  const { clientId, token } = client!;
  const newcomer = createApiClient(`http://127.0.0.1:${fresh.port}/api/v1`, clientId, token);
  const beginning = await cursorNow(newcomer);
  // Writes of one item wait for the first one, and then for a connection.
  const busy = await countBusy();
  const write = () => client!.put('/Item', { shortID: manyItems.at(-1), description: 'hangs' });
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
  expect(counts['inventory-feed-position']).toBeLessThanOrEqual(6);
  for (const name of ['inventory-worker', 'inventory-counts']) expect(counts[name]).toBeLessThan(12);

  await pair.awaitStandby(false);
  const answers = [await untilAnswered(() => receive(sent[0]!))];
  answers.push(...(await Promise.all(sent.map((each) => untilAnswered(() => receive(each))))));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  const [stock] = await sql`select sum(units)::integer as units from lot`;
  expect(stock!.units).toBe(sent.length);
  await expectInvariants(sql);
  for (const [of, after] of [
    [client!, told],
    [newcomer, beginning],
  ] as const) {
    const read = async () => {
      const { body } = await of.get(`/Changes?after=${after}&limit=1000`);
      return body.value?.filter(({ type }: { type: string }) => type === 'stock').length;
    };
    await expect.poll(read).toBe(sent.length - (of === newcomer ? 0 : 1));
  }
  // The connections that were left behind have gone, and nothing is held up.
  await expect.poll(() => page.now()?.sentence).toBe('All is well.');
  const total = async () => Object.values(await countConnections()).reduce((sum, count) => sum + count, 0);
  // As many as the pools may keep, and none that was left behind.
  await expect.poll(total).toBeLessThan(32);
});

describe('a look-up or read-back', () => {
  function receipt(itemID: string): Queued<SingleRequest> {
    const digest = Buffer.from(randomUUID().repeat(2)).subarray(0, 32).toString('base64');
    return {
      kind: 'receive',
      body: { itemID, units: 1, wid: 1, reasonCode: 0 },
      requestId: randomUUID(),
      clientId: 'everything',
      deadline: Date.now() + 3_600_000,
      key: { digest, fingerprint: digest, askedAt: Date.now() },
    };
  }
  const page = { wids: [1], after: 0, until: 2 ** 40, limit: 1 };
  const keyless = ({ key: _, ...request }: Queued<SingleRequest>) => request;
  const again = (request: Queued<SingleRequest>) => ({ ...request, requestId: randomUUID() });

  /** Runs `work` on its own connection, which its name identifies. */
  async function inPool<T>(work: (sql: Sql) => Promise<T>, name = 'tests'): Promise<T> {
    const sql = connect(pair.urlOf(pair.primary), { name, connectionsMax: 1, byKeys: true });
    try {
      return await work(sql);
    } finally {
      await sql.end({ timeout: 0 });
    }
  }

  async function decide(sql: Sql, requests: readonly Queued<SingleRequest>[]) {
    const pool = createBatchPool(sql);
    await applyBatch(pool, requests, createPartNumbers()).finally(() => pool.end({ timeout: 0 }));
  }

  /** Loses the standby, then writes what everybody sees and no standby has. */
  async function writeWithoutStandby() {
    await pair.standby.kill();
    await pair.awaitStandby(false);
    const [applied, refused] = [receipt(lookedUp), receipt('NO-SUCH-ITEM')];
    const abandoned: SentRequest[] = [receipt(lookedUp), keyless(receipt(lookedUp))];
    const shortId = uniqueName('CREATED');
    await inPool((sql) => decide(sql, [applied, refused]));
    await inPool((sql) => settle(sql, abandoned));
    const partNo = await inPool(drawPartNo);
    await inPool((sql) => createItem(sql, partNo, shortId, {}, 'tests'));
    await pair.awaitStandby(true);
    return { applied, refused, abandoned, partNo, shortId };
  }

  test('writes nothing when no standby is synchronous, or nothing is found', async () => {
    const { applied, partNo, shortId } = await writeWithoutStandby();
    const writes = (work: (sql: Sql) => Promise<unknown>) =>
      inPool((sql) =>
        sql.begin(async (tx) => {
          await work(tx as never);
          const [row] = await tx`select pg_current_xact_id_if_assigned() is not null as writes`;
          return row!.writes as boolean;
        }),
      );
    const finding = [
      (sql: Sql) => readOutcomes(sql, [keyless(applied)]),
      (sql: Sql) => readOutcomes(sql, [again(applied)]),
      (sql: Sql) => readCreated(sql, partNo),
      (sql: Sql) => hasItemFields(sql, shortId, {}),
      (sql: Sql) => readFeedPosition(sql, 0),
      (sql: Sql) => readChanges(sql, page),
      (sql: Sql) => readScope(sql, [1]),
    ];
    const findingNothing = [
      (sql: Sql) => readOutcomes(sql, [receipt(lookedUp), keyless(receipt(lookedUp))]),
      (sql: Sql) => readCreated(sql, partNo + 1),
      (sql: Sql) => hasItemFields(sql, shortId, { description: 'another' }),
      // A position that has not moved.
      (sql: Sql) => readFeedPosition(sql, 2 ** 40),
    ];
    for (const work of findingNothing) expect(await writes(work)).toBe(false);
    await pair.awaitStandby(false);
    for (const work of [...finding, ...findingNothing]) expect(await writes(work)).toBe(false);
  });

  test('does not answer while no standby has the write, not even when its wait is cancelled', async () => {
    const { applied, refused, abandoned, partNo, shortId } = await writeWithoutStandby();
    /** Every way to report what another connection wrote. */
    const ways: ((sql: Sql) => Promise<unknown>)[] = [
      (sql) => readOutcomes(sql, [keyless(applied)]),
      (sql) => readOutcomes(sql, [again(applied)]),
      (sql) => readOutcomes(sql, abandoned),
      (sql) => settle(sql, [keyless(applied)]),
      (sql) => settle(sql, [again(refused)]),
      (sql) => settle(sql, [abandoned[1]!]),
      (sql) => decide(sql, [applied]),
      // This batch locks nothing.
      (sql) => decide(sql, [refused, again(refused)]),
      (sql) => readCreated(sql, partNo),
      (sql) => hasItemFields(sql, shortId, { discontinued: false }),
      (sql) => readFeedPosition(sql, 0),
      (sql) => readChanges(sql, page),
      (sql) => readScope(sql, [1]),
      // Changes nothing.
      (sql) => updateItem(sql, shortId, { discontinued: false }),
    ];
    /** Begins them all; resolves when each of them waits for the standby. */
    const beginAll = async () => {
      const names = ways.map(() => uniqueName('way')).sort();
      const settled = Promise.allSettled(ways.map((tell, index) => inPool(tell, names[index])));
      const waiting = async () => {
        const rows = await pair.primary.sql<{ name: string }[]>`
          select distinct application_name as name from pg_stat_activity
          where wait_event = 'SyncRep' and application_name = any(${names}::text[])`;
        return rows.map(({ name }) => name).sort();
      };
      await expect.poll(waiting).toEqual(names);
      return { names, settled };
    };

    const cancelled = await beginAll();
    await pair.primary.sql`
      select pg_cancel_backend(pid) from pg_stat_activity
      where application_name = any(${cancelled.names}::text[]) and wait_event = 'SyncRep'`;
    const errors = (await cancelled.settled).map((each) => (each.status === 'rejected' ? each.reason : null));
    expect(errors.map((error) => error?.code)).toEqual(ways.map(() => 'COMMIT_UNWAITED'));
    expect(errors.every((error) => isOutage(error) && mayBeApplied(error))).toBe(true);

    const { settled } = await beginAll();
    await pair.standby.startAgain();
    expect((await settled).map(({ status }) => status)).toEqual(ways.map(() => 'fulfilled'));
    // A server that is itself a standby, and would wait for others, refuses this like any write.
    const { sql } = pair.standby;
    await sql`alter system set synchronous_standby_names = 'another'`;
    await sql`select pg_reload_conf()`;
    const refusal = () => readOutcomes(sql, [applied]).catch(({ code }) => code);
    await expect.poll(refusal).toBe('25006');
    await sql`alter system reset synchronous_standby_names`;
    await sql`select pg_reload_conf()`;
  });
});

describe('answers', () => {
  // With this many lots of one unit, an answer that lists them all is large.
  const lots = 200;
  type Send = (client: ApiClient) => Promise<ApiAnswer>;

  const call = (path: string, reference: string, body: object, key?: string): Send => {
    const whole = { wid: 1, units: 1, reasonCode: 0, reference, ...body };
    return (client) => client.post(path, whole, key === undefined ? {} : { 'Idempotency-Key': key });
  };
  const batch = (mode: 'each' | 'atomic', operations: Operation[], key?: string): Send => {
    const headers = key === undefined ? {} : { 'Idempotency-Key': key };
    return (client) => client.post('/Inventory/Batch', { mode, operations }, headers);
  };
  const receipts = (itemID: string, keyed = false) =>
    ['1', '2'].map((place) => {
      const reference = `${itemID}-${place}`;
      return receiveOf(itemID, 1, { reference, ...(keyed && { key: reference }) });
    });

  /** Requests that are answered again when sent again, with the rows each leaves in the ledger. */
  const resent: Record<string, Send> = {
    SINGLE: call('/Inventory/Receive', 'SINGLE', { itemID: 'SINGLE' }, 'single'),
    LARGE: call('/Inventory/Issue', 'LARGE', { itemID: 'LARGE', units: lots }, 'large'),
    'ATOMIC-1': batch('atomic', receipts('ATOMIC'), 'atomic'),
    'OWN-1': batch('each', receipts('OWN', true)),
    'OWN-2': batch('atomic', receipts('OWN', true).reverse()),
  };
  /** Requests that change nothing when sent again. */
  const unchanged: Send[] = [
    (client) => client.put('/Item', { shortID: 'CHANGED', description: 'as sent' }),
    (client) => client.delete('/Item/ENDED'),
  ];
  /** Requests that are looked up when their answer is lost. */
  const looked: Send[] = [
    call('/Inventory/Receive', 'KEYLESS', { itemID: 'KEYLESS' }),
    (client) => client.post('/Item', { shortID: 'CREATED', description: 'as sent' }),
    (client) => client.put('/Item', { shortID: 'KEYLESS', description: 'as sent' }),
  ];
  const repeated = [...Object.values(resent), ...unchanged];

  /** The answers that claim something was done. */
  function yesesAmong(answers: readonly ApiAnswer[]): string[] {
    const isYes = ({ status, body }: ApiAnswer) =>
      status < 300 && (body.results?.some((each: { statusCode: number }) => each.statusCode < 300) ?? true);
    return answers.filter(isYes).map(({ text }) => text.slice(0, 200));
  }

  async function countWaiting(): Promise<number> {
    const [row] = await pair.primary.sql<{ count: number }[]>`
      select count(*)::integer as count from pg_stat_activity where wait_event = 'SyncRep'`;
    return row!.count;
  }

  const references = async ({ sql }: PostgresPair['primary']) =>
    (await sql`select body->>'reference' as reference from stock_transaction where status = 'applied'`).map(
      ({ reference }) => reference as string,
    );

  test('503 for a look-up, read-back or resend of anything no standby has; after the primary is lost, every 2xx still holds', async () => {
    // The standby first: a process that starts finds the primary behind it.
    const DATABASE_URL = pair.urlOf(pair.standby, pair.primary);
    const service = await startOwnService({ apis: 1, workers: 1, env: { DATABASE_URL } });
    onTestFinished(service.stop);
    const client = service.clients[0]!;
    const sendAll = (sends: readonly Send[]) => Promise.all(sends.map((send) => send(client)));
    const stock = Array.from({ length: lots }, () => receiveOf('LARGE', 1));
    expect((await untilAnswered(() => batch('each', stock)(client))).status).toBe(200);

    await pair.standby.kill();
    // These commits no longer wait for a standby, as after a restart that ended their wait.
    await pair.awaitStandby(false);
    for (const send of repeated)
      expect(yesesAmong([await untilAnswered(() => send(client))])).toHaveLength(1);
    await pair.awaitStandby(true);
    expect(yesesAmong(await sendAll(repeated))).toEqual([]);
    const waiting = await countWaiting();
    const underWay = meanwhile(sendAll(looked));
    await expect.poll(countWaiting).toBeGreaterThan(waiting);
    await pair.primary.kill();
    await pair.primary.startAgain();
    expect(yesesAmong(await underWay)).toEqual([]);
    // The write is on the primary, where everybody sees it.
    expect(await references(pair.primary)).toEqual(expect.arrayContaining(Object.keys(resent)));
    expect(yesesAmong(await sendAll(repeated))).toEqual([]);

    await pair.standby.startAgain();
    for (const send of repeated) {
      const isAnswered = async () => yesesAmong([await send(client)]).length === 1;
      await expect.poll(isAnswered).toBe(true);
    }
    await pair.primary.kill();
    await pair.standby.promote();
    expect(await references(pair.standby)).toEqual(expect.arrayContaining(Object.keys(resent)));
    const [changed] = await pair.standby.sql`select description from item where short_id = 'CHANGED'`;
    const [ended] = await pair.standby.sql`select discontinued from item where short_id = 'ENDED'`;
    expect({ ...changed, ...ended }).toEqual({ description: 'as sent', discontinued: true });
    await expectInvariants(pair.standby.sql);
  });
});
