import { createNumberNotes } from '@inventory/api/batch/device-numbers';
import type { Operation } from '@inventory/api/batch/read-operations';
import type { DeviceNumber } from '@inventory/db/requests/device-numbers';
import { expect, test } from 'vitest';

const numbered = (...numbers: number[]) =>
  numbers.map(
    (seq, index): Operation => ({
      ...{ index, key: null, device: { id: 'd', seq } },
      refusal: { code: 'forbidden', message: '' },
    }),
  );
const refused = () => ({ status: 'refused', replayed: false }) as const;
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('numbers are noted by one statement at a time, and those that come meanwhile together; one that fails is reported and stops none', async () => {
  const written: number[][] = [];
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const reports: string[] = [];
  const note = createNumberNotes(
    (numbers: readonly DeviceNumber[]) => {
      written.push(numbers.map(({ seq }) => seq));
      return new Promise<void>((resolve, reject) => ends.push({ resolve, reject }));
    },
    ({ message }, what) => reports.push(`${what}: ${message}`),
  );
  for (const seq of [1, 2, 3]) note('c', numbered(seq), refused);
  expect(written).toEqual([[1]]);
  ends.shift()!.reject(new Error('no Postgres'));
  await settled();
  expect(written).toEqual([[1], [2, 3]]);
  ends.shift()!.resolve();
  await settled();
  note('c', numbered(4), refused);
  expect(written.at(-1)).toEqual([4]);
  expect(reports).toEqual(['the numbers of devices: no Postgres']);
  // What waits is bounded.
  const many = numbered(...Array.from({ length: 500 }, (_, index) => 1000 + index));
  for (let turn = 0; turn < 41; turn++) note('c', many, refused);
  expect(reports.slice(1)).toEqual(['the numbers of devices: more numbers of devices come than are written']);
});

test('nothing is written of a batch whose operations have transactions, or have not come', () => {
  const note = createNumberNotes(
    () => Promise.reject(new Error('written')),
    (error) => {
      throw error;
    },
  );
  const told = [
    { status: 'applied', replayed: false } as const,
    { status: 'notApplied', replayed: false } as const,
  ];
  note('c', numbered(1, 2, 3), (index) => told[index]);
  note('c', [{ ...numbered(1)[0]!, device: null }], refused);
});
