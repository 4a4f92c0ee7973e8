import { expect, test } from 'vitest';
import { useService } from '../harness/service/service.ts';
import { fillShared, shared } from '../harness/stock/shared-marks.ts';
import { receiveLot } from '../harness/stock/stock.ts';

// A 503 is what a neighbour would get, so nothing is sent again.
const service = useService({ hears503: true });
const lots = 60_000;

test('201 for a neighbour on the same worker, beside repeated batches of 500 atomic issues by marks that 30,000 lots share', async () => {
  const [attacker, neighbour] = [
    await service.client({ rateLimit: 10_000, operationsPerMinute: 1_000_000 }),
    await service.client({ rateLimit: 10_000 }),
  ];
  const [itemID, other] = [await service.item(), await service.item()];
  await receiveLot(neighbour, other, 1);
  await fillShared(service.sql, itemID, lots);
  const found = (n: number) => ({ rfidTag: shared.even.rfidTag, serial: `S-${lots - 2 * n}` });
  const none = () => ({ rfidTag: shared.even.rfidTag, serial: shared.odd.serial });
  const attack = async (marks: (n: number) => object) => {
    const operations = Array.from({ length: 500 }, (_, n) => ({
      ...{ op: 'issue', itemID, wid: 1, units: 1, reasonCode: 1 },
      ...marks(n),
    }));
    const { status } = await attacker.post('/Inventory/Batch', { mode: 'atomic', operations });
    return status;
  };
  const attacked: number[] = [];
  const statuses: number[] = [];
  let goesOn = true;
  const attacks = (async () => {
    for (const marks of [none, none, found, none, none]) attacked.push(await attack(marks));
  })().finally(() => {
    goesOn = false;
  });
  while (goesOn) {
    const receipt = { itemID: other, units: 1, wid: 1, reasonCode: 1 };
    statuses.push((await neighbour.post('/Inventory/Receive', receipt)).status);
  }
  await attacks;
  expect(new Set(statuses)).toEqual(new Set([201]));
  expect(attacked).toEqual([409, 409, 200, 409, 409]);
});
