import { createLeftBehind } from '@inventory/db/left-behind';
import { expect, test } from 'vitest';

test('another connection may be opened as soon as what was left behind is done, however much there was', () => {
  let told = 0;
  const leftBehind = createLeftBehind(2, () => told++);
  const ends: (() => void)[] = [];
  // The pause is a minute then.
  for (let count = 0; count < 10; count++) leftBehind.add((tell) => ends.push(tell));
  expect(leftBehind.mayOpen(0)).toBe(false);
  for (const end of ends) end();
  expect(told).toBe(10);
  expect(leftBehind.mayOpen(5)).toBe(true);
});

test('a connection on which nothing came to Postgres is none that was left behind', () => {
  const leftBehind = createLeftBehind(2);
  for (let count = 0; count < 10; count++) leftBehind.add(null);
  expect(leftBehind.mayOpen(0)).toBe(true);
});
