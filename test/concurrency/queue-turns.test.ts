import { afterAll, expect, test } from 'vitest';
import { openConsumer } from '../harness/queue/consumer.ts';
import { allApplied } from '../harness/queue/outcomes.ts';
import { openSubmitter } from '../harness/queue/submitter.ts';
import { startOwnRedis } from '../harness/servers/own-redis.ts';

const own = await startOwnRedis();
const redisUrl = own.url;
// The api looks for lost answers only after fifteen seconds here, so every earlier answer comes from a
// completion.
const later = () => performance.now() + 60_000;
const timeout = 120_000;
afterAll(() => own.stop());

/** The number of calls of this command since the counts in Redis were reset. */
async function callsOf(command: string): Promise<number> {
  const counts = await own.redis.info('commandstats');
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(counts)?.[1] ?? 0);
}

test('a worker waits once per envelope, looks for it once, and once more with its answer', {
  timeout,
}, async () => {
  const { submit, prefix } = await openSubmitter({ envelopeMax: 4, inFlightMax: 4, redisUrl });
  await openConsumer({ redisUrl, prefix });
  await Promise.all(submit(4, later()));
  await own.redis.config('RESETSTAT');
  for (let envelope = 0; envelope < 100; envelope++) await Promise.all(submit(4, later()));
  // Plus a few of a worker that waited in vain.
  expect(await callsOf('bzpopmin')).toBeLessThan(150);
  expect(await callsOf('rpoplpush')).toBeLessThan(250);
});

test('a worker takes all waiting envelopes while none of them is answered', { timeout }, async () => {
  const { submit, sizes, prefix } = await openSubmitter({ envelopeMax: 4, inFlightMax: 4, redisUrl });
  const answers = submit(16, later());
  await expect.poll(sizes, { timeout: 60_000 }).toEqual([4, 4, 4, 4]);
  const taken: (() => void)[] = [];
  await openConsumer({
    redisUrl,
    prefix,
    apply: async (requests) => {
      await new Promise<void>((resolve) => {
        taken.push(resolve);
        if (taken.length === 4) for (const answer of taken) answer();
      });
      return allApplied(requests);
    },
  });
  for (const { status } of await Promise.all(answers)) expect(status).toBe('applied');
});
