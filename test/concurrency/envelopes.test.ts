import { expect, test } from 'vitest';
import { openSubmitter, turn } from '../harness/queue/submitter.ts';

// Tried again: a machine that stands still for some milliseconds between two turns makes an envelope
// unusually late.
test('a few requests travel at once; many travel together, when an envelope is full or the answers are late', {
  retry: 3,
}, async () => {
  const { submit, sizes } = await openSubmitter({ envelopeMax: 16, inFlightMax: 4 });
  const answers = submit(1);
  await turn();
  answers.push(...submit(8));
  await turn();
  for (let count = 0; count < 3; count++) {
    answers.push(...submit(1));
    await turn();
  }
  await expect.poll(sizes, { interval: 10 }).toEqual([1, 8, 3]);
  answers.push(...submit(16));
  await expect.poll(sizes, { interval: 10 }).toEqual([1, 8, 3, 16]);
  for (const { status } of await Promise.all(answers)) expect(status).toBe('abandoned');
});

test('requests that nobody waits for any more leave Redis, even when no worker takes them', async () => {
  const { submit, sizes } = await openSubmitter({ envelopeMax: 16, inFlightMax: 4 });
  const answers = submit(40);
  await expect.poll(async () => (await sizes()).length, { interval: 10 }).toBeGreaterThan(0);
  await Promise.all(answers);
  await expect.poll(sizes).toEqual([]);
});
