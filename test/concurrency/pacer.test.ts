import { createPacer } from '@inventory/process/pacer';
import { expect, test } from 'vitest';

/** Keeps the event loop for longer than a stretch. */
function work() {
  const begun = performance.now();
  while (performance.now() - begun < 5);
}

test('of all long work at once, one stretch runs in each turn of the event loop', async () => {
  let stretches = 0;
  let working = true;
  const inEachTurn: number[] = [];
  const countTurn = () => {
    inEachTurn.push(stretches);
    stretches = 0;
    if (working) setImmediate(countTurn);
  };
  const works = Array.from({ length: 20 }, async () => {
    const pace = createPacer();
    for (let step = 0; step < 5; step++) {
      await pace();
      work();
      stretches += 1;
    }
  });
  setImmediate(countTurn);
  await Promise.all(works);
  working = false;
  // The first stretches run in the turn in which the work is begun.
  const [first, ...others] = inEachTurn;
  expect(first).toBeGreaterThan(0);
  expect(Math.max(...others)).toBe(1);
});
