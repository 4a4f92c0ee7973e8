import { messages } from '@inventory/api/http/errors';
import {
  type ConflictReason,
  conflictFigures,
  conflictReasons,
} from '@inventory/domain/refusals/conflict-reasons';
import { describe, expect } from 'vitest';
import {
  conflictObject,
  errorObject,
  expectAnswer,
  inChunks,
  untilTaken,
} from '../harness/contract/answers.ts';
import { type ItemStock, type StockCall, useStock } from '../harness/contract/item-stock.ts';
import { uniqueName } from '../harness/service/service.ts';
import { receiveOf } from '../harness/stock/operations.ts';

const { test } = useStock();

/** A call that is always refused, with the figures and the message of its refusal. */
type Refused = {
  call: StockCall;
  fields: Record<string, unknown>;
  figures: Record<string, number>;
  message: string;
  key?: string;
};
type Case = (stock: ItemStock) => Promise<Refused>;

function refused(
  call: StockCall,
  fields: Record<string, unknown>,
  figures: Record<string, number>,
  message: string,
): Refused {
  return { call, fields, figures, message };
}

async function held(stock: ItemStock, units: number, fields: object = {}) {
  const recNo = await stock.addLot(units, fields);
  await stock.hold(recNo);
  return recNo;
}

const nothingToMove = (fields: { units: number; [field: string]: unknown }, atDestination: number) =>
  refused(
    'Move',
    fields,
    { asked: fields.units, available: 0, atDestination },
    `Nothing to move: ${atDestination} lie at the destination already, and no other stock matches.`,
  );

/** The move or issue of a lot that does not match. */
const differs = (call: StockCall, fields: object, named: string) => async (stock: ItemStock) => {
  const recNo = await stock.addLot(5, { spot: 'A' });
  const message = `The lot does not match ${named}.`;
  return refused(call, { units: 1, recno: recNo, ...fields }, { recNo, present: 5 }, message);
};

/**
 * Every reason of a transaction; a new reason does not compile without its cases.
 */
type Reason = Exclude<ConflictReason, 'operationRefused' | 'cursorOutdated' | 'nameTaken' | 'tooManyAliases'>;
const cases: Record<Reason, Record<string, Case>> = {
  insufficientStock: {
    'an issue': async (stock) => {
      await stock.addLot(2.5);
      await held(stock, 1);
      await stock.addLot(2, { expires: '2001-01-01' });
      const figures = { asked: 10, available: 2.5, onHold: 1, expired: 2 };
      const message = 'Not enough stock: 10 asked, 2.5 available. Not taken: 1 on hold, 2 expired.';
      return refused('Issue', { units: 10 }, figures, message);
    },
    'a lot that is named': async (stock) => {
      const recno = await stock.addLot(2);
      const figures = { asked: 10, available: 2, onHold: 0, expired: 0 };
      return refused('Issue', { units: 10, recno }, figures, 'Not enough stock: 10 asked, 2 available.');
    },
  },
  onHold: {
    'the missing units': async (stock) => {
      await held(stock, 5);
      await stock.addLot(1);
      const figures = { asked: 6, available: 1, onHold: 5, expired: 0 };
      const message = 'Not enough stock: 6 asked, 1 available. Not taken: 5 on hold.';
      return refused('Move', { units: 6, toSpot: 'B' }, figures, message);
    },
    'a lot that is named': async (stock) => {
      const recNo = await held(stock, 5);
      const figures = { recNo, asked: 1, onHold: 5 };
      return refused('Issue', { units: 1, recno: recNo }, figures, 'The lot is on hold.');
    },
    'a count': async (stock) => {
      const recNo = await held(stock, 5, { spot: 'A' });
      const message = `Lots on hold are not counted down: 1.5 counted, 5 on hold in lot ${recNo}.`;
      return refused('Count', { counted: 1.5, spot: 'A' }, { counted: 1.5, onHold: 5, lots: 1 }, message);
    },
    'a count of a lot that is named': async (stock) => {
      const recNo = await held(stock, 5);
      const message = `Lots on hold are not counted down: 2 counted, 5 on hold in lot ${recNo}.`;
      return refused('Count', { counted: 2, recno: recNo }, { counted: 2, onHold: 5, lots: 1 }, message);
    },
    'a reversal': async (stock) => {
      const { recNo, transactionNo } = await stock.done('Receive', { units: 5 });
      await stock.hold(recNo);
      const message = `Lot ${recNo} is on hold, with 5 units.`;
      return refused('Reverse', { transactionNo }, { recNo, onHold: 5 }, message);
    },
  },
  expired: {
    'the missing units': async (stock) => {
      await stock.addLot(5, { expires: '2001-01-01' });
      const figures = { asked: 1, available: 0, onHold: 0, expired: 5 };
      const message = 'Not enough stock: 1 asked, 0 available. Not taken: 5 expired.';
      return refused('Issue', { units: 1 }, figures, message);
    },
  },
  nothingToMove: {
    'all is there': async (stock) => {
      await stock.addLot(5, { spot: 'B' });
      return nothingToMove({ units: 1, toSpot: 'B' }, 5);
    },
    'all of a serial is there': async (stock) => {
      await stock.addLot(5, { spot: 'B', serial: 'S' });
      await stock.addLot(3, { spot: 'A', serial: 'T' });
      return nothingToMove({ units: 9, toSpot: 'B', serial: 'S' }, 5);
    },
    'all is without a spot': async (stock) => {
      await stock.addLot(2.5);
      return nothingToMove({ units: 1, toSpot: '' }, 2.5);
    },
  },
  lotDiffers: {
    'an issue': differs(
      'Issue',
      { spot: 'B', serial: 'S', serial2: 'T', rfidTag: 'R' },
      'spot, serial, serial2, rfidTag',
    ),
    'a move': differs(
      'Move',
      { fromSpot: 'C', serial: 'S', received: '2020-01-01', toSpot: 'B' },
      'fromSpot, serial, received',
    ),
    'a count': differs('Count', { counted: 1, spot: 'B' }, 'spot'),
  },
  countDiffers: {
    'a count': async (stock) => {
      await stock.addLot(12.000001, { spot: 'A' });
      const figures = { expected: 15, present: 12.000001 };
      const message = 'Not as expected: 15 expected, 12.000001 there.';
      return refused('Count', { counted: 1, spot: 'A', expected: 15 }, figures, message);
    },
  },
  tooManyLots: {
    'an issue': async (stock) => {
      await inChunks(1001, 50, () => stock.addLot(1));
      const message =
        'Too many lots: 1001 units would take 1001 lots, and one transaction takes at most 1000. ' +
        'Ask for at most 1000 units at a time.';
      const figures = { asked: 1001, lots: 1001, lotsMax: 1000, unitsMax: 1000 };
      return refused('Issue', { units: 1001 }, figures, message);
    },
  },
  noRoom: {
    'a count of one lot': async (stock) => {
      const recNo = await stock.addLot(0.5);
      const unitsMax = Number('999999999999.999999');
      const figures = { recNo, asked: 999_999_999_999.5, present: 0.5, unitsMax };
      const message = 'The lot would be too large: it can hold at most 999999999999.999999 units.';
      return refused('Count', { counted: 1_000_000_000_000, recno: recNo }, figures, message);
    },
  },
  alreadyReversed: {
    'a reversal': async (stock) => {
      const { transactionNo } = await stock.done('Receive', { units: 5 });
      await stock.done('Reverse', { transactionNo });
      const message = `Transaction ${transactionNo} is reversed already.`;
      return refused('Reverse', { transactionNo }, { transactionNo }, message);
    },
  },
  isReversal: {
    'a reversal': async (stock) => {
      const received = await stock.done('Receive', { units: 5 });
      const { transactionNo } = await stock.done('Reverse', { transactionNo: received.transactionNo });
      return refused('Reverse', { transactionNo }, { transactionNo }, 'A reversal cannot be reversed.');
    },
  },
  hasNoReversal: {
    'a hold': async (stock) => {
      const recno = await stock.addLot(5);
      const { transactionNo } = await stock.done('Hold', { recno, hold: true });
      const message = 'A hold has no reversal: the opposite hold undoes it.';
      return refused('Reverse', { transactionNo }, { transactionNo }, message);
    },
  },
  lotNotInStock: {
    'a lot that is used up': async (stock) => {
      const recno = await stock.addLot(5);
      await stock.done('Issue', { units: 5, recno });
      const message = `Lot ${recno} is not in stock.`;
      return refused('Hold', { recno, hold: true }, { recNo: recno }, message);
    },
  },
  unitsMovedOn: {
    'units that are gone': async (stock) => {
      const { recNo, transactionNo } = await stock.done('Receive', { units: 5 });
      await stock.done('Issue', { units: 1.5 });
      const message = `The units have moved on: lot ${recNo} has 3.5, and 5 would go back.`;
      return refused('Reverse', { transactionNo }, { recNo, asked: 5, present: 3.5 }, message);
    },
    'units that lie elsewhere': async (stock) => {
      const { recNo, transactionNo } = await stock.done('Receive', { units: 5 });
      await stock.done('Move', { units: 5, toSpot: 'B' });
      const message = `The units have moved on: lot ${recNo} has 5 at B, not at no spot.`;
      return refused('Reverse', { transactionNo }, { recNo, present: 5 }, message);
    },
  },
  keyReused: {
    'another call': async (stock) => {
      const key = uniqueName('key');
      await stock.addLot(5);
      const first = await stock.call('Issue', { units: 1 }, { 'Idempotency-Key': key });
      expect(first.status).toBe(200);
      const message = 'This Idempotency-Key was used with another request.';
      return { ...refused('Issue', { units: 2 }, {}, message), key };
    },
  },
};

describe.each(Object.entries(cases))('409 %s', (reason, ofReason) => {
  test.for(Object.entries(ofReason))(
    '%s: alone, in each and in atomic, with its figures; nothing is applied',
    async ([, make], { client, itemID, stock }) => {
      const { call, fields, figures, message, key } = await make(stock);
      const error = conflictObject(reason, figures, message);
      const before = await stock.lots('&view=full');
      const header = key === undefined ? {} : { 'Idempotency-Key': key };
      expectAnswer(await untilTaken(() => stock.call(call, fields, header)), 409, error);
      const operation = call === 'Reverse' ? fields : { itemID, wid: 1, reasonCode: 0, ...fields };
      const operations = [{ op: call.toLowerCase(), ...operation, ...(key !== undefined && { key }) }];
      const send = (mode: string, dryRun = false) =>
        untilTaken(() => client.post('/Inventory/Batch', { mode, operations, dryRun }));
      const told = { index: 0, key: key ?? null, status: 'refused', statusCode: 409, replayed: false };
      const results = [{ ...told, error }];
      expectAnswer(await send('each'), 200, {
        ...{ mode: 'each', results, dryRun: false },
        summary: { applied: 0, refused: 1, notApplied: 0 },
      });
      expectAnswer(await send('atomic'), 409, { ...refusedAt(0, 1), results });
      // A dry run ignores keys.
      if (key === undefined) expectAnswer(await send('atomic', true), 409, { ...refusedAt(0, 1), results });
      expect(await stock.lots('&view=full')).toEqual(before);
    },
  );
});

const refusedAt = (index: number, operations: number) =>
  conflictObject(
    'operationRefused',
    { operations, index },
    operations === 1
      ? `Nothing was applied: operation ${index} of the batch was refused.`
      : `Nothing was applied: ${operations} operations of the batch were refused.`,
  );

test('409 operationRefused: how many operations were refused, and the first', async ({ client, itemID }) => {
  const malformed = { op: 'issue', itemID, wid: 1, reasonCode: 2 };
  const operations = [receiveOf(itemID, 5), malformed, malformed];
  const { body, status } = await client.post('/Inventory/Batch', { mode: 'atomic', operations });
  const { results, ...error } = body;
  expect({ status, error }).toEqual({ status: 409, error: refusedAt(1, 2) });
  expect(results).toHaveLength(3);
  expect(results[0].error).toEqual(errorObject(503, 'internal_error', messages.besideRefused));
});

test('the document lists every reason and every figure', async ({ client }) => {
  const { body } = await client.get('/openapi.json');
  const { reason, figures } = body.components.schemas.Error.properties;
  expect(Object.keys(figures.properties)).toEqual(Object.keys(conflictFigures));
  expect(reason.enum).toEqual(Object.keys(conflictReasons));
  for (const name of reason.enum) expect(reason.description).toContain(`\`${name}\`: `);
});
