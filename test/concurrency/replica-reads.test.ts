import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresPair, startPostgresPair } from '../harness/servers/standby.ts';
import { untilAnswered } from '../harness/service/api-client.ts';
import {
  type OwnService,
  prepareDatabase,
  receiveOnce,
  startOwnService,
} from '../harness/service/own-service.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

const itemID = 'ITEM';
let pair: PostgresPair;
let service: OwnService;

beforeAll(async () => {
  pair = await startPostgresPair({ prepare: (sql) => prepareDatabase(sql, [itemID]), synchronous: false });
  service = await startOwnService({
    apis: 2,
    workers: 1,
    env: { DATABASE_URL: pair.urlOf(pair.primary), DATABASE_READ_URL: pair.urlOf(pair.standby) },
  });
});
afterAll(async () => {
  await service?.stop();
  await pair?.stop();
});

/** The pages the apis have read, by the server that answered. */
async function readsBy(by: 'primary' | 'replica'): Promise<number> {
  const counts = await Promise.all(
    service.internalPorts.map(
      async (port) => (await readMetrics(port)).value(`inventory_api_list_reads_total{by="${by}"}`) ?? 0,
    ),
  );
  return counts.reduce((sum, each) => sum + each, 0);
}

let written = 0;

/**
 * Writes through one api and reads through the other, which must show the write; this many times, both ways.
 */
async function writeAndRead(times: number) {
  for (let turn = 0; turn < times; turn++) {
    const [writer, reader] = [service.clients[turn % 2]!, service.clients[1 - (turn % 2)]!];
    written += 1;
    const units = written;
    const receipt = await receiveOnce(writer, { itemID, units });
    expect(receipt.status, receipt.text).toBe(201);
    const lots = await untilAnswered(() => reader.get('/Inventory/1?pageSize=1'));
    expect(lots.status, lots.text).toBe(200);
    expect(lots.body.value[0]?.recNo).toBe(receipt.body.recNo);
    const levels = await untilAnswered(() =>
      reader.get('/Inventory/StockLevels/1?sort=available&direction=DESC'),
    );
    const [sum] = await pair.primary.sql`select sum(units)::text as units from lot`;
    expect(levels.body.value[0]?.inStock).toBe(Number(sum!.units));
    const description = `after ${units}`;
    const put = await untilAnswered(() => writer.put('/Item', { shortID: itemID, description }));
    expect(put.status, put.text).toBe(200);
    const items = await untilAnswered(() => reader.get('/Item?pageSize=1'));
    expect(items.body.value[0]?.description).toBe(description);
  }
}

const times = 6;

/** How many pages the replica has answered after one more turn. */
async function readsAgain() {
  await writeAndRead(2);
  return readsBy('replica');
}

test('every list shows every write answered before it, and a replica that has caught up gives it', async () => {
  await writeAndRead(times);
  await expect.poll(readsAgain, { timeout: 120_000 }).toBeGreaterThan(times);
});

test('the same from the primary while the replica stands still', async () => {
  await writeAndRead(2);
  await pair.standby.sql`select pg_wal_replay_pause()`;
  await expect
    .poll(
      async () => {
        const [row] = await pair.standby.sql`select pg_get_wal_replay_pause_state() as state`;
        return row!.state;
      },
      { timeout: 120_000 },
    )
    .toBe('paused');
  const before = await readsBy('replica');
  await writeAndRead(times);
  expect(await readsBy('replica')).toBe(before);
  await pair.standby.sql`select pg_wal_replay_resume()`;
  await expect.poll(readsAgain, { timeout: 120_000 }).toBeGreaterThan(before);
});

test('the same while the replica applies late what it gets', async () => {
  await pair.standby.sql`alter system set recovery_min_apply_delay = '20ms'`;
  await pair.standby.sql`select pg_reload_conf()`;
  await writeAndRead(times);
  await pair.standby.sql`alter system set recovery_min_apply_delay = '5s'`;
  await pair.standby.sql`select pg_reload_conf()`;
  await writeAndRead(times);
  await pair.standby.sql`alter system reset recovery_min_apply_delay`;
  await pair.standby.sql`select pg_reload_conf()`;
});

test('the same when the replica is lost, and the list does not fail', async () => {
  const before = await readsBy('primary');
  await pair.standby.kill();
  await writeAndRead(times);
  expect(await readsBy('primary')).toBeGreaterThan(before);
});
