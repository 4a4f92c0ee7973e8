import { expect, test } from 'vitest';
import { createApiClient } from '../harness/api-client.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { useService } from '../harness/service.ts';
import { receive } from '../harness/stock.ts';

const service = useService({ apis: 2, workers: 2 });

test('20 of 20 units are seen, and issued at once, while moves shift the lots from spot to spot', async () => {
  const client = await service.client();
  const [first, second] = service.baseUrls.map((baseUrl) =>
    createApiClient(baseUrl, client.clientId, client.token),
  );
  const itemID = await service.item();
  await receive(client, itemID, 10, { spot: 'A' });
  await receive(client, itemID, 10, { spot: 'B' });
  let running = true;
  let moved = 0;
  const movers = meanwhile(
    Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const mover = index % 2 === 0 ? first! : second!;
        for (let turn = index; running; turn++) {
          const toSpot = ['A', 'B', 'C'][turn % 3];
          const answer = await mover.post('/Inventory/Move', {
            itemID,
            units: 1 + (turn % 7),
            wid: 1,
            toSpot,
          });
          // Too few lie elsewhere at times, or none at all between an issue and the next receive.
          expect([200, 409]).toContain(answer.status);
          if (answer.status === 200) moved += 1;
        }
      }),
    ),
  );
  const seen: unknown[] = [];
  for (let turn = 0; turn < 25; turn++) {
    const lots = await second!.get(`/Inventory?itemID=${itemID}&inStock=true&pageSize=250`);
    seen.push(lots.body.value.reduce((sum: number, lot: { units: number }) => sum + lot.units, 0));
    const issued = await client.post('/Inventory/Issue', { itemID, units: 20, wid: 1, reasonCode: 0 });
    seen.push(issued.status === 200 ? issued.body.units : issued.text);
    await receive(client, itemID, 20, { spot: 'A' });
  }
  running = false;
  await movers;
  expect(seen).toEqual(Array(50).fill(20));
  expect(moved).toBeGreaterThan(20);
});
