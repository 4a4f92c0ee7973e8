import { describe, expect } from 'vitest';
import { expectAnswer, invalid, validationError } from '../harness/contract/answers.ts';
import { type StockCall, useStock } from '../harness/contract/item-stock.ts';
import { uniqueName } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const { service, test } = useStock();

const digits = 'must be a number with at most 6 digits after the point.';
const noDestination = 'or shipToWid must name a destination that differs from the source.';
const noPlace = 'or recno or serial is required, or everywhere: true for the whole warehouse.';

/** The value sent in each field, and the message about it: none if the value is right. */
type Fields = Record<string, [sent: unknown, said?: string]>;
const required = (names: string, sent?: null): Fields =>
  Object.fromEntries(names.split(' ').map((name) => [name, [sent, 'is required.']]));
const right = (body: object): Fields =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name, [value]]));

/** Bodies with several fields wrong at once. */
const spoiled: Record<string, Fields[]> = {
  'POST /Inventory/Receive': [
    {
      ...required('itemID reasonCode'),
      units: [0, 'must be greater than 0.'],
      wid: ['1', 'must be an integer.'],
      spot: ['x'.repeat(101), 'must be at most 100 characters long.'],
      remark: ['x'.repeat(1001), 'must be at most 1000 characters long.'],
      serial: [5, 'must be a string.'],
      netWeight: [-1, 'must not be negative.'],
      price: ['1', digits],
      expires: ['2026-02-30', 'must be an ISO 8601 date or datetime.'],
      supplier: [-1, 'must be at least 0.'],
      line: [1.5, 'must be an integer.'],
      jobid: [2 ** 31, 'must be at most 2147483647.'],
    },
    required('itemID units wid reasonCode', null),
    {
      ...required('itemID units wid reasonCode'),
      // Names are case-sensitive.
      ...right({ itemid: 'X', Units: 1, WID: 1, reasoncode: 0 }),
    },
  ],
  'POST /Inventory/Move': [
    {
      ...required('itemID'),
      units: [0, 'must be greater than 0.'],
      wid: [1.5, 'must be an integer.'],
      received: ['x', 'must be an ISO 8601 date or datetime.'],
      fromSpot: [3, 'must be a string.'],
      recno: ['1', 'must be an integer.'],
      toSpot: [undefined, noDestination],
    },
  ],
  'POST /Inventory/Issue': [
    {
      ...required('itemID'),
      units: [-1, 'must be greater than 0.'],
      wid: [0, 'must be at least 1.'],
      reasonCode: ['x', 'must be an integer.'],
      recno: [0, 'must be at least 1.'],
      shipto: [-1, 'must be at least 0.'],
      prodID: [1, 'must be a string.'],
    },
    { ...right({ itemID: 'X', units: 1, wid: 1, reasonCode: 0 }), recno: [2 ** 53, 'must be an integer.'] },
  ],
  'POST /Inventory/Count': [
    {
      ...required('wid reasonCode'),
      itemID: ['', 'must not be empty.'],
      counted: [-1, 'must not be negative.'],
      spot: [undefined, noPlace],
      expected: ['1', digits],
    },
  ],
  'POST /Inventory/Reverse': [
    { transactionNo: [0, 'must be at least 1.'], reference: [7, 'must be a string.'] },
  ],
  'POST /Inventory/Batch': [
    {
      mode: [undefined, 'must be each or atomic.'],
      sentAt: ['now', 'must be an ISO 8601 date or datetime.'],
      operations: [[], 'must hold at least 1 operation.'],
    },
    { mode: ['each'], operations: [undefined, 'is required.'] },
    { mode: ['each'], operations: [null, 'is required.'] },
    { mode: ['each'], operations: [{}, 'must be a list.'] },
    { mode: ['each'], operations: [Array(501).fill({}), 'must hold at most 500 operations.'] },
    { mode: ['each'], operations: [[{}]], dryRun: [true, 'is for mode atomic.'] },
  ],
  'POST /Item': [
    {
      ...required('shortID'),
      description: ['x'.repeat(501), 'must be at most 500 characters long.'],
      category: [-1, 'must be at least 0.'],
      subCategory: [1.5, 'must be an integer.'],
      uOM: [1, 'must be a string.'],
      putUp: ['x'.repeat(101), 'must be at most 100 characters long.'],
      units: [-1, 'must not be negative.'],
      dfltOwner: [2 ** 31, 'must be at most 2147483647.'],
      discontinued: ['no', 'must be true or false.'],
      categoryID: ['1', 'must be an integer.'],
      unit: [{}, 'must be a string.'],
      active: [1, 'must be true or false.'],
    },
    // Both spellings of a field, with different values.
    {
      ...required('shortID'),
      ...right({ category: 1, uOM: 'EA', discontinued: true }),
      categoryID: [2, 'contradicts category.'],
      unit: ['KG', 'contradicts uOM.'],
      active: [true, 'contradicts discontinued.'],
    },
    { shortID: ['B'], itemID: ['A', 'contradicts shortID.'], units: [-1, 'must not be negative.'] },
    { ...required('shortID'), itemID: [null] },
    { itemID: [5, 'must be a string.'], unit: [5, 'must be a string.'] },
    { itemID: ['x'.repeat(65), 'must be at most 64 characters long.'] },
  ],
  'PUT /Item': [
    required('shortID', null),
    { ...required('shortID'), ...right({ shortid: 'X', description: 'x' }) },
  ],
};

/** The fields of a case that are wrong, with what is said of each. */
const saidOf = (fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, [, said]]) => (said === undefined ? [] : [[name, said]])),
  );

describe.each(Object.entries(spoiled))('%s', (route, cases) => {
  const [method, path] = route.split(' ') as [string, string];

  test.for(cases.map((fields) => [Object.keys(saidOf(fields)).join(), fields] as const))(
    '400: every offending field is named: %s',
    async ([, fields], { client }) => {
      const body = Object.fromEntries(Object.entries(fields).map(([name, [sent]]) => [name, sent]));
      expectAnswer(await client.send(method, path, { body }), 400, invalid(saidOf(fields)));
    },
  );
});

test('400: a number that is no integer and too small is told both', async ({ client }) => {
  const body = { itemID: 'X', units: 1, wid: 1, toSpot: 'B', recno: -0.5 };
  const recno = ['recno must be an integer.', 'recno must be at least 1.'];
  expectAnswer(await client.post('/Inventory/Move', body), 400, validationError({ recno }));
});

test.for<[unknown, string]>([
  [undefined, 'is required.'],
  [null, 'is required.'],
  ['', 'must not be empty.'],
  [' ', 'must not be empty.'],
  ['\t\n\u00a0', 'must not be empty.'],
  [5, 'must be a string.'],
  [['A'], 'must be a string.'],
  [{}, 'must be a string.'],
  ['a\u0000b', 'must not contain U+0000 or a lone surrogate.'],
  ['a\ud800', 'must not contain U+0000 or a lone surrogate.'],
  ['x'.repeat(65), 'must be at most 64 characters long.'],
])('400: %j as shortID or itemID', async ([value, said], { client, stock }) => {
  expectAnswer(await client.post('/Item', { shortID: value }), 400, invalid({ shortID: said }));
  expectAnswer(await stock.call('Receive', { itemID: value, units: 1 }), 400, invalid({ itemID: said }));
});

const ofLots: [StockCall, object][] = [
  ['Move', { units: 1, toSpot: 'B' }],
  ['Issue', { units: 1 }],
  ['Count', { counted: 1 }],
];

test.for<[StockCall, object]>([['Receive', { units: 1 }], ...ofLots])(
  '400: %s of an unknown item, or with its name in another case',
  async ([call, fields], { stock }) => {
    for (const itemID of [uniqueName('NO'), stock.itemID.toLowerCase()]) {
      const unknown = invalid({ itemID: 'is not a known item.' });
      expectAnswer(await stock.call(call, { ...fields, spot: 'A', itemID }), 400, unknown);
    }
  },
);

test.for(ofLots)(
  '400: %s of an unknown lot, or one of another item or warehouse, in or out of scope: one text for all',
  async ([call, fields], { stock }) => {
    const keeper = await service.client({ warehouses: [1, 2, 3] });
    const lots = [
      2 ** 31 - 1,
      await receiveLot(keeper, await service.item(), 1),
      await receiveLot(keeper, stock.itemID, 1, { wid: 2 }),
      await receiveLot(keeper, stock.itemID, 1, { wid: 3 }),
    ];
    const notOfItem = invalid({ recno: 'is not a lot of this item in this warehouse.' });
    for (const recno of lots) expectAnswer(await stock.call(call, { ...fields, recno }), 400, notOfItem);
  },
);

test.for<[fields: object, said: Record<string, string>]>([
  [{}, { spot: noPlace }],
  [{ everywhere: false }, { spot: noPlace }],
  [{ spot: 'A', everywhere: true }, { everywhere: 'must not be true beside recno, spot or serial.' }],
  [{ everywhere: 'true' }, { spot: noPlace, everywhere: 'must be true or false.' }],
])('400: a count without its place, alone and in a batch: %j', async ([fields, said], { client, stock }) => {
  await stock.addLot(5, { spot: 'B' });
  const body = { itemID: stock.itemID, counted: 0, wid: 1, reasonCode: 5, ...fields };
  expectAnswer(await client.post('/Inventory/Count', body), 400, invalid(said));
  const operations = [{ op: 'count', ...body }];
  const batch = await client.post('/Inventory/Batch', { mode: 'each', operations });
  expect(batch.body.results[0].error).toEqual(invalid(said));
  expect(await stock.units()).toBe(5);
});

test.for<[string, object]>([
  ['neither toSpot nor shipToWid', {}],
  ['toSpot the same as fromSpot', { fromSpot: 'A', toSpot: 'A' }],
  ['shipToWid the same as wid', { shipToWid: 1 }],
  ['both the same', { fromSpot: 'A', toSpot: 'A', shipToWid: 1 }],
  ['null for both', { toSpot: null, shipToWid: null }],
])('400: a move without a destination: %s', async ([, fields], { stock }) => {
  await stock.addLot(1, { spot: 'A' });
  const answer = await stock.call('Move', { units: 1, ...fields });
  expectAnswer(answer, 400, invalid({ toSpot: noDestination }));
});

test('400: a move of a lot to where it is', async ({ stock }) => {
  const recno = await stock.addLot(1, { spot: 'A' });
  const answer = await stock.call('Move', { units: 1, recno, toSpot: 'A' });
  expectAnswer(answer, 400, invalid({ toSpot: 'must differ from where the lot is.' }));
});
