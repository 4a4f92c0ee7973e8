import { describe, expect } from 'vitest';
import { conflictObject, expectAnswer } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import { receiveOf } from '../harness/stock/operations.ts';

const { service, test } = useStock();

const everywhere = true;

/** The answer to a count. */
const counted = (recNo: number | null, before: number, counted: number, lots: object[]) => ({
  ...{ recNo, status: 'counted', transactionNo: expect.any(Number), dryRun: false },
  ...{ before, counted, difference: counted - before, lots },
});

describe('POST /Inventory/Count', () => {
  test('200: fewer units are taken in the order of allocation, expired lots last', async ({ stock }) => {
    const expired = await stock.addLot(4, { expires: '2020-01-01' });
    const plain = await stock.addLot(3);
    const soon = await stock.addLot(2, { expires: '2090-01-01' });
    const lots = [
      { recNo: soon, units: -2, remaining: 0 },
      { recNo: plain, units: -3, remaining: 0 },
      { recNo: expired, units: -0.5, remaining: 3.5 },
    ];
    const answer = await stock.call('Count', { counted: 3.5, everywhere });
    expectAnswer(answer, 200, counted(soon, 9, 3.5, lots));
    expect(await stock.lots('&inStock=true')).toMatchObject([{ recNo: expired, units: 3.5 }]);
  });

  test('200: more units become a new lot, at the place that was counted', async ({ stock }) => {
    const place = { spot: 'A', serial: 'S' };
    await stock.addLot(2, place);
    await stock.addLot(7, { spot: 'A', serial: 'T' });
    await stock.addLot(7, { spot: 'B', serial: 'S' });
    const answer = await stock.call('Count', { counted: 5, ...place, remark: 'found' });
    const { recNo } = answer.body;
    expectAnswer(answer, 200, counted(recNo, 2, 5, [{ recNo, units: 3, remaining: 3 }]));
    expect((await stock.lots()).at(-1)).toMatchObject({ recNo, ...place, units: 3, remark: 'found' });
  });

  test('200: no difference is recorded, without a lot, also where nothing is', async ({ stock }) => {
    const nothing = await stock.call('Count', { counted: 0, everywhere });
    expectAnswer(nothing, 200, counted(null, 0, 0, []));
    await stock.addLot(2);
    const answer = await stock.call('Count', { counted: 2, expected: 2, everywhere });
    expectAnswer(answer, 200, counted(null, 2, 2, []));
    const { transactionNo } = answer.body;
    const [stored] = await service.sql`
      select kind, status, result::text, (select count(*) from stock_entry where transaction_no = ${transactionNo}) as lines
      from stock_transaction
      where transaction_no = ${transactionNo}`;
    expect(stored).toEqual({ kind: 'count', status: 'applied', result: answer.text, lines: 0 });
  });

  test('409: a lot on hold that the batch itself made is named without a number', async ({ stock }) => {
    const { client, itemID } = stock;
    const held = await stock.addLot(10);
    await stock.hold(held);
    const operations = [
      { op: 'move', itemID, wid: 1, recno: held, units: 5, toSpot: 'B' },
      { op: 'count', itemID, wid: 1, counted: 0, reasonCode: 5, everywhere },
    ];
    const { body } = await client.post('/Inventory/Batch', { mode: 'atomic', operations });
    const message = `Lots on hold are not counted down: 0 counted, 10 on hold in lot ${held} and a lot made just now.`;
    const refusal = conflictObject('onHold', { counted: 0, onHold: 10, lots: 2 }, message);
    expect(body.results[1].error).toEqual(refusal);
  });

  test('409: more lots than one transaction may count; 200: as many', async ({ stock }) => {
    const { client, itemID } = stock;
    for (const size of [500, 500, 1]) {
      const operations = Array(size).fill(receiveOf(itemID, 1));
      await client.post('/Inventory/Batch', { mode: 'atomic', operations });
    }
    const { body } = await stock.call('Count', { counted: 1, everywhere });
    expect(body.message).toMatch(/^Too many lots: there are more than 1000, the most/);
    await stock.done('Issue', { units: 1 });
    const { before, difference } = await stock.done('Count', { counted: 999, everywhere });
    expect([before, difference]).toEqual([1000, -1]);
  });
});
