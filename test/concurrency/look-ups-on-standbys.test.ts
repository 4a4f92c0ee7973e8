import { randomUUID } from 'node:crypto';
import { applyBatch } from '@inventory/db/batch/apply-batch';
import { createBatchPool } from '@inventory/db/batch/batch-pool';
import { createPartNumbers } from '@inventory/db/batch/gates';
import { createItem, drawPartNo, hasItemFields, readCreated, updateItem } from '@inventory/db/catalog/items';
import { readFeedPosition } from '@inventory/db/changes/read-position';
import { mayBeApplied } from '@inventory/db/postgres/lost-answer';
import { connect, isOutage, type Sql } from '@inventory/db/postgres/pool';
import type { SentRequest } from '@inventory/db/requests/idempotency-keys';
import { readOutcomes, settle } from '@inventory/db/requests/settle';
import type { Queued, SingleRequest } from '@inventory/domain/stock/request';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresPair, startPostgresPair } from '../harness/servers/standby.ts';
import { prepareDatabase } from '../harness/service/own-service.ts';
import { uniqueName } from '../harness/service/service.ts';

const patient = { timeout: 120_000 };
const itemID = 'ITEM';
let pair: PostgresPair;
/** When a test begins, all of these are visible to everybody and on no standby. */
let applied: Queued<SingleRequest>;
let refused: Queued<SingleRequest>;
let abandoned: SentRequest[];
let partNo: number;

beforeAll(async () => {
  pair = await startPostgresPair({ prepare: (sql) => prepareDatabase(sql, [itemID]), synchronous: true });
  await pair.standby.kill();
  await pair.awaitStandby(false);
  applied = receipt(itemID);
  refused = receipt('NO-SUCH-ITEM');
  abandoned = [receipt(itemID), { ...receipt(itemID), key: undefined! }].map(({ key, ...request }) =>
    key === undefined ? request : { ...request, key },
  );
  await inPool((sql) => decide(sql, [applied, refused]));
  await inPool((sql) => settle(sql, abandoned));
  partNo = await inPool(drawPartNo);
  await inPool((sql) => createItem(sql, partNo, 'CREATED', {}, 'tests'));
  await pair.awaitStandby(true);
});
afterAll(async () => {
  await pair?.stop();
});

function receipt(item: string): Queued<SingleRequest> {
  const digest = Buffer.from(randomUUID().repeat(2)).subarray(0, 32).toString('base64');
  return {
    kind: 'receive',
    body: { itemID: item, units: 1, wid: 1, reasonCode: 0 },
    requestId: randomUUID(),
    clientId: 'everything',
    deadline: Date.now() + 3_600_000,
    key: { digest, fingerprint: digest, askedAt: Date.now() },
  };
}

async function decide(sql: Sql, requests: readonly Queued<SingleRequest>[]) {
  const pool = createBatchPool(sql);
  const outcomes = await applyBatch(pool, requests, createPartNumbers()).finally(() =>
    pool.end({ timeout: 0 }),
  );
  return requests.map(({ requestId }) => outcomes.get(requestId));
}

/** Runs `work` on its own connection, which its name identifies. */
async function inPool<T>(work: (sql: Sql) => Promise<T>, name = 'tests'): Promise<T> {
  const sql = connect(pair.urlOf(pair.primary), { name, connectionsMax: 1, byKeys: true });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 0 });
  }
}

const first = async (found: Promise<Map<string, unknown>>) => [...(await found).values()][0];
const keyless = ({ key: _, ...request }: Queued<SingleRequest>) => request;
const again = (request: Queued<SingleRequest>) => ({ ...request, requestId: randomUUID() });

/** Every way to report what another connection wrote, and what each reports. */
const ways: Record<string, { tell: (sql: Sql) => Promise<unknown>; told: unknown }> = {
  'a look-up by request': {
    tell: (sql) => first(readOutcomes(sql, [keyless(applied)])),
    told: expect.objectContaining({ status: 'applied' }),
  },
  'a look-up by key': {
    tell: (sql) => first(readOutcomes(sql, [again(applied)])),
    told: expect.objectContaining({ status: 'applied', isRepeat: true }),
  },
  'a look-up of abandoned requests': {
    tell: async (sql) => (await readOutcomes(sql, abandoned)).size,
    told: 2,
  },
  'a verdict on a decided request': {
    tell: (sql) => first(settle(sql, [keyless(applied)])),
    told: expect.objectContaining({ status: 'applied' }),
  },
  'a verdict on a decided key': {
    tell: (sql) => first(settle(sql, [again(refused)])),
    told: expect.objectContaining({ status: 'refused' }),
  },
  'a verdict on a request given up': {
    tell: (sql) => first(settle(sql, [abandoned[1]!])),
    told: { status: 'abandoned', result: null },
  },
  'a batch of decided requests': {
    tell: (sql) => decide(sql, [applied]),
    told: [expect.objectContaining({ status: 'applied' })],
  },
  'a batch that locks nothing': {
    tell: (sql) => decide(sql, [refused, again(refused)]),
    told: [expect.objectContaining({ status: 'refused' }), expect.objectContaining({ isRepeat: true })],
  },
  'the read-back of a creation': {
    tell: (sql) => readCreated(sql, partNo),
    told: expect.stringContaining('"CREATED"'),
  },
  'the read-back of a change': {
    tell: (sql) => hasItemFields(sql, 'CREATED', { discontinued: false }),
    told: true,
  },
  'the position of the change feed': {
    tell: async (sql) => (await readFeedPosition(sql, 0)).knownNo > 0,
    told: true,
  },
  'a change that changes nothing': {
    tell: (sql) => updateItem(sql, 'CREATED', { discontinued: false }),
    told: true,
  },
};

/** The connections of these names that wait for the standby. */
async function waitingAmong(names: readonly string[]): Promise<string[]> {
  const rows = await pair.primary.sql<{ name: string }[]>`
    select distinct application_name as name from pg_stat_activity
    where wait_event = 'SyncRep' and application_name = any(${names as string[]}::text[])`;
  return rows.map(({ name }) => name).sort();
}

function beginAll() {
  const names: string[] = [];
  const tellings = Object.values(ways).map(({ tell }) => {
    names.push(uniqueName('way'));
    return inPool(tell, names.at(-1));
  });
  const settled = Promise.allSettled(tellings);
  return { names: names.toSorted(), settled };
}

test('a look-up writes nothing when no standby is synchronous, or nothing is found', async () => {
  const writes = (work: (sql: Sql) => Promise<unknown>) =>
    inPool((sql) =>
      sql.begin(async (tx) => {
        await work(tx as never);
        const [row] = await tx`select pg_current_xact_id_if_assigned() is not null as writes`;
        return row!.writes as boolean;
      }),
    );
  const unknown = receipt(itemID);
  const finding = [
    (sql: Sql) => readOutcomes(sql, [keyless(applied)]),
    (sql: Sql) => readOutcomes(sql, [again(applied)]),
    (sql: Sql) => readCreated(sql, partNo),
    (sql: Sql) => hasItemFields(sql, 'CREATED', {}),
    (sql: Sql) => readFeedPosition(sql, 0),
  ];
  const findingNothing = [
    (sql: Sql) => readOutcomes(sql, [unknown, keyless(receipt(itemID))]),
    (sql: Sql) => readCreated(sql, partNo + 1),
    (sql: Sql) => hasItemFields(sql, 'CREATED', { description: 'another' }),
    // A position that has not moved.
    (sql: Sql) => readFeedPosition(sql, 2 ** 40),
  ];
  for (const work of findingNothing) expect(await writes(work)).toBe(false);
  await pair.awaitStandby(false);
  for (const work of [...finding, ...findingNothing]) expect(await writes(work)).toBe(false);
  await pair.awaitStandby(true);
});

test('no look-up or read-back answers while no standby has the write, not even when its wait is cancelled', {
  timeout: 300_000,
}, async () => {
  const cancelled = beginAll();
  await expect.poll(() => waitingAmong(cancelled.names), patient).toEqual(cancelled.names);
  await pair.primary.sql`
    select pg_cancel_backend(pid) from pg_stat_activity
    where application_name = any(${cancelled.names}::text[]) and wait_event = 'SyncRep'`;
  const errors = (await cancelled.settled).map((each) => (each.status === 'rejected' ? each.reason : null));
  expect(errors.map((error) => error?.code)).toEqual(errors.map(() => 'COMMIT_UNWAITED'));
  expect(errors.every((error) => isOutage(error) && mayBeApplied(error))).toBe(true);

  const { names, settled } = beginAll();
  await expect.poll(() => waitingAmong(names), patient).toEqual(names);
  await pair.standby.startAgain();
  const told = (await settled).map((each) => (each.status === 'fulfilled' ? each.value : each.reason));
  expect(told).toEqual(Object.values(ways).map((way) => way.told));
  // A server that is itself a standby, and would wait for others, refuses this like any write.
  const { sql } = pair.standby;
  const setNames = async (names: string) => {
    await sql.unsafe(`alter system set synchronous_standby_names = '${names}'`);
    await sql`select pg_reload_conf()`;
  };
  await setNames('another');
  const refusal = () => readOutcomes(sql, [applied]).catch(({ code }) => code);
  await expect.poll(refusal, patient).toBe('25006');
  await setNames('');
  // The answers carry the position they waited for.
  await pair.primary.kill();
  await pair.standby.promote();
  const [there] = await pair.standby.sql`
    select (select count(*)::integer from stock_transaction) as decided,
      (select count(*)::integer from item where part_no = ${partNo}) as created`;
  expect(there).toEqual({ decided: 3, created: 1 });
});
