import { drawReader, jobIdOf } from '@inventory/queue/answer-streams';
import { queueName } from '@inventory/queue/envelope';
import { openQueue } from '@inventory/queue/queue';
import { signEnvelope } from '@inventory/queue/signature';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openConsumer } from '../harness/queue/consumer.ts';
import { fixedKeys } from '../harness/queue/envelopes.ts';
import { allApplied } from '../harness/queue/outcomes.ts';
import { openSubmitter } from '../harness/queue/submitter.ts';
import { type OwnRedis, startOwnRedis } from '../harness/servers/own-redis.ts';
import { uniqueName } from '../harness/service/service.ts';

const own: OwnRedis = await startOwnRedis();
const redisUrl = own.url;
const limits = { envelopeMax: 4, inFlightMax: 4 };
// The api looks for lost answers only after fifteen seconds here, so every earlier answer comes from a
// completion.
const later = () => performance.now() + 60_000;
afterAll(() => own.stop());

const streamsOf = (prefix: string) => own.redis.keys(`${prefix}:${queueName(0)}:answers:*`);

/** The jobs whose ends are in a stream, which has none of the steps before. */
async function toldIn(stream: string): Promise<string[]> {
  const entries = await own.redis.xrange(stream, '-', '+');
  const events = entries.map(([, fields]) => fields[1]!);
  expect(['completed', 'drained']).toEqual(expect.arrayContaining(events));
  return entries.flatMap(([, fields]) => (fields[1] === 'completed' ? fields[3]! : []));
}

async function toldBy(prefix: string): Promise<Record<string, string[]>> {
  const streams = await streamsOf(prefix);
  return Object.fromEntries(
    await Promise.all(streams.map(async (stream) => [stream, await toldIn(stream)] as const)),
  );
}

test('an answer goes only to the api that waits for it', async () => {
  const one = await openSubmitter({ ...limits, redisUrl });
  const { prefix } = one;
  const other = await openSubmitter({ ...limits, redisUrl, prefix });
  await openConsumer({ redisUrl, prefix });
  for (const { status } of await Promise.all(one.submit(4, later()))) expect(status).toBe('applied');
  const before = await toldBy(prefix);
  expect(Object.keys(before)).toHaveLength(1);
  for (const { status } of await Promise.all(other.submit(4, later()))) expect(status).toBe('applied');
  const [first] = Object.keys(before);
  const after = await toldBy(prefix);
  expect(Object.keys(after)).toHaveLength(2);
  for (const [stream, jobIds] of Object.entries(after)) {
    for (const jobId of jobIds) expect(stream).toContain(jobId.split('.')[0]!);
  }
  expect(after[first!]).toEqual(before[first!]);
  // Every api hears at most an idle worker's canaries.
  const shared = await own.redis.xrange(`${prefix}:${queueName(0)}:events`, '-', '+');
  expect(shared.filter(([, fields]) => fields.join(' ').includes('applied'))).toEqual([]);
});

test('an answer leaves Redis once its api has read it', async () => {
  const { submit, prefix } = await openSubmitter({ ...limits, redisUrl });
  await openConsumer({ redisUrl, prefix });
  for (let turn = 0; turn < 50; turn++) await Promise.all(submit(4, later()));
  const [stream] = await streamsOf(prefix);
  await expect.poll(() => own.redis.xlen(stream!)).toBeLessThan(3);
});

test('nothing of an api stays in Redis when it closes; the stream of a killed api expires', async () => {
  const prefix = uniqueName('gone');
  const { submit, close } = await openSubmitter({ ...limits, redisUrl, prefix });
  await openConsumer({ redisUrl, prefix });
  await Promise.all(submit(4, later()));
  const [stream] = await streamsOf(prefix);
  await expect.poll(() => own.redis.pttl(stream!)).toBeGreaterThan(0);
  await close();
  expect(await own.redis.xlen(stream!)).toBe(0);
  // The stream must expire before Redis would remove it by itself, and not before a late answer can come.
  expect(await own.redis.pttl(stream!)).toBeLessThan(16_000);
  await own.redis.del(stream!);
  // The answer to an api that has gone.
  const queue = openQueue({ shard: 0, prefix, connection: own.redis, onError: () => {} });
  onTestFinished(() => queue.close());
  const jobId = jobIdOf(drawReader('testsite'), 1);
  const signed = signEnvelope(await fixedKeys(), { queue: queue.qualifiedName, jobId }, []);
  await queue.add('envelope', signed, { jobId, removeOnComplete: true });
  await expect.poll(() => streamsOf(prefix)).toHaveLength(1);
  const [left] = await streamsOf(prefix);
  await expect.poll(() => own.redis.pttl(left!)).toBeGreaterThan(0);
});

test('answered by the completion after a failover to a Redis whose clock is behind', async () => {
  const { submit, prefix } = await openSubmitter({ ...limits, redisUrl });
  await openConsumer({ redisUrl, prefix });
  await Promise.all(submit(1, later()));
  const [stream] = await streamsOf(prefix);
  // Entries as the old Redis wrote them, an hour ahead.
  await own.redis.xadd(
    stream!,
    `${Date.now() + 3_600_000}-0`,
    'event',
    'completed',
    'jobId',
    'x',
    'returnvalue',
    'null',
  );
  await expect.poll(() => own.redis.xlen(stream!)).toBe(1);
  await own.redis.del(stream!);
  await own.redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  // If the api had to ask Postgres, the result would be `abandoned`.
  await expect.poll(async () => (await submit(1)[0]!).status).toBe('applied');
});

/** The number of calls of this command since the counts in Redis were reset. */
async function callsOf(command: string): Promise<number> {
  const counts = await own.redis.info('commandstats');
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(counts)?.[1] ?? 0);
}

test('a worker waits once per envelope, looks for it once, and once more with its answer', async () => {
  const { submit, prefix } = await openSubmitter({ ...limits, redisUrl });
  await openConsumer({ redisUrl, prefix });
  await Promise.all(submit(4, later()));
  await own.redis.config('RESETSTAT');
  for (let envelope = 0; envelope < 100; envelope++) await Promise.all(submit(4, later()));
  // Plus a few of a worker that waited in vain.
  expect(await callsOf('bzpopmin')).toBeLessThan(150);
  expect(await callsOf('rpoplpush')).toBeLessThan(250);
});

test('a worker takes all waiting envelopes while none of them is answered', async () => {
  const { submit, sizes, prefix } = await openSubmitter({ ...limits, redisUrl });
  const answers = submit(16, later());
  await expect.poll(sizes).toEqual([4, 4, 4, 4]);
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
