import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiAnswer } from '../harness/api-client.ts';
import { type OwnService, prepareDatabase, startOwnService } from '../harness/own-service.ts';
import { type PostgresPair, startPostgresPair } from '../harness/standby.ts';

const itemID = 'ITEM';
let pair: PostgresPair;
let service: OwnService;

beforeAll(async () => {
  pair = await startPostgresPair({ prepare: (sql) => prepareDatabase(sql, [itemID]), synchronous: false });
  service = await startOwnService({ apis: 2, workers: 1, env: { DATABASE_URL: pair.url } });
});
afterAll(async () => {
  await service?.stop();
  await pair?.stop();
});

test('503, and then the new primary’s answer, when the old one takes no writes any more; never the old one’s', async () => {
  const read = () => service.clients[0]!.get(`/Item?key=${itemID}&type=id`);
  const write = (): Promise<ApiAnswer> =>
    service.clients[1]!.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 });
  expect((await read()).status).toBe(200);
  expect((await write()).status).toBe(201);

  // Its connections stay, and it would go on answering what is read.
  await pair.primary.sql`alter system set default_transaction_read_only = on`;
  await pair.primary.sql`select pg_reload_conf()`;
  await expect.poll(async () => (await read()).status, { timeout: 30_000 }).toBe(503);
  await pair.standby.promote();
  await pair.standby.sql`update item set description = 'of the new primary' where short_id = ${itemID}`;
  const answers: ApiAnswer[] = [];
  await expect
    .poll(
      async () => {
        answers.push(await read());
        return answers.at(-1)!.status;
      },
      { timeout: 30_000 },
    )
    .toBe(200);
  expect(answers.filter(({ status }) => status !== 503).map(({ body }) => body.description)).toEqual([
    'of the new primary',
  ]);
  await expect.poll(async () => (await write()).status, { timeout: 30_000 }).toBe(201);
  const body = (await read()).body;
  expect(body.description).toBe('of the new primary');
  const [counted] = await pair.standby.sql`select count(*) from lot`;
  const list = await service.clients[0]!.get('/Inventory/1?pageSize=1');
  expect(list.body.totalCount).toBe(counted!.count);
  expect(list.body.totalCount).toBeGreaterThan(1);
});
