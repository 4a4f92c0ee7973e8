import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectAnswer, inChunks, untilTaken, validationError } from '../harness/contract/answers.ts';
import { useService } from '../harness/service/service.ts';

const service = useService({ workers: 2 });

const digits = 'must be a number with at most 6 digits after the point.';
const tooFine = 'must have at most 6 digits after the point.';

/** The text the service writes for a decimal that was sent. */
const shortest = (sent: string) => (/^\d+\.\d{6}$/.test(sent) ? sent : String(Number(sent)));

test.each([
  '0.000001',
  '999999999999.999',
  '999999999.999999',
  '1234567890.123456',
  '999999999999.999999',
  '0.1',
  '1e3',
  '123456789012',
  '1.50',
  '1.000000000000000000',
])('201: %s units, exact in every answer', async (units) => {
  const client = await service.client();
  const itemID = await service.item();
  const answer = await client.post(
    '/Inventory/Receive',
    `{"itemID":"${itemID}","units":${units},"wid":1,"reasonCode":0}`,
  );
  expect(answer.status).toBe(201);
  const shown = `"units":${shortest(units)},`;
  expect(answer.text).toContain(shown);
  expect((await client.get(`/Inventory?itemID=${itemID}`)).text).toContain(shown);
});

test.each([
  ['0', 'must be greater than 0.'],
  ['-1', 'must be greater than 0.'],
  ['-0', 'must be greater than 0.'],
  ['0.0000001', tooFine],
  ['1e-7', tooFine],
  ['1.0000001', tooFine],
  ['1.0000000000000000001', digits],
  ['1000000000000', 'must be less than 1000000000000.'],
  ['1000000000000.000001', 'must be less than 1000000000000.'],
  ['12345678901234567890.5', 'must be less than 1000000000000.'],
  ['1234567890.1234567', digits],
  [`1${'0'.repeat(60_000)}`, digits],
  ['1e400', digits],
  ['1e-400', digits],
  ['"5"', digits],
  ['true', digits],
  ['[1]', digits],
  ['{}', digits],
  ['null', 'is required.'],
])('400: %s units', async (units, message) => {
  const client = await service.client();
  const answer = await client.post(
    '/Inventory/Receive',
    `{"itemID":"X","units":${units},"wid":1,"reasonCode":0}`,
  );
  expectAnswer(answer, 400, validationError({ units: [`units ${message}`] }));
});

test('0.1 received 1,000 times is 100', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const answers = await inChunks(1000, 50, () =>
    untilTaken(() => client.post('/Inventory/Receive', { itemID, units: 0.1, wid: 1, reasonCode: 0 })),
  );
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1000);
  expect(new Set(answers.map((answer) => answer.body.recNo)).size).toBe(1000);
  const { partNo } = answers[0]!.body.lot;
  const levels = await client.get('/Inventory/StockLevels/1?pageSize=250');
  expect(levels.text).toContain(`{"partNo":${partNo},"available":100,"inStock":100,`);
  const issue = await client.post('/Inventory/Issue', { itemID, units: 100, wid: 1, reasonCode: 0 });
  expectAnswer(issue, 200, expect.objectContaining({ units: 100 }));
  expect(issue.body.lots).toHaveLength(1000);
});

test('409: more of an item in a warehouse than its level can hold', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const most = { itemID, units: 999_999_999_999, wid: 1, reasonCode: 0 };
  const answers = await inChunks(1001, 50, () => untilTaken(() => client.post('/Inventory/Receive', most)));
  const refused = answers.filter((answer) => answer.status !== 201);
  expect(refused).toHaveLength(1);
  // Figures with more digits than a double holds, so the texts are compared.
  const tooMuch =
    '{"statusCode":409,"error":"conflict","message":"The stock of this item in this warehouse would be too large.",' +
    '"reason":"noRoom","figures":{"asked":999999999999,"present":999999999999000,"unitsMax":999999999999999.999999}}';
  expect(refused[0]!.text).toBe(tooMuch);
  await client.post('/Inventory/Receive', { ...most, wid: 2 });
  const move = await client.post('/Inventory/Move', { itemID, units: 999_999_999_999, wid: 2, shipToWid: 1 });
  expect(move.text).toBe(tooMuch);
  const levels = await client.get('/Inventory/StockLevels/1?pageSize=250');
  expect(levels.text).toContain('"inStock":999999999999000,');
});

// The largest and finest lot: 18 digits.
const lotUnits = fc
  .record({
    whole: fc.oneof(fc.nat({ max: 9 }), fc.integer({ min: 100_000_000_000, max: 999_999_999_999 })),
    millionths: fc.integer({ min: 1, max: 999_999 }),
  })
  .map(({ whole, millionths }) => `${whole}.${`${millionths}`.padStart(6, '0')}`.replace(/0+$/, ''));

test('200: a number from an answer can be sent back as it is, to the last digit', async () => {
  const client = await service.client();
  const post = (path: string, text: string) =>
    untilTaken(() => client.post(`/Inventory/${path}`, text.replace('{', '{"wid":1,"reasonCode":0,')));
  const figure = (text: string, name: string) => new RegExp(`"${name}":([^,}]*)`).exec(text)![1]!;
  await fc.assert(
    fc.asyncProperty(fc.array(lotUnits, { minLength: 2, maxLength: 4 }), async (lots) => {
      const item = JSON.stringify(await service.item());
      const other = JSON.stringify(await service.item());
      const expectTaken = async (path: string, fields: string, name: string, sent: string) => {
        const answer = await post(path, `{"itemID":${item},${fields}}`);
        expect(answer.status, `${path} ${fields}: ${answer.text}`).toBe(200);
        expect(figure(answer.text, name)).toBe(sent);
      };
      for (const units of lots) {
        const weights = `"netWeight":${units},"price":${units}`;
        const received = await post('Receive', `{"itemID":${item},"units":${units},"spot":"A",${weights}}`);
        expect(received.status, received.text).toBe(201);
      }
      // A third of each lot, so that weights have digits that nobody sent.
      const first = await client.get(`/Inventory?itemID=${JSON.parse(item)}&sort=recNo&view=full`);
      const recNo = first.body.value[0].recNo as number;
      const part = await post('Move', `{"itemID":${item},"recno":${recNo},"units":0.000001,"toSpot":"B"}`);
      expect(part.status, part.text).toBe(200);
      const list = await client.get(
        `/Inventory?itemID=${JSON.parse(item)}&inStock=true&view=full&pageSize=250`,
      );
      for (const lot of list.text.match(/\{"recNo"[^}]*\}/g)!) {
        const [units, netWeight, price] = ['units', 'netWeight', 'price'].map((name) => figure(lot, name));
        const named = `"recno":${figure(lot, 'recNo')}`;
        await expectTaken('Move', `${named},"units":${units},"toSpot":"C","dryRun":true`, 'units', units!);
        await expectTaken('Issue', `${named},"units":${units},"dryRun":true`, 'units', units!);
        await expectTaken('Count', `${named},"counted":${units},"expected":${units}`, 'before', units!);
        const again = await post(
          'Receive',
          `{"itemID":${other},"units":${units},"netWeight":${netWeight},"price":${price}}`,
        );
        expect(again.status, again.text).toBe(201);
        const copy = await client.get(`/Inventory/Lots/${again.body.recNo}`);
        expect(['units', 'netWeight', 'price'].map((name) => figure(copy.text, name))).toEqual([
          ...[units, netWeight, price],
        ]);
      }
      // A sum, in the level and in a refusal.
      const refused = await post('Issue', `{"itemID":${item},"units":999999999999999.999999}`);
      const sum = figure(refused.text, 'available');
      const level = await client.get(`/Inventory/StockLevels/1?itemID=${JSON.parse(item)}`);
      expect(figure(level.text, 'inStock')).toBe(sum);
      await expectTaken('Count', `"everywhere":true,"counted":${sum},"expected":${sum}`, 'before', sum);
      await expectTaken('Issue', `"units":${sum}`, 'units', sum);
    }),
    { numRuns: 3 },
  );
});
