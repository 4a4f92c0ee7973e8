import { formatQuantity, parseQuantity, unitsLimit } from '@inventory/domain/quantity';
import { checkDigitOf, gtinSpellingsOf } from '@inventory/domain/scan/check-digits';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { untilTaken } from '../harness/contract/answers.ts';
import type { ApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';

const service = useService();

/** Units of a code, as decimal text: mostly those of packs, and the limits of an operation. */
const someUnits = fc.oneof(
  fc.integer({ min: 1, max: 1000 }).map(String),
  fc.constantFrom('1', '12', '0.5', '2.25', '0.000001', '999999999999'),
);
type Count = { ai: '30' | '37'; count: number } | null;
/** What a label counts. null: nothing. */
const someCount: fc.Arbitrary<Count> = fc.oneof(
  fc.constant(null),
  fc.record({
    ai: fc.constantFrom('30', '37'),
    count: fc.oneof(fc.nat(99), fc.nat(99_999_999)),
  }),
);
const counted = (count: Count) => (count === null ? '' : `${count.ai}${count.count}`);
// A count of 37 is that of the pallet's content.
const named = (gtin: string, count: Count) => `${count?.ai === '37' ? '02' : '01'}${gtin}`;

/** Each symbology, and each form, in which a label with a GTIN of 14 digits comes. */
const labels: Record<string, (gtin: string, count: Count) => string> = {
  'GS1-128': (gtin, count) => `]C1${named(gtin, count)}${counted(count)}`,
  // 12.5 kg: a weight never multiplies.
  'GS1-128 with a weight': (gtin, count) => `]C1${named(gtin, count)}3101000125${counted(count)}`,
  'GS1 DataBar': (gtin, count) => `]e0${named(gtin, count)}${counted(count)}`,
  'GS1 DataMatrix': (gtin, count) => `]d2${named(gtin, count)}10L-1\u001d${counted(count)}`,
  'GS1 QR': (gtin, count) => `]Q3${named(gtin, count)}${counted(count)}`,
  'GS1 DotCode': (gtin, count) => `]J1${named(gtin, count)}${counted(count)}`,
  FNC1: (gtin, count) => `\u001d${named(gtin, count)}${counted(count)}`,
  brackets: (gtin, count) =>
    `(${count?.ai === '37' ? '02' : '01'})${gtin}(17)310630${count === null ? '' : `(${count.ai})${count.count}`}`,
  'the check digit': (gtin, count) => `01${gtin}${count === null ? '' : `30${count.count}`}`,
  'Digital Link': (gtin, count) =>
    `https://id.example.com/01/${gtin}${count === null ? '' : `?30=${count.count}`}`,
};

let drawn = 0;
/** A GTIN that nothing has yet, in 14 digits, with so many spellings that its shortest one has `length`. */
function newGtin(length: number): string {
  drawn += 1;
  const digits = `6${String(drawn).padStart(length - 2, '0')}`;
  return `${digits}${checkDigitOf(digits)}`.padStart(14, '0');
}

const someCode = fc.record({
  units: someUnits,
  length: fc.constantFrom(8, 12, 13, 14),
  spelling: fc.nat(),
  read: fc.nat(),
  form: fc.constantFrom(...Object.keys(labels), 'a bare GTIN'),
  count: someCount,
});

/** What the operation of a scan does to the stock of an item that had none, as decimal text. */
async function carryOut(client: ApiClient, body: object): Promise<string> {
  const filled = { ...body, reasonCode: 0 };
  expect((await untilTaken(() => client.post('/Inventory/Receive', filled))).status).toBe(201);
  const { itemID } = body as { itemID: string };
  const [level] = await service.sql<{ units: string }[]>`
    select trim_scale(in_stock)::text as units from stock_level join item using (part_no) where short_id = ${itemID}`;
  return level!.units;
}

test('a scan does to stock what its alias stands for, times what it counts, in every form', async () => {
  const client = await service.client({ rateLimit: 100_000 });
  let multiplied = 0;
  for (const { units, length, spelling, read, form, count } of fc.sample(someCode, 220)) {
    const shortID = await service.item();
    const { partNo } = (await client.get(`/Item?key=${shortID}&type=id`)).body;
    const gtin = newGtin(length);
    const spellings = gtinSpellingsOf(gtin);
    const taught = spellings[spelling % spellings.length]!;
    // As text, so that it is sent digit for digit.
    const path = `/Item/${partNo}/Aliases/${taught}`;
    expect((await untilTaken(() => client.put(path, `{"units":${units}}`))).status).toBe(200);
    const isBare = form === 'a bare GTIN';
    const data = isBare ? spellings[read % spellings.length]! : labels[form]!(gtin, count);
    const label = JSON.stringify({ units, taught, data });
    const { body } = await client.post('/Scan', { scans: [{ data }], wid: 1 });
    const [match] = body.results[0].matches;
    expect(match, label).toMatchObject({ kind: 'alias', units: Number(units), shortID });
    const times = isBare || count === null ? null : count.count;
    const expected = parseQuantity(units) * BigInt(times ?? 1);
    const told = match.operation.body.units;
    // 1 says nothing, and what no operation can have is left to a person.
    if ((times === null && units === '1') || expected === 0n || expected >= unitsLimit) {
      expect(told, label).toBeUndefined();
      expect(match.operation.missing, label).toContain('units');
      continue;
    }
    multiplied += times === null ? 0 : 1;
    expect(await carryOut(client, match.operation.body), label).toBe(formatQuantity(expected));
  }
  expect(multiplied).toBeGreaterThan(50);
});

test('the lot of a label is issued by what the label stands for', async () => {
  const client = await service.client({ rateLimit: 100_000 });
  const shortID = await service.item();
  const { partNo } = (await client.get(`/Item?key=${shortID}&type=id`)).body;
  const gtin = newGtin(14);
  await client.put(`/Item/${partNo}/Aliases/${gtin}`, { units: 12 });
  const serial = uniqueName('B');
  const received = { itemID: gtin, units: 100, wid: 1, reasonCode: 0, serial };
  // Units of a call are units, whatever name the item has in it.
  expect((await client.post('/Inventory/Receive', received)).body.lot).toMatchObject({ units: 100 });
  const lotOf = async (data: string) =>
    (await client.post('/Scan', { scans: [{ data }] })).body.results[0].matches.find(
      ({ kind }: { kind: string }) => kind === 'serial',
    );
  expect((await lotOf(`(01)${gtin}(10)${serial}`)).operation.body).toMatchObject({ units: 12 });
  expect((await lotOf(`(01)${gtin}(30)3(10)${serial}`)).operation).toMatchObject({
    body: { units: 36 },
    missing: ['reasonCode'],
  });
  // By its serial alone, nothing says how many.
  expect((await lotOf(serial)).operation).toMatchObject({ missing: ['units', 'reasonCode'] });
});
