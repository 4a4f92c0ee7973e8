import { foldArrivals } from '@inventory/db/lists/fold-arrivals';
import { connect } from '@inventory/postgres/pool';
import { expect, test } from 'vitest';
import { useBatches } from '../harness/queue/batches.ts';

const batches = useBatches();

async function arrivals(): Promise<number> {
  const [row] = await batches.sql<{ count: number }[]>`select count(*) from list_arrival`;
  return row!.count;
}

test('folding makes nobody wait; the next run folds what arrived meanwhile', async () => {
  const itemID = await batches.item();
  const worker = batches.worker();
  const receive = () => worker.apply([batches.request('receive', { itemID, units: 1, wid: 1 })]);
  await receive();
  const folders = Array.from({ length: 20 }, () =>
    connect(batches.url, { name: 'folder', connectionsMax: 1, statementTimeoutMs: 20_000 }),
  );
  let release!: () => void;
  const folding = batches.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(7316011)`;
    await tx`lock table list_count in share row exclusive mode`;
    await new Promise<void>((resolve) => {
      release = resolve;
      void Promise.all(folders.map((sql) => foldArrivals(sql, 10_000))).then(() => resolve());
    });
    // All twenty return while the one still folds.
    return tx`select count(*) as waiting from pg_stat_activity where application_name = 'folder' and wait_event_type = 'Lock'`;
  });
  await expect(folding).resolves.toEqual([{ waiting: 0 }]);
  release();
  expect(await arrivals()).toBeGreaterThan(0);
  await foldArrivals(folders[0]!, 10_000);
  expect(await arrivals()).toBe(0);
  await Promise.all(folders.map((sql) => sql.end()));
});

test('the next run folds the arrivals of a run whose connection ended halfway', async () => {
  const itemID = await batches.item();
  const worker = batches.worker();
  const receive = () => worker.apply([batches.request('receive', { itemID, units: 1, wid: 1 })]);
  await receive();
  const folder = connect(batches.url, { name: 'folder', connectionsMax: 1 });
  await batches.sql.begin(async (tx) => {
    await tx`lock table list_count in share row exclusive mode`;
    const lost = foldArrivals(folder, 60_000).catch((error: unknown) => error);
    await expect
      .poll(async () => {
        const rows = await batches.sql`
            select pg_terminate_backend(pid, 10000)
            from pg_stat_activity
            where application_name = 'folder' and wait_event_type = 'Lock'`;
        return rows.length;
      })
      .toBe(1);
    expect(await lost).toBeInstanceOf(Error);
  });
  await foldArrivals(folder, 60_000);
  expect(await arrivals()).toBe(0);
  await folder.end();
});

test('another process folds the arrivals of a run that took too long', async () => {
  const itemID = await batches.item();
  const worker = batches.worker();
  const receive = () => batches.request('receive', { itemID, units: 1, wid: 1 });
  await worker.apply(Array.from({ length: 500 }, receive));
  const folders = [1, 2].map(() => connect(batches.url, { name: 'folder', connectionsMax: 1 }));
  await batches.sql.begin(async (tx) => {
    await tx`lock table list_count in share row exclusive mode`;
    await expect(foldArrivals(folders[0]!, 100)).rejects.toMatchObject({ code: '57014' });
  });
  await foldArrivals(folders[0]!, 60_000);
  await worker.apply([receive()]);
  await foldArrivals(folders[1]!, 60_000);
  expect(await arrivals()).toBe(0);
  await Promise.all(folders.map((sql) => sql.end()));
});
