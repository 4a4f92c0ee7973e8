import { expect, test } from 'vitest';
import { expectAnswer, validationError } from '../harness/answers.ts';
import { useService } from '../harness/service.ts';

const service = useService();

test.each([
  // A date is good through the end of its day.
  ['2030-01-31', '2030-02-01T00:00:00.000Z'],
  ['2030-01-31T00:00', '2030-01-31T00:00:00.000Z'],
  ['2030-01-31T12:00', '2030-01-31T12:00:00.000Z'],
  ['2030-01-31T12:00:00', '2030-01-31T12:00:00.000Z'],
  ['2030-01-31T12:00:00.5Z', '2030-01-31T12:00:00.500Z'],
  ['2030-01-31T12:00:00.123456789-05:30', '2030-01-31T17:30:00.123Z'],
  ['2030-01-31T12:00:00+02', '2030-01-31T10:00:00.000Z'],
  ['2030-01-31 12:00-0230', '2030-01-31T14:30:00.000Z'],
  ['0001-01-01', '0001-01-02T00:00:00.000Z'],
  ['9999-12-31', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('201: expires %s', async (expires, stored) => {
  const client = await service.client();
  const itemID = await service.item();
  const answer = await client.post('/Inventory/Receive', {
    itemID,
    units: 1,
    wid: 1,
    reasonCode: 0,
    expires,
  });
  expect(answer.status).toBe(201);
  const [lot] = await service.sql`
    select to_char(expires at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires
    from lot
    where rec_no = ${answer.body.recNo}`;
  expect(lot).toEqual({ expires: stored });
});

test.each([
  'tomorrow',
  '2030-13-01',
  '2030-02-29',
  '2030-01-31T24:00:00Z',
  '2030-01-31T12:00:60Z',
  '30-01-31',
  '+012030-01-31',
  '0000-12-31',
  '0001-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  '2030-01-31T12:00:00+25:00',
  '1893456000',
  '',
])('400: expires %j', async (expires) => {
  const client = await service.client();
  const answer = await client.post('/Inventory/Receive', {
    itemID: await service.item(),
    units: 1,
    wid: 1,
    reasonCode: 0,
    expires,
  });
  expectAnswer(answer, 400, validationError({ expires: ['expires must be an ISO 8601 date or datetime.'] }));
});
