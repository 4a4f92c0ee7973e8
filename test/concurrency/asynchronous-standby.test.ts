import { connect } from '@inventory/postgres/pool';
import { findLossyReplication } from '@inventory/postgres/servers/replication';
import { createLog } from '@inventory/process/log/log';
import { startWorker } from '@inventory/worker/worker';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { startProxy } from '../faults/proxy.ts';
import { asPart } from '../harness/as-part.ts';
import { type PostgresPair, startPostgresPair } from '../harness/servers/standby.ts';
import { type ApiAnswer, untilAnswered } from '../harness/service/api-client.ts';
import { examine } from '../harness/service/doctor.ts';
import {
  type OwnService,
  prepareDatabase,
  receiveOnce,
  startOwnService,
} from '../harness/service/own-service.ts';
import { uniqueName } from '../harness/service/service.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

const itemID = 'ITEM';
let pair: PostgresPair;

beforeAll(async () => {
  pair = await startPostgresPair({ prepare: (sql) => prepareDatabase(sql, [itemID]), synchronous: false });
});
beforeEach(() => pair.mend());
afterAll(() => pair?.stop());

/** Two apis and a worker on these servers, until the test ends. */
async function serve(env: { DATABASE_URL: string; DATABASE_READ_URL?: string }): Promise<OwnService> {
  const service = await startOwnService({ apis: 2, workers: 1, env });
  onTestFinished(service.stop);
  return service;
}

async function setOnPrimary(...statements: string[]) {
  for (const statement of statements) await pair.primary.sql.unsafe(`alter system ${statement}`);
  await pair.primary.sql`select pg_reload_conf()`;
}

describe('lists of a replica', () => {
  const times = 6;
  let service: OwnService;
  let written = 0;

  beforeAll(async () => {
    const env = { DATABASE_URL: pair.urlOf(pair.primary), DATABASE_READ_URL: pair.urlOf(pair.standby) };
    service = await startOwnService({ apis: 2, workers: 1, env });
  });
  afterAll(() => service?.stop());

  /** The pages the apis have read, by the server that answered. */
  async function readsBy(by: 'primary' | 'replica'): Promise<number> {
    const metrics = await Promise.all(service.internalPorts.map(readMetrics));
    return metrics.reduce(
      (sum, { value }) => sum + (value(`inventory_api_list_reads_total{by="${by}"}`) ?? 0),
      0,
    );
  }

  /**
   * Writes through one api and reads through the other, which must show the write; this many times, both
   * ways.
   */
  async function writeAndRead(count: number) {
    for (let turn = 0; turn < count; turn++) {
      const [writer, reader] = [service.clients[turn % 2]!, service.clients[1 - (turn % 2)]!];
      written += 1;
      const receipt = await receiveOnce(writer, { itemID, units: written });
      expect(receipt.status, receipt.text).toBe(201);
      const lots = await untilAnswered(() => reader.get('/Inventory/1?pageSize=1'));
      expect(lots.status, lots.text).toBe(200);
      expect(lots.body.value[0]?.recNo).toBe(receipt.body.recNo);
      const levels = await untilAnswered(() =>
        reader.get('/Inventory/StockLevels/1?sort=available&direction=DESC'),
      );
      const [sum] = await pair.primary.sql`select sum(units)::text as units from lot`;
      expect(levels.body.value[0]?.inStock).toBe(Number(sum!.units));
      const description = `after ${written}`;
      const put = await untilAnswered(() => writer.put('/Item', { shortID: itemID, description }));
      expect(put.status, put.text).toBe(200);
      const items = await untilAnswered(() => reader.get('/Item?pageSize=1'));
      expect(items.body.value[0]?.description).toBe(description);
    }
  }

  /** How many pages the replica has answered after one more turn. */
  async function readsAgain() {
    await writeAndRead(2);
    return readsBy('replica');
  }

  test('every list shows every write answered before it, and a replica that has caught up gives it', async () => {
    await writeAndRead(times);
    await expect.poll(readsAgain).toBeGreaterThan(times);
  });

  test('the same from the primary while the replica stands still', async () => {
    const { sql } = pair.standby;
    await writeAndRead(2);
    await sql`select pg_wal_replay_pause()`;
    const replayState = async () => (await sql`select pg_get_wal_replay_pause_state() as state`)[0]!.state;
    await expect.poll(replayState).toBe('paused');
    const before = await readsBy('replica');
    await writeAndRead(times);
    expect(await readsBy('replica')).toBe(before);
    await sql`select pg_wal_replay_resume()`;
    await expect.poll(readsAgain).toBeGreaterThan(before);
  });

  test('the same while the replica applies late what it gets', async () => {
    const { sql } = pair.standby;
    for (const delay of ['20ms', '5s']) {
      await sql.unsafe(`alter system set recovery_min_apply_delay = '${delay}'`);
      await sql`select pg_reload_conf()`;
      await writeAndRead(times);
    }
    await sql`alter system reset recovery_min_apply_delay`;
    await sql`select pg_reload_conf()`;
  });

  test('the same when the replica is lost, and the list does not fail', async () => {
    const before = await readsBy('primary');
    await pair.standby.kill();
    await writeAndRead(times);
    expect(await readsBy('primary')).toBeGreaterThan(before);
  });
});

test('a warning at start and by doctor while no standby is synchronous', async () => {
  const env = { DATABASE_URL: pair.url, REDIS_URL: inject('redisUrl'), QUEUE_PREFIX: uniqueName('warned') };
  const lines: string[] = [];
  const log = createLog('worker');
  log.warn = ((line: string) => lines.push(line)) as never;
  const worker = await startWorker(asPart('worker', env), log);
  await worker.stop();
  const warning =
    'no standby is synchronous (synchronous_standby_names is empty): if the primary is lost, the last answered transactions are lost, too';
  expect(lines).toContain(warning);
  const { checks } = await examine(asPart('operator', env));
  expect(checks.postgres).toMatchObject({
    state: 'ok',
    found: `answers at 127.0.0.1:${pair.primary.port}, 127.0.0.1:${pair.standby.port}`,
  });
  expect(checks.replication).toMatchObject({ state: 'warn', found: `1 attached; ${warning}` });

  await setOnPrimary(`set synchronous_standby_names = 'standby'`);
  await expect.poll(() => findLossyReplication(pair.primary.sql, 2)).toBe(null);
  await setOnPrimary('reset synchronous_standby_names');
});

test('503, then the new primary’s answer, once the old primary is read-only; never the old one’s answer', async () => {
  const { clients } = await serve({ DATABASE_URL: pair.url });
  const read = () => clients[0]!.get(`/Item?key=${itemID}&type=id`);
  const write = () => clients[1]!.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 });
  expect((await untilAnswered(read)).status).toBe(200);
  expect((await untilAnswered(write)).status).toBe(201);

  // Its connections stay, and it would go on answering reads.
  await setOnPrimary('set default_transaction_read_only = on');
  let reads = 0;
  const statusOfRead = async () => {
    reads += 1;
    return (await read()).status;
  };
  await expect.poll(statusOfRead).toBe(503);
  // Each connection notices with its first statement, not only once something else has ended it.
  expect(reads).toBeLessThan(200);
  await pair.standby.promote();
  await pair.standby.sql`update item set description = 'of the new primary' where short_id = ${itemID}`;
  const answers: ApiAnswer[] = [];
  const nextStatus = async () => {
    answers.push(await read());
    return answers.at(-1)!.status;
  };
  await expect.poll(nextStatus).toBe(200);
  expect(answers.filter(({ status }) => status !== 503).map(({ body }) => body.description)).toEqual([
    'of the new primary',
  ]);
  await expect.poll(async () => (await write()).status).toBe(201);
  expect((await untilAnswered(read)).body.description).toBe('of the new primary');
  const [counted] = await pair.standby.sql`select count(*) from lot`;
  const list = await untilAnswered(() => clients[0]!.get('/Inventory/1?pageSize=1'));
  expect(list.body.totalCount).toBe(counted!.count);
  expect(list.body.totalCount).toBeGreaterThan(1);
});

test('answers come from the promoted server alone, even when the old primary comes back and takes writes', async () => {
  const writes = 6;
  const stretch = await startProxy(pair.primary.port);
  onTestFinished(() => stretch.close());
  const service = await serve({
    DATABASE_URL: pair.urlOf({ ...pair.primary, port: stretch.port }, pair.standby),
    // Lists come from the old primary: its position no longer counts, because its log is another one.
    DATABASE_READ_URL: pair.urlOf(pair.primary),
  });
  const receive = (api: number) =>
    service.clients[api]!.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 });
  const lotsOf = async ({ sql }: PostgresPair['primary']) => (await sql`select from lot`).length;
  for (const api of [0, 1]) expect((await receiveOnce(service.clients[api]!, { itemID })).status).toBe(201);
  const before = await lotsOf(pair.primary);
  await expect.poll(() => lotsOf(pair.standby)).toBe(before);

  // Nothing passes and nobody is told, as when a machine stands still.
  stretch.setState('stalled');
  await pair.standby.promote();
  for (const api of [0, 1]) await expect.poll(async () => (await receive(api)).status).toBe(201);
  stretch.setState('open');
  await pair.primary.sql`select pg_logical_emit_message(false, 'ahead', repeat('x', 8000000))`;
  await pair.primary.sql`select pg_switch_wal()`;
  const lots = await lotsOf(pair.standby);
  const leftBehind = await lotsOf(pair.primary);
  for (let turn = 0; turn < writes; turn++) {
    // The other process must see what this one was answered.
    expect((await receiveOnce(service.clients[turn % 2]!, { itemID })).status).toBe(201);
    const reader = service.clients[1 - (turn % 2)]!;
    const list = await untilAnswered(() => reader.get('/Inventory/1?pageSize=1'));
    expect(list.body.totalCount).toBe(lots + turn + 1);
  }
  expect(await lotsOf(pair.standby)).toBe(lots + writes);
  expect(await lotsOf(pair.primary)).toBe(leftBehind);

  // A process that starts now finds two servers that call themselves the primary.
  const both = pair.urlOf(pair.primary, pair.standby);
  const sql = connect(both, { name: 'tests', connectionsMax: 1 });
  const [place] = await sql`select inet_server_port() as port`;
  await sql.end();
  expect(place!.port).toBe(pair.standby.port);

  // Processes that have seen the promotion never go back.
  await pair.standby.kill();
  for (let turn = 0; turn < 2; turn++) expect((await receive(turn % 2)).status).toBe(503);
  expect(await lotsOf(pair.primary)).toBe(leftBehind);
});
