import { startServer } from '@inventory/api/server';
import { findImbalances } from '@inventory/db/audit/audit';
import { type AuditSlice, auditSlice, listDrift } from '@inventory/db/audit/audit-slice';
import { compareLevels } from '@inventory/db/audit/compare-stock';
import { holdLot } from '@inventory/db/operator/holds';
import { connect, type Sql } from '@inventory/postgres/pool';
import { createLog } from '@inventory/process/log/log';
import { startAuditKeeper } from '@inventory/worker/audit-keeper';
import { startWorker } from '@inventory/worker/worker';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { addressFor, asPart } from '../harness/as-part.ts';
import { watchStatusPage } from '../harness/pages/status-page-stream.ts';
import { connectAs } from '../harness/servers/database.ts';
import { examinePostgres } from '../harness/service/doctor.ts';
import { startProcess } from '../harness/service/processes.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { logLinesOf } from '../harness/watch/log-lines.ts';
import { readMetrics } from '../harness/watch/metrics.ts';
import { countRowsRead } from '../harness/watch/rows-read.ts';

// Its workers audit nothing: each test has its own auditing worker.
const service = useService({ workers: 2, env: { BACKGROUND_AUDIT: 'off' } });
/** Connects as a worker does. */
let sql: Sql;
const quickly = { rowsMax: 3, partOfTime: 1e9, restMs: 0 };

beforeAll(() => {
  sql = connect(addressFor('worker', service.databaseUrl), { name: 'tests', connectionsMax: 2 });
});
afterAll(() => sql?.end());

const passStarted = async () => {
  const [row] = await service.sql<{ started: string }[]>`
    select pass_started::text as started from audit_progress`;
  return row!.started;
};

/** Waits until the current pass has ended. */
async function endPass(
  onSlice: (slice: AuditSlice) => void = () => {},
  rowsMax = quickly.rowsMax,
): Promise<void> {
  for (const begun = await passStarted(); begun === (await passStarted()); ) {
    onSlice(await auditSlice(sql, { ...quickly, rowsMax }));
  }
}

/** The new findings of a whole pass. */
async function fullPass(): Promise<AuditSlice['found']> {
  const found: AuditSlice['found'] = [];
  const note = (slice: AuditSlice) => void found.push(...slice.found);
  await endPass(note);
  await endPass(note);
  return found;
}

/** Lots of several items in two warehouses, some of them moved, issued and held. */
async function fill(items = 7): Promise<{ partNo: number; itemID: string; recNo: number }[]> {
  const client = await service.client();
  const lots = [];
  for (let index = 0; index < items; index++) {
    const itemID = await service.item();
    const { body } = await client.post('/Inventory/Receive', { itemID, units: 9.5, wid: 1, reasonCode: 0 });
    await client.post('/Inventory/Receive', { itemID, units: 2, wid: 2, reasonCode: 0 });
    await client.post('/Inventory/Move', { itemID, units: 1.25, wid: 1, shipToWid: 2 });
    await client.post('/Inventory/Issue', { itemID, units: 1, wid: 1, reasonCode: 0 });
    lots.push({ itemID, recNo: body.recNo as number, partNo: body.lot.partNo as number });
  }
  return lots;
}

/** Runs a statement that no part of the service may run, on tables that refuse changes. */
async function byHand(statement: string): Promise<void> {
  await service.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx.unsafe(statement);
  });
}

// The first ones: on a slow machine a worker rests for seconds after a few lots.
describe('a worker', () => {
  const environment = (isOn: boolean): Record<string, string> => ({
    ...service.env,
    QUEUE_PREFIX: uniqueName('background-audit'),
    INTERNAL_PORT: '0',
    BACKGROUND_AUDIT: isOn ? 'on' : 'off',
  });
  const lookNow = () => service.sql`update audit_progress set due = now()`;

  test('reports a drift in its metrics and its log, and so do doctor and the page', async () => {
    const [lot] = await fill(1);
    const wrong = (by: number) =>
      byHand(`update stock_level set in_stock = in_stock + ${by} where part_no = ${lot!.partNo} and wid = 2`);
    await wrong(3);
    const env = environment(true);
    const worker = await startProcess('apps/worker/src/main.ts', asPart('worker', env), { keep: true });
    onTestFinished(() => worker.stop());
    const api = await startServer(asPart('api', env), createLog('api'));
    onTestFinished(() => api.stop());
    const page = await watchStatusPage(api.internalPort!);
    onTestFinished(() => page.close());
    const places = async () => {
      await lookNow();
      return (await readMetrics(worker.internalPort)).text.match(
        /^inventory_worker_audit_drift_places (\d+)$/m,
      )?.[1];
    };
    await expect.poll(places).toBe('1');
    const lines = logLinesOf(worker.written()).filter(
      ({ msg }) => msg === 'stock does not agree with the ledger',
    );
    expect(lines).toMatchObject([
      {
        level: 50,
        check: 'in stock = lots, per item and warehouse',
        ...{ partNo: lot!.partNo, wid: 2, expected: '6.25', found: '3.25' },
      },
    ]);
    await expect.poll(() => page.now()?.sentence).toMatch(/^Stock and ledger do not agree \(1 place\): /);
    const operator = connectAs('operator', service.databaseUrl);
    const doctor = async () => (await examinePostgres(operator)).checks.drift;
    expect(await doctor()).toMatchObject({
      state: 'fail',
      found: `${lot!.itemID} in warehouse 2: in stock = lots, per item and warehouse: 6.25 and 3.25`,
    });
    await wrong(-3);
    await expect.poll(places).toBe('0');
    expect(await doctor()).toMatchObject({ state: 'ok' });
  });

  test('audits nothing when BACKGROUND_AUDIT is off, and has no metric of it', async () => {
    await lookNow();
    const [before] = await service.sql`select * from audit_progress`;
    const off = await startWorker(asPart('worker', environment(false)), createLog('worker'));
    const text = (await readMetrics(off.internalPort!)).text;
    await off.stop();
    expect(text).toContain('inventory_worker_folding_lag_seconds');
    expect(text).not.toContain('inventory_worker_audit');
    expect(await service.sql`select * from audit_progress`).toEqual([before]);
    // A worker that audits begins with it.
    const on = await startWorker(asPart('worker', environment(true)), createLog('worker'));
    onTestFinished(() => on.stop());
    const due = async () => (await service.sql`select due from audit_progress`)[0]!.due.getTime();
    await expect.poll(due).toBeGreaterThan(before!.due.getTime());
  });
});

describe('a pass of the audit', () => {
  test('finds nothing in a stock that nobody changed by hand, and looks at all of it', async () => {
    await fill();
    let rows = 0;
    await endPass();
    await endPass((slice) => {
      rows += slice.rows ?? 0;
    });
    const [there] = await service.sql<{ rows: number }[]>`
      select (select count(*) from lot) + (select count(*) from stock_level) as rows`;
    expect(rows).toBe(there!.rows);
    expect(await fullPass()).toEqual([]);
    const { ageSeconds, driftCount } = await auditSlice(sql, quickly);
    expect(driftCount).toBe(0);
    const [row] = await service.sql<{ age: number }[]>`
      select extract(epoch from now() - pass_finished)::float8 as age from audit_progress`;
    expect(ageSeconds).toBeLessThanOrEqual(row!.age);
  });

  test('names item, warehouse, lot and the difference, like the full audit, and forgets a finding when it is repaired', async () => {
    const lots = await fill();
    const [one, two, three, four] = lots as [(typeof lots)[0], ...typeof lots];
    const change = (by: number) =>
      byHand(`
        update stock_level set in_stock = in_stock + ${by} where part_no = ${one.partNo} and wid = 2;
        update stock_level set on_hold = on_hold + ${by} where part_no = ${two!.partNo} and wid = 1;
        update lot set units = units + ${by} where rec_no = ${three!.recNo};
        update stock_level set in_stock = in_stock + ${by} where part_no = ${three!.partNo} and wid = 1;
        update stock_entry set wid = wid + ${by} where rec_no = ${four!.recNo}`);
    await change(1);
    const found = await fullPass();
    expect(found.sort((left, right) => left.partNo - right.partNo)).toEqual([
      {
        check: 'in stock = lots, per item and warehouse',
        ...{ partNo: one.partNo, wid: 2, recNo: 0, expected: '4.25', found: '3.25' },
      },
      {
        check: 'on hold = held lots, per item and warehouse',
        ...{ partNo: two!.partNo, wid: 1, recNo: 0, expected: '1', found: '0' },
      },
      {
        check: 'units = entries, per lot',
        ...{ partNo: three!.partNo, wid: 1, recNo: three!.recNo, expected: '8.25', found: '7.25' },
      },
      {
        check: 'entries of a lot are of its item and warehouse',
        ...{ partNo: four!.partNo, wid: 1, recNo: four!.recNo, expected: '0', found: '3' },
      },
    ]);
    const whole = await findImbalances(service.sql);
    const places = found.map(({ check, partNo, wid, recNo, expected, found }) => {
      return { check, place: { part_no: partNo, wid, ...(recNo > 0 && { rec_no: recNo }) }, expected, found };
    });
    expect(whole).toEqual(expect.arrayContaining(places));
    // Known, so reported only once.
    expect(await fullPass()).toEqual([]);
    expect((await auditSlice(sql, quickly)).driftCount).toBe(4);
    const operator = connectAs('operator', service.databaseUrl);
    expect((await listDrift(operator, 2)).map(({ itemId, wid }) => [itemId, wid])).toHaveLength(2);
    await change(-1);
    await fullPass();
    expect((await auditSlice(sql, quickly)).driftCount).toBe(0);
  });

  test('finds what no constraint refuses: entries of a deleted lot, and lots of a deleted level', async () => {
    const lots = await fill();
    const [one, two, three] = lots;
    const last = lots.at(-1)!;
    // The lots of `two` are empty, so no other check sees that they are gone.
    const client = await service.client();
    await client.post('/Inventory/Issue', { itemID: two!.itemID, units: 7.25, wid: 1, reasonCode: 0 });
    await client.post('/Inventory/Issue', { itemID: two!.itemID, units: 3.25, wid: 2, reasonCode: 0 });
    await fullPass();
    // A worker that folds while a level is gone would leave it out of the lists for good.
    const arrivals = async () => (await service.sql`select from level_arrival`).length;
    await expect.poll(arrivals).toBe(0);
    await byHand(`
      create table kept_lot as table lot;
      create table kept_level as table stock_level;
      delete from lot where part_no = ${two!.partNo};
      delete from lot where rec_no = (select max(rec_no) from lot);
      delete from stock_level where part_no = ${three!.partNo} and wid = 1`);
    const checks = (await fullPass()).map(({ check, partNo, wid }) => `${partNo} ${wid} ${check}`);
    expect(checks).toEqual(
      expect.arrayContaining([
        `${two!.partNo} 1 entries have a lot`,
        `${two!.partNo} 2 entries have a lot`,
        `${last.partNo} 2 entries have a lot`,
        `${three!.partNo} 1 lots have a level`,
      ]),
    );
    expect(checks.filter((each) => each.startsWith(`${one!.partNo} `))).toEqual([]);
    await byHand(`
      delete from lot;
      insert into lot select * from kept_lot;
      delete from stock_level;
      insert into stock_level select * from kept_level;
      drop table kept_lot, kept_level`);
    expect(await fullPass()).toEqual([]);
    expect((await auditSlice(sql, quickly)).driftCount).toBe(0);
  });

  test('compares a level without reading the lots that are gone', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const operations = Array.from({ length: 300 }, (_, index) => {
      return { op: 'receive', key: `${itemID}-${index}`, itemID, units: 1, wid: 1, reasonCode: 0 };
    });
    await client.post('/Inventory/Batch', { mode: 'each', operations });
    const issued = await client.post('/Inventory/Issue', { itemID, units: 298, wid: 1, reasonCode: 0 });
    expect(issued.status).toBe(200);
    const [left] = await service.sql<{ partNo: number; recNo: number }[]>`
      select part_no as "partNo", max(rec_no) as "recNo"
      from lot
      join item using (part_no)
      where short_id = ${itemID} and active
      group by part_no`;
    await holdLot(service.sql, { recNo: left!.recNo, reason: 'inspection' });
    await service.sql`vacuum (analyze) lot`;
    const of = { tables: ['lot'], without: ['seqscan', 'hashjoin', 'mergejoin'] };
    const after = { partNo: left!.partNo, wid: 0 };
    const compare = (sql: Sql) => compareLevels(sql, { after, rowsMax: 1 });
    const { result: compared, rows: lots } = await countRowsRead(service.sql, of, compare);
    expect(compared).toEqual({ rows: 1, last: { partNo: left!.partNo, wid: 1, recNo: 0 }, drift: [] });
    const [there] = await service.sql<{ lots: number }[]>`
      select count(*)::integer as lots from lot where active`;
    expect(lots).toBeLessThanOrEqual(there!.lots);
  });

  test('runs on one of the workers: while one looks, and until a slice is due, the others do not', async () => {
    const held = await service.sql.reserve();
    await held`begin`;
    await held`select pg_advisory_xact_lock(7316021)`;
    expect((await auditSlice(sql, quickly)).rows).toBeNull();
    await held`commit`;
    held.release();
    const slice = await auditSlice(sql, { ...quickly, partOfTime: 1e-9, restMs: 3_600_000 });
    expect(slice.rows).not.toBeNull();
    const next = await auditSlice(sql, quickly);
    expect([next.rows, next.dueInMs > 0]).toEqual([null, true]);
    await service.sql`update audit_progress set due = now()`;
  });
});

test('earlier findings stay known while no slice can be looked at', async () => {
  const keeper = startAuditKeeper(
    () => Promise.reject(new Error('a lot with a long history')),
    async () => ({ driftCount: 3, ageSeconds: 100 }),
    () => {},
    () => {},
  );
  await expect.poll(() => keeper.state().driftCount).toBe(3);
  expect(keeper.state().ageSeconds).toBeGreaterThanOrEqual(100);
  await keeper.stop();
});

// The last one: it leaves much stock, and a pass looks at all of it.
test('a pass finds nothing while stock changes all the time, over two workers', async () => {
  const client = await service.client();
  const items = await Promise.all([1, 2, 3].map(() => service.item()));
  let isOver = false;
  let applied = 0;
  const callers = Array.from({ length: 6 }, async (_, caller) => {
    const itemID = items[caller % items.length]!;
    for (let turn = 0; !isOver; turn++) {
      const wid = 1 + (turn % 2);
      const body = { itemID, units: 1 + (turn % 3), wid, reasonCode: 0 };
      const answers = [
        await client.post('/Inventory/Receive', body),
        await client.post('/Inventory/Move', { ...body, units: 1, shipToWid: 3 - wid }),
        await client.post('/Inventory/Issue', { ...body, units: 1 }),
      ];
      applied += answers.filter(({ status }) => status < 300).length;
    }
  });
  const found: AuditSlice['found'] = [];
  try {
    for (let passes = 0; passes < 6 || applied < 100; passes++)
      await endPass((slice) => void found.push(...slice.found), 50);
  } finally {
    isOver = true;
    await Promise.all(callers);
  }
  expect(found).toEqual([]);
  expect((await auditSlice(sql, quickly)).driftCount).toBe(0);
});
