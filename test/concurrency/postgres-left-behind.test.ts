import { connect } from '@inventory/db/postgres/pool';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NetworkStretch, startProxy } from '../faults/proxy.ts';
import { type PostgresPair, startPostgresPair } from '../harness/servers/standby.ts';
import { untilAnswered } from '../harness/service/api-client.ts';
import {
  type OwnService,
  prepareDatabase,
  receiveOnce,
  startOwnService,
} from '../harness/service/own-service.ts';

const itemID = 'ITEM';
let pair: PostgresPair;
let stretch: NetworkStretch;
let service: OwnService;

beforeAll(async () => {
  pair = await startPostgresPair({ prepare: (sql) => prepareDatabase(sql, [itemID]), synchronous: false });
  stretch = await startProxy(pair.primary.port);
  const url = pair.urlOf({ ...pair.primary, port: stretch.port }, pair.standby);
  // Lists come from the old primary: its position no longer counts, because its log is another one.
  const readUrl = pair.urlOf(pair.primary);
  service = await startOwnService({
    apis: 2,
    workers: 1,
    env: { DATABASE_URL: url, DATABASE_READ_URL: readUrl },
  });
});
afterAll(async () => {
  await service?.stop();
  stretch?.close();
  await pair?.stop();
});

const writes = 6;

test('answers come from the promoted server alone, even when the old primary comes back and takes writes', async () => {
  const receive = (api: number) =>
    service.clients[api]!.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 });
  const lotsOf = async ({ sql }: PostgresPair['primary']) => (await sql`select from lot`).length;
  for (const api of [0, 1]) expect((await receiveOnce(service.clients[api]!, { itemID })).status).toBe(201);
  await expect.poll(() => lotsOf(pair.standby), { timeout: 120_000 }).toBe(2);

  // Nothing passes and nobody is told, as when a machine stands still.
  stretch.setState('stalled');
  await pair.standby.promote();
  for (const api of [0, 1]) {
    await expect.poll(async () => (await receive(api)).status, { timeout: 120_000 }).toBe(201);
  }
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
  const sql = connect(pair.url, { name: 'tests', connectionsMax: 1 });
  const [place] = await sql`select inet_server_port() as port`;
  await sql.end();
  expect(place!.port).toBe(pair.standby.port);

  // Processes that have seen the promotion never go back.
  await pair.standby.kill();
  for (let turn = 0; turn < 2; turn++) expect((await receive(turn % 2)).status).toBe(503);
  expect(await lotsOf(pair.primary)).toBe(leftBehind);
});
