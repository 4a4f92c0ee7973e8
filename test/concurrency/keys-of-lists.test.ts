import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { holdGates } from '../harness/queue/batches.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService({ hears503: true });
// As many as the turns of all lists allow at once.
const busyItems = 16;
const ofEach = 31;

test('never applied: an operation of a list that came before its key was refused, and had its turn after', async () => {
  const rights = { rateLimit: 1_000_000, operationsPerMinute: 1_000_000 };
  const [caller, other] = [await service.client(rights), await service.client(rights)];
  const modes = ['each', 'atomic'] as const;
  const items = await Promise.all(modes.map(() => service.item()));
  const busy = await Promise.all(Array.from({ length: busyItems }, () => service.item()));
  const receive = (itemID: string) => ({ itemID, units: 5, wid: 1, reasonCode: 0 });
  for (const itemID of [...items, ...busy]) await caller.post('/Inventory/Receive', receive(itemID));
  const release = await holdGates(service.sql, items, 1);
  const releaseBusy = await holdGates(service.sql, busy, 1);

  const keys = modes.map(() => uniqueName('key'));
  const alone = items.map((itemID, index) =>
    caller.post('/Inventory/Receive', receive(itemID), { 'Idempotency-Key': keys[index]! }),
  );
  // Their turns last until these operations get their verdict, which is after that of the calls above.
  await pause(1000);
  const operations = busy.flatMap((itemID) =>
    Array.from({ length: ofEach }, () => ({ op: 'receive', ...receive(itemID) })),
  );
  const others = other.post('/Inventory/Batch', { mode: 'each', operations });
  await pause(300);
  const lists = modes.map((mode, index) =>
    caller.post('/Inventory/Batch', {
      mode,
      operations: [{ op: 'receive', key: keys[index], ...receive(items[index]!) }],
    }),
  );
  expect((await Promise.all(alone)).map(({ status }) => status)).toEqual([503, 503]);
  await release();
  const results = (await Promise.all(lists)).map(({ body }) => body.results?.[0]?.status ?? body.code);
  await releaseBusy();
  await others;
  const levels = await Promise.all(
    items.map((itemID) => caller.get(`/Inventory/StockLevels/1?itemID=${itemID}`)),
  );
  expect(levels.map(({ body }) => body.value[0].inStock)).toEqual([5, 5]);
  expect(results).not.toContain('applied');
});
