import { postgresChecks } from '@inventory/admin/doctor/postgres-checks';
import { addSecret, endTokens, readManySecrets } from '@inventory/db/access/clients';
import { addEnvelopeKey } from '@inventory/db/access/envelope-keys';
import { deleteRetiredHalves } from '@inventory/db/access/signing-keys';
import { updateItem } from '@inventory/db/catalog/items';
import { itemPage } from '@inventory/db/lists/list-items';
import { lotPage } from '@inventory/db/lists/list-lots';
import { stockAtPage } from '@inventory/db/lists/list-stock-at';
import { stockLevelPage } from '@inventory/db/lists/list-stock-levels';
import { readNextModifiedSince } from '@inventory/db/lists/next-modified-since';
import { renameWarehouse } from '@inventory/db/operator/rename-warehouse';
import { correctTimes } from '@inventory/db/operator/stored-times';
import { removeOutdatedPiece } from '@inventory/db/requests/remove-outdated';
import { createRetentionClock } from '@inventory/db/requests/retention-clock';
import type { Page } from '@inventory/paging/page';
import type { Sql } from '@inventory/postgres/pool';
import { afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { useBatches } from '../harness/queue/batches.ts';
import { connectAs } from '../harness/servers/database.ts';
import { makeClockSettable } from '../harness/servers/settable-clock.ts';

const batches = useBatches();
let setAhead: (ahead: string) => Promise<void>;
beforeAll(async () => {
  setAhead = await makeClockSettable(batches.sql);
});
afterEach(async () => {
  await setAhead('0');
  await batches.sql`update retention_clock set reached = now()`;
});

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Removes what is outdated, as a worker does, until nothing is left to do. */
async function removeAll(worker: Sql): Promise<void> {
  while ((await removeOutdatedPiece(worker, 8)).goesOn);
}

async function countOf(table: string): Promise<number> {
  const [row] = await batches.sql.unsafe<[{ count: number }]>(
    `select count(*)::integer as count from ${table}`,
  );
  return row!.count;
}

test('nothing is removed by a clock that is 40 days ahead, and goes on being removed after it', async () => {
  const { sql, clientId } = batches;
  const worker = connectAs('worker', batches.url);
  const itemID = await batches.item();
  const key = (digest: string) => ({ digest, fingerprint: 'AAAA', askedAt: Date.now() });
  const options = (digest: string) => ({ key: key(digest), deadline: Number.MAX_SAFE_INTEGER });
  const requests = Array.from({ length: 20 }, (_, index) =>
    batches.request(
      'receive',
      { itemID, units: 1, wid: 1 },
      options(Buffer.from(`key ${index}`).toString('base64')),
    ),
  );
  await batches.worker().apply(requests);
  await sql`
    insert into stock_transaction (request_id, status, at) select gen_random_uuid(), 'abandoned', now() from generate_series(1, 3)`;
  await sql`insert into verifying_key (kid, public_jwk, signs_from, retired)
    values ('going', '{}', now() - interval '1 day', now() + interval '1 minute')`;
  await sql`insert into signing_key (kid, private_jwk) values ('going', '{}')`;
  const live = Buffer.alloc(32, 1);
  await addSecret(sql, clientId, live, { expires: new Date(Date.now() + 30 * dayMs), revokeOthers: true });
  const before = { keys: await countOf('idempotency_key'), rows: await countOf('stock_transaction') };
  expect(before.keys).toBe(20);

  for (const ahead of ['40 days', '2 hours', '-2 hours', '400 days']) {
    await setAhead(ahead);
    const move = createRetentionClock();
    await move(worker);
    await removeAll(worker);
    await deleteRetiredHalves(connectAs('api', batches.url));
    await addSecret(sql, clientId, Buffer.alloc(32, 2));
    await setAhead('0');
    await correctTimes(worker);
    await removeAll(worker);
    expect(
      { keys: await countOf('idempotency_key'), rows: await countOf('stock_transaction') },
      ahead,
    ).toEqual(before);
    expect(await countOf('signing_key'), ahead).toBe(1);
    const [secrets] = await readManySecrets(sql, [clientId]);
    expect(
      secrets!.digests.map((each) => Buffer.from(each)),
      ahead,
    ).toContainEqual(live);
    await addSecret(sql, clientId, live, { expires: new Date(Date.now() + 30 * dayMs), revokeOthers: true });
  }

  // Ten days that passed, and were seen to pass.
  await sql`update idempotency_key set asked_at = asked_at - interval '10 days'`;
  await sql`update retention set ended = now() - interval '2 hours'`;
  await removeAll(worker);
  expect(await countOf('idempotency_key')).toBe(0);
});

test('the time of retention goes on with the time that workers see pass, however many there are, and catches up a stop of ten days within six hours', async () => {
  const sql = connectAs('worker', batches.url);
  // Time passes here without waiting: on the workers' clocks, and on that of Postgres, which may be wrong.
  let passed = 0;
  const start = (await batches.sql<[{ at: Date }]>`select now() as at`)[0]!.at.getTime();
  await batches.sql`update retention_clock set reached = now()`;
  const setWrongBy = (errorMs: number) => setAhead(`${passed + errorMs} milliseconds`);
  const behindMs = async () => {
    const [row] = await batches.sql<[{ reached: Date }]>`select reached from retention_clock`;
    // The time that this test itself took counts as well.
    return passed - (row!.reached.getTime() - start);
  };
  let workers = Array.from({ length: 3 }, () => createRetentionClock(() => passed));
  const pass = async (minutes: number, errorMs: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      passed += minuteMs;
      await setWrongBy(errorMs);
      for (const move of workers) await move(sql);
    }
  };
  await setWrongBy(0);
  for (const move of workers) await move(sql);
  await pass(30, 0);
  expect(Math.abs(await behindMs())).toBeLessThan(2 * minuteMs);
  // The whole machine may be wrong for hours: nobody sees that time pass.
  await pass(60, 40 * dayMs);
  expect(await behindMs()).toBeGreaterThan(-10 * minuteMs);
  await pass(10, 0);
  expect(Math.abs(await behindMs())).toBeLessThan(10 * minuteMs);
  await pass(10, -2 * hourMs);
  await pass(10, 0);

  passed += 10 * dayMs;
  workers = Array.from({ length: 2 }, () => createRetentionClock(() => passed));
  await setWrongBy(0);
  for (const move of workers) await move(sql);
  // Not at once, because the clock may be wrong now.
  expect(await behindMs()).toBeGreaterThan(9 * dayMs);
  await pass(60, 0);
  expect(await behindMs()).toBeGreaterThan(7 * dayMs);
  await pass(5 * 60, 0);
  expect(await behindMs()).toBeLessThan(hourMs);
}, 600_000);

/** Each stored time that is compared with now, and how a wrong clock would have set it. */
const rules: Record<string, string> = {
  'retention.ended': "update retention set ended = now() + interval '40 days'",
  'retention.keys_until': "update retention set keys_until = now() + interval '33 days', next_page = 0",
  'audit_progress.due': "update audit_progress set due = now() + interval '40 days'",
  'audit_progress.pass_started': "update audit_progress set pass_started = now() + interval '40 days'",
  'audit_progress.pass_finished': "update audit_progress set pass_finished = now() + interval '40 days'",
  'audit_drift.last_seen': `insert into audit_drift (check_name, part_no, wid, rec_no, expected, found, first_seen, last_seen)
    values ('level', 1, 1, 0, 1, 1, now(), now() + interval '40 days')`,
  'backup_record.taken_at': `insert into backup_record (taken_at, server, made_by)
    values (now() + interval '40 days', 'here', 'tests'), (now() + interval '41 days', 'here', 'tests')`,
  'client.tokens_from': "update client set tokens_from = now() + interval '40 days'",
  'client_secret.created': "update client_secret set created = now() + interval '40 days'",
  'verifying_key.signs_from': `insert into verifying_key (kid, public_jwk, signs_from)
    values ('ahead', '{}', now() + interval '40 days')`,
  'verifying_key.retired': `insert into verifying_key (kid, public_jwk, signs_from, retired)
    values ('ends late', '{}', now(), now() + interval '40 days')`,
  'envelope_key.created': "insert into envelope_key (created) values (now() + interval '40 days')",
};

/** Stored times that no rule bounds, and why a wrong one stops nothing. */
const others: Record<string, readonly string[]> = {
  'told, and not compared with now': [
    'schema_version.applied database_identity.since database_identity.restored_to client.created former_client.removed',
    'verifying_key.created verifying_key.withdrawn signing_key.created warehouse.created item.created',
    'stock_transaction.at stock_transaction.captured_at stock_transaction.captured_at_corrected lot.shipped',
    'backup_record.noted audit_drift.first_seen webhook.created webhook_secret.created webhook_delivery.at',
    'corrected_time.latest corrected_time.corrected feed_place.since feed_place.refused',
    'reason_enforcement.since',
  ].flatMap((line) => line.split(' ')),
  'asked for by a caller or an operator, as far ahead as they like': ['lot.expires', 'client_secret.expires'],
  'the order of lots, not the time, decides which is taken': ['lot.received'],
  'moments of change, which never run backwards': [
    'stock_level.modified lot.modified item.modified item.described warehouse.renamed',
  ].flatMap((line) => line.split(' ')),
  'a key with a later time is kept longer; a later refusal is not believed (idempotency-keys.ts)': [
    'idempotency_key.asked_at',
    'idempotency_key.refused_at',
  ],
  'a change of scope in the future counts as known (client-cache.ts)': ['scope_change.at'],
  'what all rules are measured by; lowered by a worker': ['retention_clock.reached'],
  'of webhooks (0037)': [
    'webhook.disabled webhook.failing_since webhook.next_attempt webhook.leased_until webhook.test_asked',
    'webhook.last_attempt webhook_secret.ends',
  ].flatMap((line) => line.split(' ')),
};

test('each stored time has a rule, or a reason to have none', async () => {
  const stored = await batches.sql<{ place: string }[]>`
    select relname || '.' || attname as place
    from pg_attribute
    join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and atttypid = 'timestamptz'::regtype and not attisdropped
    order by 1`;
  const known = [...Object.keys(rules), ...Object.values(others).flat()];
  expect(
    stored.map(({ place }) => place).filter((place) => !known.includes(place) && !/^webhook/.test(place)),
  ).toEqual([]);
});

test.each(Object.entries(rules))(
  '%s in 40 days is told by doctor, set to now by a worker, and told for a day',
  async (place, set) => {
    const [worker, operator] = [connectAs('worker', batches.url), connectAs('operator', batches.url)];
    const look = async () => postgresChecks.find(({ id }) => id === 'stored-times')!.look(operator);
    await batches.sql`delete from corrected_time`;
    await batches.sql.unsafe(set);
    expect(await look()).toMatchObject({ state: 'warn', found: expect.stringContaining(place) });
    // A clock that is set back for a moment makes no right time look wrong.
    const corrected = await correctTimes(worker);
    expect(corrected.map((each) => each.place)).toContain(place);
    expect(await correctTimes(worker)).toEqual([]);
    expect(await look()).toMatchObject({
      state: 'warn',
      found: expect.stringMatching(new RegExp(`corrected.*${place}`)),
    });
    await setAhead('-2 hours');
    expect(await correctTimes(worker)).toEqual([]);
  },
);

test('the stock of a moment goes by the times in the ledger, also while a clock that was ahead has been set back', async () => {
  const { sql } = batches;
  const worker = batches.worker();
  const itemID = await batches.item();
  const receive = async (units: number) => {
    const deadline = Number.MAX_SAFE_INTEGER;
    const [outcome] = await worker.apply([
      batches.request('receive', { itemID, units, wid: 1 }, { deadline }),
    ]);
    expect(outcome!.status).toBe('applied');
  };
  const query = { page: 1, pageSize: 25, sort: undefined, direction: 'asc' as const };
  const [{ part_no: partNo, now }] = await sql<[{ part_no: number; now: Date }]>`
    select part_no, clock_timestamp() as now from item where short_id = ${itemID}`;
  const clocks = ['-3 days', '0', '2 hours', '1 day', '0', '-1 hour'];
  for (const [place, ahead] of clocks.entries()) {
    await setAhead(ahead);
    await receive(2 ** place);
  }
  const lines = await sql<{ at: Date; delta: string }[]>`
    select at, delta from stock_transaction join stock_entry using (transaction_no) where stock_transaction.part_no = ${partNo}`;
  expect(lines).toHaveLength(clocks.length);
  for (const hours of [-80, -71, -2, -0.5, 0.5, 1.5, 2.5, 23, 25]) {
    const time = new Date(now.getTime() + hours * hourMs);
    const reading = stockAtPage(query, [1], { time, partNo });
    const page = JSON.parse(`[${(await reading.read(sql)).records}]`) as { inStock: number }[];
    const before = lines.filter(({ at }) => at <= time);
    const sum = before.reduce((all, { delta }) => all + Number(delta), 0);
    expect({ hours, inStock: page[0]!.inStock }).toEqual({ hours, inStock: sum });
  }
});

test('doctor tells that changes have a later time, once a clock that was ahead has been set back', async () => {
  const look = () =>
    postgresChecks.find(({ id }) => id === 'stored-times')!.look(connectAs('operator', batches.url));
  await batches.sql`delete from corrected_time`;
  const [row] = await batches.sql<
    [{ floor: string }]
  >`select pg_sequence_last_value('change_floor_seq') as floor`;
  onTestFinished(async () => {
    await batches.sql`select setval('change_floor_seq', ${row!.floor})`;
  });
  expect(await look()).toMatchObject({ state: 'ok' });
  await setAhead('40 days');
  const told = await readNextModifiedSince(connectAs('api', batches.url));
  await setAhead('0');
  expect(await look()).toMatchObject({ state: 'warn', found: expect.stringContaining(told.toISOString()) });
  await setAhead('41 days');
  expect(await look()).toMatchObject({ state: 'ok' });
});

test('tokens that were ended while the clock was ahead do not hold back new ones, and a new key for envelopes signs', async () => {
  const { sql, clientId } = batches;
  await setAhead('40 days');
  await endTokens(sql, clientId);
  await setAhead('0');
  await correctTimes(connectAs('worker', batches.url));
  const [secrets] = await readManySecrets(sql, [clientId]);
  expect(secrets!.tokensFrom - Date.now() / 1000).toBeLessThan(60);
  await addEnvelopeKey(sql);
});

type Row = { [field: string]: unknown };

test('a mirror by modifiedSince equals the lists, however the clock of Postgres is set', async () => {
  const { sql } = batches;
  const worker = batches.worker();
  const reader = connectAs('api', batches.url);
  const itemID = await batches.item();
  const lists: { key: string; read: (since?: Date) => Promise<Page> }[] = [
    { key: 'recNo', read: (modifiedSince) => lotPage(queryOf(modifiedSince), [1, 2], {}).read(sql) },
    { key: 'partNo', read: (modifiedSince) => stockLevelPage(queryOf(modifiedSince), [1, 2]).read(sql) },
    {
      key: 'partNo',
      read: (modifiedSince) => itemPage(queryOf(modifiedSince), { discontinuedToo: true }).read(sql),
    },
  ];
  const mirrors = lists.map(() => new Map<unknown, Row>());
  const rowsOf = async (list: (typeof lists)[number], since?: Date) =>
    JSON.parse(`[${(await list.read(since)).records}]`) as Row[];
  const queryOf = (modifiedSince?: Date) =>
    ({ page: 1, pageSize: 250, sort: undefined, direction: 'asc', modifiedSince }) as const;
  let since: Date | undefined;
  const sync = async () => {
    // Without the margin, which would hide the error that this looks for.
    const next = await readNextModifiedSince(reader, { margin: 0 });
    for (const [index, list] of lists.entries())
      for (const row of await rowsOf(list, since)) mirrors[index]!.set(row[list.key], row);
    since = next;
  };
  let lots = 0;
  const change = async (name: string) => {
    const deadline = Number.MAX_SAFE_INTEGER;
    const [outcome] = await worker.apply([
      batches.request('receive', { itemID, units: 2, wid: 1 }, { deadline }),
      batches.request('issue', { itemID, units: 1, wid: 1 }, { deadline }),
    ]);
    expect(outcome!.status).toBe('applied');
    lots += 1;
    await updateItem(sql, itemID, { description: name });
    if (lots === 3) await renameWarehouse(sql, { wid: 1, name });
  };
  for (const ahead of ['0', '-2 hours', '0', '2 hours', '0', '-1 minute', '40 days', '0', '-2 hours', '0']) {
    await setAhead(ahead);
    await change(`before ${ahead} ${lots}`);
    await sync();
    await change(`after ${ahead} ${lots}`);
    // Lots are received, and expire, by the clock, even while moments are ahead of it.
    const [latest] = await sql<[{ apart: number }]>`
      select abs(extract(epoch from received - clock_timestamp()))::float8 as apart from lot order by rec_no desc limit 1`;
    expect(latest!.apart, ahead).toBeLessThan(60);
  }
  await sync();
  for (const [index, list] of lists.entries()) {
    const byKey = (one: Row, other: Row) => Number(one[list.key]) - Number(other[list.key]);
    expect([...mirrors[index]!.values()].sort(byKey)).toEqual((await rowsOf(list)).sort(byKey));
  }
  expect(lots).toBe(20);
});

test('the times of a gate keep the order of its ledger when the clock is set back a little', async () => {
  const { sql } = batches;
  const worker = batches.worker();
  const itemID = await batches.item();
  const apply = async (kind: 'receive' | 'issue', ahead: string) => {
    await setAhead(ahead);
    const deadline = Number.MAX_SAFE_INTEGER;
    const [outcome] = await worker.apply([
      batches.request(kind, { itemID, units: 10, wid: 1 }, { deadline }),
    ]);
    expect(outcome!.status).toBe('applied');
  };
  // Ahead of all that lists have told.
  await apply('receive', '100 days');
  await apply('issue', '99 days 23:59:50');
  await apply('receive', '99 days 23:59:30');
  // Too far back: a gate does not keep a wrong time for so long.
  await apply('issue', '90 days');
  const rows = await sql<{ at: Date }[]>`
    select at
    from stock_transaction
    join item using (part_no)
    where short_id = ${itemID}
    order by transaction_no`;
  const [first, second, third, last] = rows.map(({ at }) => at.getTime());
  expect([second, third]).toEqual([first, first]);
  expect(last! - first!).toBeLessThan(-9 * dayMs);
});
