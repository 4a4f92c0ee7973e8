import fc from 'fast-check';
import { expect } from 'vitest';
import { expectAnswer, invalid, untilTaken } from '../harness/contract/answers.ts';
import { useStock } from '../harness/contract/item-stock.ts';
import { receiveOf } from '../harness/stock/operations.ts';

const { service, test } = useStock();

test.for<[expires: string, shown: string]>([
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
])('201: expires %s', async ([expires, shown], { stock }) => {
  await stock.addLot(1, { expires });
  expect(await stock.lots('&view=full')).toMatchObject([{ expires: shown }]);
});

test.for([
  ...['tomorrow', '2030-13-01', '2030-02-29', '2030-01-31T24:00:00Z', '2030-01-31T12:00:60Z', '30-01-31'],
  ...['+012030-01-31', '0000-12-31', '0001-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'],
  ...['2030-01-31T12:00:00+25:00', '1893456000', ''],
])('400: expires %j', async (expires, { stock }) => {
  const said = invalid({ expires: 'must be an ISO 8601 date or datetime.' });
  expectAnswer(await stock.call('Receive', { units: 1, expires }), 400, said);
});

test('200: modifiedSince in every form, in a URL, where `+` means a space', async ({ stock }) => {
  const recNo = await stock.addLot(5);
  await service.sql`update lot set modified = '2026-02-01T12:00:00.500Z' where rec_no = ${recNo}`;
  // Each includes the moment itself; the later one does not.
  for (const [moment, later] of [
    ['2026-02-01', '2026-02-02'],
    ['2026-02-01T12:00:00', '2026-02-01T12:00:01'],
    ['2026-02-01T12:00:00.500Z', '2026-02-01T12:00:00.501Z'],
    ['2026-02-01T13:00:00.500+01:00', '2026-02-01T13:00:00.501+01:00'],
    ['2026-02-01T13:00:00.500%2B01:00', '2026-02-01T11:00:00.501-01:00'],
    ['2026-02-01T14:00:00.500%2B02', '2026-02-01T14:00:00.501%2B02'],
    ['2026-02-01T14:00:00.500+02', '2026-02-01T14:00:00.501+02'],
    ['2026-02-01T14:00:00.500+0200', '2026-02-01T14:00:00.501+0200'],
    ['2026-02-01t14:00:00.500+02', '2026-02-01t14:00:00.501+02'],
    ['2026-02-01T10:00:00.500-02', '2026-02-01T10:00:00.501-02'],
    ['2026-02-01 12:00:00.500Z', '2026-02-01 12:00:00.501Z'],
    ['2026-02-01+12:00:00.500', '2026-02-01+12:00:00.501'],
    ['2026-02-01%2014:00:00.500+02:00', '2026-02-01%2014:00:00.501+02:00'],
    ['2026-02-01+14:00:00.500+02', '2026-02-01+14:00:00.501+02'],
    ['2026-02-01+12:00', '2026-02-01+12:01'],
    ['2026-02-01+14:00+02', '2026-02-01+14:01+02'],
    ['2026-02-01+10:00:00.500-02:00', '2026-02-01+10:00:00.501-02:00'],
  ]) {
    expect(await stock.lots(`&modifiedSince=${moment}`), moment).toHaveLength(1);
    expect(await stock.lots(`&modifiedSince=${later}`), later).toHaveLength(0);
  }
});

test.for([
  ...['never', '2026-02-30', '', '1700000000', '2026-01-01T00:00:00+99:00', '0001-01-01T00:00:00%2B01:00'],
  ...['%00', '2026-02-01 02', '2026-02-01 02 02', '2026-02-01T12:00:00++02', '2026-02-01T12:00:00+2'],
  ...['2026-02-01T12:00:00+02+02', '2026-02-01++12:00', '2026-02-01T12:00:00 Z'],
])('400: modifiedSince %s', async (since, { client }) => {
  const said = invalid({ modifiedSince: 'must be an ISO 8601 date or datetime.' });
  expectAnswer(await client.get(`/Inventory?modifiedSince=${since}`), 400, said);
});

const pad = (number: number, length: number) => `${number}`.padStart(length, '0');
const [min, max] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59Z')];
const day = fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10));
// Many close together, so that the bounds of the filter fall on and beside them.
const nearDay = fc.integer({ min: 1, max: 28 }).map((number) => `2030-02-${pad(number, 2)}`);
const clock = fc
  .tuple(fc.nat({ max: 23 }), fc.nat({ max: 59 }), fc.nat({ max: 59 }))
  .map((parts) => parts.map((part) => pad(part, 2)).join(':'));
const offset = fc.constantFrom('', 'Z', '+02:00', '-0530', '+14', '.999Z');
const dateTime = fc.tuple(nearDay, fc.constantFrom('T', ' '), clock, offset).map((parts) => parts.join(''));

/** The meaning of a text by the rules of the contract. */
function momentOf(text: string): number {
  if (text.length === 10) return Date.parse(`${text}T00:00:00Z`);
  const iso = text.replace(' ', 'T').replace(/([+-]\d\d):?(\d\d)?$/, (_, h, m = '00') => `${h}:${m}`);
  // The hyphens of the date are no offset.
  return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(iso) ? iso : `${iso}Z`);
}

test('every date comes back as given, and expiresBefore splits at any of them', async ({ client }) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(day, nearDay, nearDay, dateTime), { minLength: 40, maxLength: 60, size: 'max' }),
      fc.array(fc.oneof(nearDay, dateTime), { minLength: 10, maxLength: 10 }),
      async (given, bounds) => {
        const itemID = await service.item();
        const operations = given.map((expires) => receiveOf(itemID, 1, { expires }));
        const batch = () => client.post('/Inventory/Batch', { mode: 'atomic', operations });
        const { body } = await untilTaken(batch);
        const recNos: number[] = body.results.map((each: { body: { recNo: number } }) => each.body.recNo);
        const shown = async (query: string) => {
          const list = await client.get(`/Inventory?itemID=${itemID}&view=full&pageSize=250${query}`);
          expect(list.status, list.text).toBe(200);
          type Shown = { recNo: number; expires: string };
          return new Map<number, string>(list.body.value.map((lot: Shown) => [lot.recNo, lot.expires]));
        };
        const expected = given.map((text) =>
          text.length === 10 ? `${text}T23:59:59.999Z` : new Date(momentOf(text)).toISOString(),
        );
        const all = await shown('');
        expect(recNos.map((recNo) => all.get(recNo))).toEqual(expected);
        const { body: alone } = await client.get(`/Inventory/Lots/${recNos[0]}`);
        expect(alone.expires).toBe(expected[0]);
        for (const bound of bounds) {
          const earlier = recNos.filter((_, index) => Date.parse(expected[index]!) < momentOf(bound));
          // Written into the URL with encoding and without.
          for (const written of [encodeURIComponent(bound), bound.replaceAll(' ', '+')]) {
            const before = await shown(`&expiresBefore=${written}`);
            expect([...before.keys()].sort(), written).toEqual(earlier.sort());
          }
        }
      },
    ),
    { numRuns: 5 },
  );
});
