import fc from 'fast-check';
import { expect } from 'vitest';
import { expectAnswer, inChunks, invalid, untilTaken } from '../harness/contract/answers.ts';
import { stockOf, useStock } from '../harness/contract/item-stock.ts';

const { service, test } = useStock({ workers: 2 });

const digits = 'must be a number with at most 6 digits after the point.';
const tooFine = 'must have at most 6 digits after the point.';
const tooMany = 'must be less than 1000000000000.';

const receiptText = (itemID: string, units: string) =>
  `{"itemID":"${itemID}","units":${units},"wid":1,"reasonCode":0}`;

test.for([
  ...['0.000001', '999999999999.999', '999999999.999999', '1234567890.123456', '999999999999.999999'],
  ...['0.1', '1e3', '123456789012', '1.50', '1.000000000000000000'],
])('201: %s units, exact in every answer', async (units, { client, itemID }) => {
  const answer = await client.post('/Inventory/Receive', receiptText(itemID, units));
  expect(answer.status).toBe(201);
  const shown = `"units":${/^\d+\.\d{6}$/.test(units) ? units : Number(units)},`;
  expect(answer.text).toContain(shown);
  expect((await client.get(`/Inventory?itemID=${itemID}`)).text).toContain(shown);
});

test.for<[units: string, said: string]>([
  ...['0', '-1', '-0'].map((units): [string, string] => [units, 'must be greater than 0.']),
  ...['0.0000001', '1e-7', '1.0000001'].map((units): [string, string] => [units, tooFine]),
  ...['1000000000000', '1000000000000.000001', '12345678901234567890.5'].map((units): [string, string] => [
    units,
    tooMany,
  ]),
  ...[
    ...['1.0000000000000000001', '1234567890.1234567', `1${'0'.repeat(60_000)}`, '1e400', '1e-400'],
    ...['"5"', 'true', '[1]', '{}'],
  ].map((units): [string, string] => [units, digits]),
  ['null', 'is required.'],
])('400: %s units', async ([units, said], { client }) => {
  expectAnswer(
    await client.post('/Inventory/Receive', receiptText('X', units)),
    400,
    invalid({ units: said }),
  );
});

test('0.1 received 1,000 times is 100', async ({ client, itemID, stock }) => {
  const recNos = await inChunks(1000, 50, () => stock.addLot(0.1));
  expect(new Set(recNos).size).toBe(1000);
  const levels = await client.get(`/Inventory/StockLevels/1?itemID=${itemID}`);
  expect(levels.text).toContain('"available":100,"inStock":100,');
  expect((await stock.done('Issue', { units: 100 })).lots).toHaveLength(1000);
});

test('409: more of an item in a warehouse than its level can hold', async ({ client, itemID, stock }) => {
  const most = { units: 999_999_999_999 };
  const answers = await inChunks(1001, 50, () => untilTaken(() => stock.call('Receive', most)));
  const refused = answers.filter((answer) => answer.status !== 201);
  await stock.addLot(most.units, { wid: 2 });
  const moved = await stock.call('Move', { ...most, wid: 2, shipToWid: 1 });
  // Figures with more digits than a double holds, so the texts are compared.
  const tooMuch =
    '{"statusCode":409,"error":"conflict","message":"The stock of this item in this warehouse would be too large.",' +
    '"reason":"noRoom","figures":{"asked":999999999999,"present":999999999999000,"unitsMax":999999999999999.999999}}';
  expect([...refused, moved].map(({ text }) => text)).toEqual([tooMuch, tooMuch]);
  const levels = await client.get(`/Inventory/StockLevels/1?itemID=${itemID}`);
  expect(levels.text).toContain('"inStock":999999999999000,');
});

// The largest and finest lot: 18 digits.
const lotUnits = fc
  .record({
    whole: fc.oneof(fc.nat({ max: 9 }), fc.integer({ min: 100_000_000_000, max: 999_999_999_999 })),
    millionths: fc.integer({ min: 1, max: 999_999 }),
  })
  .map(({ whole, millionths }) => `${whole}.${`${millionths}`.padStart(6, '0')}`.replace(/0+$/, ''));

const figure = (text: string, name: string) => new RegExp(`"${name}":([^,}]*)`).exec(text)![1]!;

test('200: a number from an answer can be sent back as it is, to the last digit', async ({ client }) => {
  const post = (path: string, itemID: string, fields: string) => {
    const text = `{"wid":1,"reasonCode":0,"itemID":"${itemID}",${fields}}`;
    return untilTaken(() => client.post(`/Inventory/${path}`, text));
  };
  await fc.assert(
    fc.asyncProperty(fc.array(lotUnits, { minLength: 2, maxLength: 4 }), async (lots) => {
      const [item, other] = [await service.item(), await service.item()];
      const expectTaken = async (path: string, fields: string, name: string, sent: string) => {
        const answer = await post(path, item, fields);
        expect(answer.status, `${path} ${fields}: ${answer.text}`).toBe(200);
        expect(figure(answer.text, name)).toBe(sent);
      };
      for (const units of lots) {
        const weights = `"netWeight":${units},"price":${units}`;
        const received = await post('Receive', item, `"units":${units},"spot":"A",${weights}`);
        expect(received.status, received.text).toBe(201);
      }
      // A part of a lot, so that weights have digits that nobody sent.
      const [first] = await stockOf(service, client, item).lots();
      await expectTaken('Move', `"recno":${first.recNo},"units":0.000001,"toSpot":"B"`, 'units', '0.000001');
      const list = await client.get(`/Inventory?itemID=${item}&inStock=true&view=full&pageSize=250`);
      for (const lot of list.text.match(/\{"recNo"[^}]*\}/g)!) {
        const shown = ['units', 'netWeight', 'price'].map((name) => figure(lot, name));
        const [units, netWeight, price] = shown as [string, string, string];
        const named = `"recno":${figure(lot, 'recNo')}`;
        await expectTaken('Move', `${named},"units":${units},"toSpot":"C","dryRun":true`, 'units', units);
        await expectTaken('Issue', `${named},"units":${units},"dryRun":true`, 'units', units);
        await expectTaken('Count', `${named},"counted":${units},"expected":${units}`, 'before', units);
        const sent = `"units":${units},"netWeight":${netWeight},"price":${price}`;
        const again = await post('Receive', other, sent);
        expect(again.status, again.text).toBe(201);
        const copy = await client.get(`/Inventory/Lots/${again.body.recNo}`);
        expect(['units', 'netWeight', 'price'].map((name) => figure(copy.text, name))).toEqual(shown);
      }
      // A sum, in the level and in a refusal.
      const refused = await post('Issue', item, '"units":999999999999999.999999');
      const sum = figure(refused.text, 'available');
      const level = await client.get(`/Inventory/StockLevels/1?itemID=${item}`);
      expect(figure(level.text, 'inStock')).toBe(sum);
      await expectTaken('Count', `"everywhere":true,"counted":${sum},"expected":${sum}`, 'before', sum);
      await expectTaken('Issue', `"units":${sum}`, 'units', sum);
    }),
    { numRuns: 3 },
  );
});
