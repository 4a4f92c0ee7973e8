import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { expectWaiting, holdGates } from '../harness/queue/batches.ts';
import { type ApiAnswer, createApiClient } from '../harness/service/api-client.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receive } from '../harness/stock/stock.ts';

const service = useService({ apis: 2, workers: 0 });
let worker: Started;

const start = () => startProcess('apps/worker/src/main.ts', asPart('worker', service.env));

beforeAll(async () => {
  worker = await start();
});
afterAll(async () => {
  await worker?.stop();
});

test('one transaction and one answer for each of 50 keys, sent ten times at once, while the worker is killed', async () => {
  const client = await service.client();
  const itemID = await service.item();
  await receive(client, itemID, 1000);
  const processes = service.baseUrls.map((baseUrl) =>
    createApiClient(baseUrl, client.clientId, client.token, { isPatient: false }),
  );
  /** Sends again with the same key until the answer is clear, as a careful caller does. */
  async function send(key: string, index: number): Promise<ApiAnswer> {
    for (;;) {
      const body = { itemID, units: 1, wid: 1, reasonCode: 0, reference: key };
      const answer = await processes[index % 2]!.post('/Inventory/Issue', body, { 'Idempotency-Key': key });
      if (answer.status !== 503) return answer;
      // Otherwise 250 of them leave a slow machine no time for the worker.
      await setTimeout(200);
    }
  }
  const told = new Map<string, Set<string>>();
  const keysOfWave = 25;
  for (let wave = 0; wave < 2; wave++) {
    // With a batch that waits for its gate, the kill hits in the middle.
    const release = wave % 2 === 1 ? await holdGates(service.sql, itemID) : null;
    const keys = Array.from({ length: keysOfWave }, () => uniqueName('key'));
    const sent = meanwhile(
      Promise.all(
        keys.flatMap((key) =>
          Array.from({ length: 10 }, (_, index) =>
            send(key, index).then((answer) => {
              const texts = told.get(key) ?? new Set();
              told.set(key, texts.add(`${answer.status} ${answer.text}`));
            }),
          ),
        ),
      ),
    );
    if (release !== null) {
      await expectWaiting(service.sql, 1);
      worker.child.kill('SIGKILL');
      await worker.exited;
      await release();
      worker = await start();
    }
    await sent;
  }
  const rows = await service.sql<{ reference: string; count: number }[]>`
    select body->>'reference' as reference, count(*)
    from stock_transaction
    where body->>'itemID' = ${itemID} and status = 'applied' and kind = 'issue'
    group by 1`;
  expect(rows.filter((row) => row.count !== 1)).toEqual([]);
  expect(rows.map((row) => row.reference).sort()).toEqual([...told.keys()].sort());
  expect(told.size).toBe(2 * keysOfWave);
  const texts = [...told.values()].map((each) => [...each]);
  expect(texts.filter((each) => each.length !== 1)).toEqual([]);
  expect(texts.filter(([text]) => !text!.startsWith('200 '))).toEqual([]);
});
