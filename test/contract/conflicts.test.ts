import { messages } from '@inventory/api/http/errors';
import { holdLot } from '@inventory/db/operator/holds';
import {
  type ConflictReason,
  conflictFigures,
  conflictReasons,
} from '@inventory/domain/contract/conflict-reasons';
import { describe, expect, test } from 'vitest';
import { conflictObject, errorObject, expectAnswer, untilTaken } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receiveOf } from '../harness/stock/operations.ts';
import { receive, receiveLot } from '../harness/stock/stock.ts';

const service = useService();

/** An operation that is always refused, and its error object. */
type Refused = { op: string; body: Record<string, unknown>; key?: string; error: object };
type Case = (client: ApiClient, itemID: string) => Promise<Refused>;

const issued = (itemID: string, units: number, fields: object = {}) => {
  return { op: 'issue', body: { itemID, units, wid: 1, reasonCode: 2, ...fields } };
};
const moved = (itemID: string, units: number, toSpot: string, fields: object = {}) => {
  return { op: 'move', body: { itemID, units, wid: 1, toSpot, ...fields } };
};
const counted = (itemID: string, units: number, fields: object) => {
  return { op: 'count', body: { itemID, counted: units, wid: 1, reasonCode: 5, ...fields } };
};
const reversed = (transactionNo: number) => ({ op: 'reverse', body: { transactionNo } });

async function done(client: ApiClient, { op, body }: { op: string; body: object }) {
  const headers = { 'Idempotency-Key': uniqueName('key') };
  const answer = await untilTaken(() => client.post(pathOf(op), body, headers), { isKeyed: true });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

async function receiveMany(client: ApiClient, itemID: string, count: number) {
  for (let left = count; left > 0; left -= 500) {
    const operations = Array.from({ length: Math.min(left, 500) }, () => receiveOf(itemID, 1));
    await untilTaken(() => client.post('/Inventory/Batch', { mode: 'atomic', operations }));
  }
}

/**
 * Every reason except that of a batch and that of an alias, which is no transaction; a new reason does not
 * compile without its cases.
 */
const cases: Record<Exclude<ConflictReason, 'operationRefused' | 'nameTaken'>, Record<string, Case>> = {
  insufficientStock: {
    'an issue': async (client, itemID) => {
      await receiveLot(client, itemID, 2.5);
      const held = await receiveLot(client, itemID, 1);
      await holdLot(service.sql, { recNo: held, reason: 'inspection' });
      await receiveLot(client, itemID, 2, { expires: '2001-01-01' });
      return {
        ...issued(itemID, 10),
        error: conflictObject(
          'insufficientStock',
          { asked: 10, available: 2.5, onHold: 1, expired: 2 },
          'Not enough stock: 10 asked, 2.5 available. Not taken: 1 on hold, 2 expired.',
        ),
      };
    },
    'a lot that is named': async (client, itemID) => ({
      ...issued(itemID, 10, { recno: await receiveLot(client, itemID, 2) }),
      error: conflictObject(
        'insufficientStock',
        { asked: 10, available: 2, onHold: 0, expired: 0 },
        'Not enough stock: 10 asked, 2 available.',
      ),
    }),
  },
  onHold: {
    'the missing units': async (client, itemID) => {
      const held = await receiveLot(client, itemID, 5);
      await receiveLot(client, itemID, 1);
      await holdLot(service.sql, { recNo: held, reason: 'inspection' });
      return {
        ...moved(itemID, 6, 'B'),
        error: conflictObject(
          'onHold',
          { asked: 6, available: 1, onHold: 5, expired: 0 },
          'Not enough stock: 6 asked, 1 available. Not taken: 5 on hold.',
        ),
      };
    },
    'a lot that is named': async (client, itemID) => {
      const recNo = await receiveLot(client, itemID, 5);
      await holdLot(service.sql, { recNo, reason: 'inspection' });
      return {
        ...issued(itemID, 1, { recno: recNo }),
        error: conflictObject('onHold', { recNo, asked: 1, onHold: 5 }, 'The lot is on hold.'),
      };
    },
    'a count': async (client, itemID) => {
      const recNo = await receiveLot(client, itemID, 5, { spot: 'A' });
      await holdLot(service.sql, { recNo, reason: 'inspection' });
      return {
        ...counted(itemID, 1.5, { spot: 'A' }),
        error: conflictObject(
          'onHold',
          { counted: 1.5, onHold: 5, lots: 1 },
          `Lots on hold are not counted down: 1.5 counted, 5 on hold in lot ${recNo}.`,
        ),
      };
    },
    'a reversal': async (client, itemID) => {
      const { recNo, transactionNo } = await done(client, receipt(itemID, 5));
      await holdLot(service.sql, { recNo, reason: 'inspection' });
      return {
        ...reversed(transactionNo),
        error: conflictObject('onHold', { recNo, onHold: 5 }, `Lot ${recNo} is on hold, with 5 units.`),
      };
    },
  },
  expired: {
    'the missing units': async (client, itemID) => {
      await receiveLot(client, itemID, 5, { expires: '2001-01-01' });
      return {
        ...issued(itemID, 1),
        error: conflictObject(
          'expired',
          { asked: 1, available: 0, onHold: 0, expired: 5 },
          'Not enough stock: 1 asked, 0 available. Not taken: 5 expired.',
        ),
      };
    },
  },
  nothingToMove: {
    'all is there': async (client, itemID) => {
      await receiveLot(client, itemID, 5, { spot: 'B' });
      return { ...moved(itemID, 1, 'B'), error: nothingToMove(1, 5) };
    },
    'all of a serial is there': async (client, itemID) => {
      await receiveLot(client, itemID, 5, { spot: 'B', serial: 'S' });
      await receiveLot(client, itemID, 3, { spot: 'A', serial: 'T' });
      return { ...moved(itemID, 9, 'B', { serial: 'S' }), error: nothingToMove(9, 5) };
    },
    'all is without a spot': async (client, itemID) => {
      await receiveLot(client, itemID, 2.5);
      return { ...moved(itemID, 1, ''), error: nothingToMove(1, 2.5) };
    },
  },
  lotDiffers: {
    'a lot that is named': async (client, itemID) => {
      const recNo = await receiveLot(client, itemID, 5, { spot: 'A' });
      return {
        ...issued(itemID, 1, { recno: recNo, spot: 'B', serial: 'S' }),
        error: conflictObject('lotDiffers', { recNo, present: 5 }, 'The lot does not match spot, serial.'),
      };
    },
  },
  countDiffers: {
    'a count': async (client, itemID) => {
      await receiveLot(client, itemID, 12.000001, { spot: 'A' });
      return {
        ...counted(itemID, 1, { spot: 'A', expected: 15 }),
        error: conflictObject(
          'countDiffers',
          { expected: 15, present: 12.000001 },
          'Not as expected: 15 expected, 12.000001 there.',
        ),
      };
    },
  },
  tooManyLots: {
    'an issue': async (client, itemID) => {
      await receiveMany(client, itemID, 1001);
      return {
        ...issued(itemID, 1001),
        error: conflictObject(
          'tooManyLots',
          { asked: 1001, lots: 1001, lotsMax: 1000, unitsMax: 1000 },
          'Too many lots: 1001 units would take 1001 lots, and one transaction takes at most 1000. ' +
            'Ask for at most 1000 units at a time.',
        ),
      };
    },
  },
  noRoom: {
    'a count of one lot': async (client, itemID) => {
      const recNo = await receiveLot(client, itemID, 0.5);
      return {
        ...counted(itemID, 1_000_000_000_000, { recno: recNo }),
        error: conflictObject(
          'noRoom',
          { recNo, asked: 999_999_999_999.5, present: 0.5, unitsMax: Number('999999999999.999999') },
          'The lot would be too large: it can hold at most 999999999999.999999 units.',
        ),
      };
    },
  },
  alreadyReversed: {
    'a reversal': async (client, itemID) => {
      const { transactionNo } = await done(client, receipt(itemID, 5));
      await done(client, reversed(transactionNo));
      const message = `Transaction ${transactionNo} is reversed already.`;
      return {
        ...reversed(transactionNo),
        error: conflictObject('alreadyReversed', { transactionNo }, message),
      };
    },
  },
  isReversal: {
    'a reversal': async (client, itemID) => {
      const received = await done(client, receipt(itemID, 5));
      const { transactionNo } = await done(client, reversed(received.transactionNo));
      return {
        ...reversed(transactionNo),
        error: conflictObject('isReversal', { transactionNo }, 'A reversal cannot be reversed.'),
      };
    },
  },
  unitsMovedOn: {
    'units that are gone': async (client, itemID) => {
      const { recNo, transactionNo } = await done(client, receipt(itemID, 5));
      await done(client, issued(itemID, 1.5));
      return {
        ...reversed(transactionNo),
        error: conflictObject(
          'unitsMovedOn',
          { recNo, asked: 5, present: 3.5 },
          `The units have moved on: lot ${recNo} has 3.5, and 5 would go back.`,
        ),
      };
    },
    'units that lie elsewhere': async (client, itemID) => {
      const { recNo, transactionNo } = await done(client, receipt(itemID, 5));
      await done(client, moved(itemID, 5, 'B'));
      return {
        ...reversed(transactionNo),
        error: conflictObject(
          'unitsMovedOn',
          { recNo, present: 5 },
          `The units have moved on: lot ${recNo} has 5 at B, not at no spot.`,
        ),
      };
    },
  },
  keyReused: {
    'another call': async (client, itemID) => {
      const key = uniqueName('key');
      await receive(client, itemID, 5);
      const { op, body } = issued(itemID, 1);
      const first = await client.post(pathOf(op), body, { 'Idempotency-Key': key });
      expect(first.status).toBe(200);
      return {
        ...issued(itemID, 2),
        key,
        error: conflictObject('keyReused', {}, 'This Idempotency-Key was used with another request.'),
      };
    },
  },
};

function receipt(itemID: string, units: number) {
  const { op, ...body } = receiveOf(itemID, units);
  return { op, body };
}

const nothingToMove = (asked: number, atDestination: number) =>
  conflictObject(
    'nothingToMove',
    { asked, available: 0, atDestination },
    `Nothing to move: ${atDestination} lie at the destination already, and no other stock matches.`,
  );

const pathOf = (op: string) => `/Inventory/${op[0]!.toUpperCase()}${op.slice(1)}`;

describe.each(Object.entries(cases))('409 %s', (_reason, ofReason) => {
  test.each(Object.entries(ofReason))(
    '%s: alone, in each and in atomic, with its figures',
    async (_, make) => {
      const client = await service.client();
      const { op, body, key, error } = await make(client, await service.item());
      const header = key === undefined ? {} : { 'Idempotency-Key': key };
      expectAnswer(await untilTaken(() => client.post(pathOf(op), body, header)), 409, error);
      const operations = [{ op, ...body, ...(key !== undefined && { key }) }];
      const result = {
        index: 0,
        key: key ?? null,
        status: 'refused',
        statusCode: 409,
        error,
        replayed: false,
      };
      const send = (mode: string, fields = {}) =>
        untilTaken(() => client.post('/Inventory/Batch', { mode, operations, ...fields }));
      expectAnswer(await send('each'), 200, {
        ...{ mode: 'each', results: [result] },
        summary: { applied: 0, refused: 1, notApplied: 0 },
        dryRun: false,
      });
      expectAnswer(await send('atomic'), 409, { ...refusedAt(0, 1), results: [result] });
      // A dry run ignores keys.
      if (key === undefined)
        expectAnswer(await send('atomic', { dryRun: true }), 409, { ...refusedAt(0, 1), results: [result] });
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

test('409 operationRefused: an atomic batch says how many operations were refused, and where the first is', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const malformed = { op: 'issue', itemID, wid: 1, reasonCode: 2 };
  const operations = [receiveOf(itemID, 5), malformed, malformed];
  const { body, status } = await client.post('/Inventory/Batch', { mode: 'atomic', operations });
  expect({ status, body: { ...body, results: body.results.length } }).toEqual({
    status: 409,
    body: { ...refusedAt(1, 2), results: 3 },
  });
  const beside = errorObject(503, 'internal_error', messages.besideRefused);
  expect(body.results[0].error).toEqual(beside);
});

test('the document lists every reason and every figure', async () => {
  const client = await service.client();
  const { body } = await client.get('/openapi.json');
  const { reason, figures } = body.components.schemas.Error.properties;
  expect(Object.keys(figures.properties)).toEqual(Object.keys(conflictFigures));
  expect(reason.enum).toEqual(Object.keys(conflictReasons));
  for (const name of reason.enum) expect(reason.description).toContain(`\`${name}\`: `);
});
