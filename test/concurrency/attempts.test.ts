import { expect, test } from 'vitest';
import { openConsumer } from '../harness/queue/consumer.ts';
import { allApplied } from '../harness/queue/outcomes.ts';
import { openSubmitter } from '../harness/queue/submitter.ts';

test('attempt 1 when an envelope is first taken, 2 and 3 after failures', async () => {
  const attempts: number[] = [];
  const { submit, redisUrl, prefix } = await openSubmitter({ envelopeMax: 4, inFlightMax: 4 });
  await openConsumer({
    redisUrl,
    prefix,
    apply: async (requests, attempt) => {
      attempts.push(attempt);
      if (attempt < 3) throw new Error('the database is away');
      return allApplied(requests);
    },
  });
  // Long compared with the attempts: the request must not be settled before the third.
  const answers = submit(1, performance.now() + 60_000);
  await expect.poll(() => attempts, { timeout: 60_000 }).toEqual([1, 2, 3]);
  await Promise.all(answers);
});
