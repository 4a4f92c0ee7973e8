import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareWithTables } from '../faults/check.ts';
import { createRandom } from '../faults/random.ts';
import { createRequests, itemIds } from '../faults/requests.ts';
import { saidBy, type Told } from '../faults/told.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { type PostgresPair, startPostgresPair } from '../harness/servers/standby.ts';
import { untilAnswered } from '../harness/service/api-client.ts';
import { expectInvariants } from '../harness/service/invariants.ts';
import { type OwnService, prepareDatabase, startOwnService } from '../harness/service/own-service.ts';

let pair: PostgresPair;
let service: OwnService;

beforeAll(async () => {
  pair = await startPostgresPair({
    prepare: (sql) => prepareDatabase(sql, itemIds),
    synchronous: true,
  });
  service = await startOwnService({
    apis: 2,
    workers: 2,
    // The standby first: a process that starts finds the primary behind it.
    env: { DATABASE_URL: pair.urlOf(pair.standby, pair.primary), QUEUE_SHARDS: '2' },
  });
});
afterAll(async () => {
  await service?.stop();
  await pair?.stop();
});

const callers = 8;
const beforeKill = 60;
const afterPromotion = 12;

test('nothing is lost, doubled or left open when the primary dies under load and the synchronous standby is promoted', async () => {
  const log: (Told & { api: number })[] = [];
  let running = true;
  const yesOf = (api: number, from: number) =>
    log.slice(from).filter((each) => each.api === api && each.told === 'yes').length;

  async function call(caller: number) {
    const requests = createRequests(createRandom(caller));
    const api = caller % 2;
    for (let turn = 0; running; turn++) {
      const reference = `${caller}-${turn}`;
      const ask = requests.next(reference);
      const startedAt = performance.now();
      const { status, text } = await service.clients[api]!.post(`/Inventory/${ask.path}`, ask.body).catch(
        (error) => ({ status: 0, text: String(error) }),
      );
      const tookMs = performance.now() - startedAt;
      const told = saidBy({ status, text, port: api, tookMs });
      const transactionNo = told === 'yes' ? JSON.parse(text).transactionNo : null;
      const common = { reference, kind: ask.kind, itemId: ask.itemID, told, status, text };
      const way = { isReplayed: false, batch: null, wasCut: false };
      log.push({ ...common, ...way, transactionNo, port: api, api, at: startedAt, tookMs });
      requests.learn(ask, transactionNo);
    }
  }

  const calls = meanwhile(Promise.all(Array.from({ length: callers }, (_, caller) => call(caller))));
  await expect
    .poll(() => log.filter(({ told }) => told === 'yes').length, { timeout: 120_000 })
    .toBeGreaterThan(beforeKill);
  await pair.primary.kill();
  const killedAt = log.length;
  // Nobody can decide now, and callers are told so.
  await expect
    .poll(() => log.slice(killedAt).some(({ status }) => status === 503), { timeout: 120_000 })
    .toBe(true);
  await pair.standby.promote();
  const promotedAt = log.length;
  for (const api of [0, 1]) {
    await expect
      .poll(() => yesOf(api, promotedAt), { timeout: 120_000, message: `writes by api ${api} after it` })
      .toBeGreaterThan(afterPromotion);
  }
  running = false;
  await calls;

  const { lost, doubled, ghosts } = await compareWithTables(pair.standby.sql, log, []);
  expect({ lost, doubled, ghosts }).toEqual({ lost: [], doubled: [], ghosts: [] });
  await expectInvariants(pair.standby.sql);
  // Every request got an answer, and none was an error of ours.
  expect(log.filter(({ status }) => status === 0 || (status >= 500 && status !== 503))).toEqual([]);
  for (const client of service.clients) {
    const { body } = await untilAnswered(() => client.get('/Inventory/Transactions?pageSize=1'));
    const [{ count }] = (await pair.standby.sql`
      select count(*) from stock_transaction where status = 'applied'`) as unknown as [{ count: number }];
    expect(body.totalCount).toBe(count);
  }
});
