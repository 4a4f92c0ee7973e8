import { statusOf } from '@inventory/api/http/errors';
import { appliedStatusOf } from '@inventory/api/stock/transactions';
import type { Refusal } from '@inventory/domain/refusals/refused';
import { expect, test } from 'vitest';
import { createRandom, pickOne } from '../faults/random.ts';
import { inChunks } from '../harness/contract/answers.ts';
import { type ApiAnswer, createApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { type ModelRequest, operationOf } from '../harness/stock/random-requests.ts';
import { expectSameLots } from '../harness/stock/random-stock.ts';
import { StockModel } from '../harness/stock/stock-model.ts';
import { expectSame, Places } from '../harness/stock/stock-places.ts';

const service = useService({ apis: 2, workers: 2 });

/** Sends again a request that a slow machine was too busy for, but not one that may have been applied. */
async function taken(send: () => Promise<ApiAnswer>): Promise<void> {
  for (;;) {
    const { status, body } = await send();
    if (status !== 503 || !body.message.includes('nothing was applied')) return;
  }
}

test('lots are taken in the order of allocation, whatever runs beside: the model gives the same answers in the order of the ledger', async () => {
  const client = await service.client();
  const processes = service.baseUrls.map((baseUrl) =>
    createApiClient(baseUrl, client.clientId, client.token),
  );
  const itemIDs = [await service.item(), await service.item(), await service.item()];
  const random = createRandom(6);
  const spots = ['', 'A', 'B'];
  const maybe = <T>(value: T) => (random() < 0.3 ? value : undefined);
  await inChunks(800, 100, async (index) => {
    const itemID = pickOne(random, itemIDs);
    const wid = pickOne(random, [1, 2]);
    const units = (1 + Math.floor(random() * 16)) / 2;
    const caller = processes[index % 2]!;
    const kind = pickOne(random, ['receive', 'receive', 'move', 'issue'] as const);
    if (kind === 'receive') {
      const expires = pickOne(random, [undefined, '2001-01-01', '2090-01-01', '2091-01-01']);
      const body = { itemID, units, wid, reasonCode: 0, spot: pickOne(random, spots), expires };
      await taken(() => caller.post('/Inventory/Receive', body));
    } else if (kind === 'issue') {
      const body = { itemID, units: units * 2, wid, reasonCode: 0, spot: maybe(pickOne(random, spots)) };
      await taken(() => caller.post('/Inventory/Issue', body));
    } else {
      const away = random() < 0.5;
      const to = away ? { shipToWid: 3 - wid, toSpot: maybe('A') } : { toSpot: pickOne(random, ['A', 'B']) };
      const body = { itemID, units, wid, fromSpot: maybe(''), ...to };
      await taken(() => caller.post('/Inventory/Move', body));
    }
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test compares a body with what it expects.
  type Decided = ModelRequest & { status: 'applied' | 'refused'; result: any };
  const decided = await service.sql<Decided[]>`
    select kind, status, body, result
    from stock_transaction
    where status <> 'abandoned'
    order by transaction_no`;
  const items = new Map(
    itemIDs.map((itemID) => [itemID, { itemID, model: new StockModel(), places: new Places() }]),
  );
  for (const { status: decision, result, ...request } of decided) {
    const { model, places } = items.get(request.body.itemID)!;
    const isApplied = decision === 'applied';
    if (isApplied && request.kind === 'receive') model.goOn(Date.parse(result.lot.received));
    const operation = operationOf(request as ModelRequest, places);
    const status = isApplied ? appliedStatusOf(request.kind) : statusOf[result.code as Refusal['code']];
    expectSame(places.seen({ status, body: result }), model.run(operation), request.body);
  }
  for (const item of items.values()) await expectSameLots(service.sql, item);
  // The run covered the interesting cases: full batches, and many transactions with several lots.
  expect(decided.filter(({ result }) => result.lots?.length > 1).length).toBeGreaterThan(40);
  expect(decided.filter(({ status }) => status === 'refused').length).toBeGreaterThan(15);
  // Except those whose outcome a slow machine could not tell.
  expect(decided.length).toBeGreaterThan(500);
});
