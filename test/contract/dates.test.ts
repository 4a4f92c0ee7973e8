import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectAnswer, untilTaken, validationError } from '../harness/contract/answers.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

test.each([
  // A date is good through the end of its day.
  ['2030-01-31', '2030-01-31T23:59:59.999Z'],
  ['2030-01-31T00:00', '2030-01-31T00:00:00.000Z'],
  ['2030-01-31T12:00', '2030-01-31T12:00:00.000Z'],
  ['2030-01-31T12:00:00', '2030-01-31T12:00:00.000Z'],
  ['2030-01-31T12:00:00.5Z', '2030-01-31T12:00:00.500Z'],
  ['2030-01-31T12:00:00.123456789-05:30', '2030-01-31T17:30:00.123Z'],
  ['2030-01-31T12:00:00+02', '2030-01-31T10:00:00.000Z'],
  ['2030-01-31 12:00-0230', '2030-01-31T14:30:00.000Z'],
  ['0001-01-01', '0001-01-01T23:59:59.999Z'],
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

const pad = (number: number, length: number) => `${number}`.padStart(length, '0');
const day = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
// Many close together, so that the bounds of the filter fall on and beside them.
const nearDay = fc.integer({ min: 1, max: 28 }).map((number) => `2030-02-${pad(number, 2)}`);
const clock = fc
  .record({ hour: fc.nat({ max: 23 }), minute: fc.nat({ max: 59 }), second: fc.nat({ max: 59 }) })
  .map(({ hour, minute, second }) => `${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}`);
const offset = fc.constantFrom('', 'Z', '+02:00', '-0530', '+14', '.999Z');
const dateTime = fc
  .record({ date: nearDay, gap: fc.constantFrom('T', ' '), time: clock, offset })
  .map(({ date, gap, time, offset: at }) => `${date}${gap}${time}${at}`);

/** The meaning of a text by the rules of the contract. */
function momentOf(text: string): number {
  if (text.length === 10) return Date.parse(`${text}T00:00:00Z`);
  const iso = text.replace(' ', 'T').replace(/([+-]\d\d):?(\d\d)?$/, (_, h, m = '00') => `${h}:${m}`);
  // The hyphens of the date are no offset.
  return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(iso) ? iso : `${iso}Z`);
}

test('every date comes back as given and every datetime as its moment, and expiresBefore splits them at a date or a moment', async () => {
  const client = await service.client();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(day, nearDay, nearDay, dateTime), { minLength: 40, maxLength: 60, size: 'max' }),
      fc.array(fc.oneof(nearDay, dateTime), { minLength: 10, maxLength: 10 }),
      async (given, bounds) => {
        const itemID = await service.item();
        const operations = given.map((expires) => ({
          ...{ op: 'receive', itemID, units: 1, wid: 1, reasonCode: 0, expires },
        }));
        const { body } = await untilTaken(() =>
          client.post('/Inventory/Batch', { mode: 'atomic', operations }),
        );
        const recNos = body.results.map((each: { body: { recNo: number } }) => each.body.recNo);
        const shown = async (query: string) => {
          const list = await client.get(`/Inventory?itemID=${itemID}&view=full&pageSize=250${query}`);
          expect(list.status, list.text).toBe(200);
          return new Map<number, string>(
            list.body.value.map((lot: { recNo: number; expires: string }) => [lot.recNo, lot.expires]),
          );
        };
        const expected = given.map((text) =>
          text.length === 10 ? `${text}T23:59:59.999Z` : new Date(momentOf(text)).toISOString(),
        );
        const all = await shown('');
        expect(recNos.map((recNo: number) => all.get(recNo))).toEqual(expected);
        const { body: alone } = await client.get(`/Inventory/Lots/${recNos[0]}`);
        expect(alone.expires).toBe(expected[0]);
        for (const bound of bounds) {
          // Written into the URL with encoding and without: there `+` means a space.
          for (const written of [encodeURIComponent(bound), bound.replaceAll(' ', '+')]) {
            const before = await shown(`&expiresBefore=${written}`);
            const earlier = recNos.filter((_: number, index: number) => {
              return Date.parse(expected[index]!) < momentOf(bound);
            });
            expect([...before.keys()].sort(), written).toEqual(earlier.sort());
          }
        }
      },
    ),
    { numRuns: 5 },
  );
});
