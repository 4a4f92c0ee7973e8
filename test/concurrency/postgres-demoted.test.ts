import { findLossyReplication } from '@inventory/db/postgres/servers/replication';
import { createLog } from '@inventory/process/log/log';
import { startWorker } from '@inventory/worker/worker';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { type PostgresPair, startPostgresPair } from '../harness/servers/standby.ts';
import { type ApiAnswer, untilAnswered } from '../harness/service/api-client.ts';
import { runCommand } from '../harness/service/command-line.ts';
import { type OwnService, prepareDatabase, startOwnService } from '../harness/service/own-service.ts';
import { uniqueName } from '../harness/service/service.ts';

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
  const { stdout } = await runCommand(['doctor', '--json'], asPart('operator', env));
  const checks = JSON.parse(stdout) as { id: string; state: string; found: string }[];
  const found = (id: string) => checks.find((each) => each.id === id);
  expect(found('postgres')).toMatchObject({
    state: 'ok',
    found: `answers at 127.0.0.1:${pair.primary.port}, 127.0.0.1:${pair.standby.port}`,
  });
  expect(found('replication')).toMatchObject({ state: 'warn', found: `1 attached; ${warning}` });

  await pair.primary.sql`alter system set synchronous_standby_names = 'standby'`;
  await pair.primary.sql`select pg_reload_conf()`;
  await expect.poll(() => findLossyReplication(pair.primary.sql, 2), { timeout: 120_000 }).toBe(null);
  await pair.primary.sql`alter system reset synchronous_standby_names`;
  await pair.primary.sql`select pg_reload_conf()`;
});

test('503, then the new primary’s answer, once the old primary is read-only; never the old one’s answer', async () => {
  const read = () => service.clients[0]!.get(`/Item?key=${itemID}&type=id`);
  const write = (): Promise<ApiAnswer> =>
    service.clients[1]!.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0 });
  expect((await untilAnswered(read)).status).toBe(200);
  expect((await untilAnswered(write)).status).toBe(201);

  // Its connections stay, and it would go on answering reads.
  await pair.primary.sql`alter system set default_transaction_read_only = on`;
  await pair.primary.sql`select pg_reload_conf()`;
  let reads = 0;
  const statusOfRead = async () => {
    reads += 1;
    return (await read()).status;
  };
  await expect.poll(statusOfRead, { timeout: 120_000 }).toBe(503);
  // Each connection notices with its first statement, not only once something else has ended it.
  expect(reads).toBeLessThan(200);
  await pair.standby.promote();
  await pair.standby.sql`update item set description = 'of the new primary' where short_id = ${itemID}`;
  const answers: ApiAnswer[] = [];
  await expect
    .poll(
      async () => {
        answers.push(await read());
        return answers.at(-1)!.status;
      },
      { timeout: 120_000 },
    )
    .toBe(200);
  expect(answers.filter(({ status }) => status !== 503).map(({ body }) => body.description)).toEqual([
    'of the new primary',
  ]);
  await expect.poll(async () => (await write()).status, { timeout: 120_000 }).toBe(201);
  const { body } = await untilAnswered(read);
  expect(body.description).toBe('of the new primary');
  const [counted] = await pair.standby.sql`select count(*) from lot`;
  const list = await untilAnswered(() => service.clients[0]!.get('/Inventory/1?pageSize=1'));
  expect(list.body.totalCount).toBe(counted!.count);
  expect(list.body.totalCount).toBeGreaterThan(1);
});
