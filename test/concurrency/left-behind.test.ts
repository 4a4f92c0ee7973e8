import { createLeftBehind } from '@inventory/db/postgres/left-behind';
import { expect, onTestFinished, test } from 'vitest';

const patient = { timeout: 60_000 };

/** Leaves ten statements behind where two may be; `active` is the number that Postgres says still run. */
function leaveTen(countActive: () => Promise<number>) {
  let told = 0;
  const leftBehind = createLeftBehind(2, countActive, () => told++);
  onTestFinished(() => leftBehind.end());
  const ends: (() => void)[] = [];
  for (let count = 0; count < 10; count++) leftBehind.add((tell) => ends.push(tell));
  return { leftBehind, ends, told: () => told };
}

test('another connection may open as soon as the statements left behind are done, however many there were', () => {
  const { leftBehind, ends, told } = leaveTen(async () => 10);
  expect(leftBehind.mayOpen()).toBe(false);
  for (const end of ends) end();
  expect(told()).toBe(10);
  expect(leftBehind.mayOpen()).toBe(true);
});

test('another connection may open when Postgres says that the statements left behind have ended', async () => {
  let active = 2;
  const { leftBehind, told } = leaveTen(async () => active);
  // Eight of ten have ended: two go on, and that is the limit.
  await expect.poll(told, patient).toBe(1);
  expect(leftBehind.mayOpen()).toBe(false);
  active = 1;
  await expect.poll(() => leftBehind.mayOpen(), patient).toBe(true);
});

test('a statement that ended silently is forgotten before the next ones come, although it held nothing up', async () => {
  let told = 0;
  const leftBehind = createLeftBehind(
    2,
    async () => 0,
    () => told++,
  );
  onTestFinished(() => leftBehind.end());
  leftBehind.add(() => {});
  await expect.poll(() => told, patient).toBe(1);
  leftBehind.add(() => {});
  expect(leftBehind.mayOpen()).toBe(true);
});

test('no connection may open while Postgres cannot be asked', async () => {
  let asked = 0;
  const { leftBehind } = leaveTen(async () => {
    asked += 1;
    throw new Error('away');
  });
  await expect.poll(() => asked, patient).toBeGreaterThan(1);
  expect(leftBehind.mayOpen()).toBe(false);
});

test('a connection on which nothing reached Postgres does not count as left behind', () => {
  const leftBehind = createLeftBehind(2, async () => 0);
  for (let count = 0; count < 10; count++) leftBehind.add(null);
  expect(leftBehind.mayOpen()).toBe(true);
});
