import { createLeftBehind } from '@inventory/db/left-behind';
import { expect, onTestFinished, test } from 'vitest';

const patient = { timeout: 60_000 };

/** Ten that were left behind, where two are free; `active`: how many go on, by what Postgres says. */
function leaveTen(countActive: () => Promise<number>) {
  let told = 0;
  const leftBehind = createLeftBehind(2, countActive, () => told++);
  onTestFinished(() => leftBehind.end());
  const ends: (() => void)[] = [];
  for (let count = 0; count < 10; count++) leftBehind.add((tell) => ends.push(tell));
  return { leftBehind, ends, told: () => told };
}

test('another connection may be opened as soon as what was left behind is done, however much there was', () => {
  const { leftBehind, ends, told } = leaveTen(async () => 10);
  expect(leftBehind.mayOpen()).toBe(false);
  for (const end of ends) end();
  expect(told()).toBe(10);
  expect(leftBehind.mayOpen()).toBe(true);
});

test('another connection may be opened when Postgres says that what was left behind has ended, though nobody told', async () => {
  let active = 2;
  const { leftBehind, told } = leaveTen(async () => active);
  // Eight of ten have ended: two go on, and no more may.
  await expect.poll(told, patient).toBe(1);
  expect(leftBehind.mayOpen()).toBe(false);
  active = 1;
  await expect.poll(() => leftBehind.mayOpen(), patient).toBe(true);
});

test('one that ended without a word is forgotten before the next ones come, though it held up nothing', async () => {
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

test('no connection may be opened while Postgres cannot be asked', async () => {
  let asked = 0;
  const { leftBehind } = leaveTen(async () => {
    asked += 1;
    throw new Error('away');
  });
  await expect.poll(() => asked, patient).toBeGreaterThan(1);
  expect(leftBehind.mayOpen()).toBe(false);
});

test('a connection on which nothing came to Postgres is none that was left behind', () => {
  const leftBehind = createLeftBehind(2, async () => 0);
  for (let count = 0; count < 10; count++) leftBehind.add(null);
  expect(leftBehind.mayOpen()).toBe(true);
});
