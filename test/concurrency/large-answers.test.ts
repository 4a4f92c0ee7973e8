import { queueName } from '@inventory/queue/envelope';
import type { SignedAnswer } from '@inventory/queue/signature';
import type { SubmitResult } from '@inventory/queue/submit/submit';
import { connectConsumer } from '@inventory/redis/redis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openConsumer } from '../harness/queue/consumer.ts';
import { allApplied } from '../harness/queue/outcomes.ts';
import { openSubmitter } from '../harness/queue/submitter.ts';
import { startOwnRedis } from '../harness/servers/own-redis.ts';
import { useService } from '../harness/service/service.ts';

describe('the service', () => {
  const service = useService();

  test('200 with every lot that an issue took', async () => {
    const client = await service.client();
    const itemID = await service.item();
    const lots = Array.from({ length: 150 }, (_, index) => ({ lot: `LOT-${index}-WITH-A-LONG-NAME` }));
    await Promise.all(
      lots.map(({ lot }) =>
        client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 0, lot }),
      ),
    );
    const answer = await client.post('/Inventory/Issue', { itemID, units: 150, wid: 1, reasonCode: 0 });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text.length).toBeGreaterThan(4096);
    const [row] = await service.sql<{ result: string }[]>`
      select result::text
      from stock_transaction
      where body->>'itemID' = ${itemID} and kind = 'issue'`;
    expect(answer.text).toBe(row?.result);
  });
});

test('Redis carries only a note that a large answer is stored, and it is read as soon as the note arrives', async () => {
  const { submit, redisUrl, prefix } = await openSubmitter({
    envelopeMax: 4,
    inFlightMax: 4,
    readOutcomes: async (requests) => allApplied(requests, 'x'.repeat(5000)),
  });
  await openConsumer({ redisUrl, prefix, apply: async (requests) => allApplied(requests, 'x'.repeat(5000)) });
  // Requests count as late only after two minutes here.
  const answers: SubmitResult[] = [];
  for (const each of submit(4, performance.now() + 120_000)) each.then((answer) => answers.push(answer));
  await expect.poll(() => answers).toEqual(Array(4).fill({ status: 'applied', result: 'x'.repeat(5000) }));
  const redis = connectConsumer(redisUrl, '', () => {});
  onTestFinished(() => redis.disconnect());
  const streams = await redis.keys(`${prefix}:${queueName(0)}:answers:*`);
  const entries = (await Promise.all(streams.map((each) => redis.xrange(each, '-', '+')))).flat();
  const told = entries.flatMap(([, fields]) => {
    const place = fields.indexOf('returnvalue');
    return place < 0 ? [] : (JSON.parse(fields[place + 1]!) as SignedAnswer).results;
  });
  expect(told).toEqual(Array(4).fill(['stored', null]));
});

test('Redis holds a few thousand events and some tens of megabytes after many envelopes with large answers', async () => {
  const own = await startOwnRedis();
  onTestFinished(() => own.stop());
  const { submit, prefix } = await openSubmitter({
    envelopeMax: 16,
    inFlightMax: 4,
    redisUrl: own.url,
    readOutcomes: async (requests) => allApplied(requests, 'x'.repeat(4000)),
  });
  await openConsumer({
    redisUrl: own.url,
    prefix,
    apply: async (requests) => allApplied(requests, 'x'.repeat(4000)),
  });
  let answered = 0;
  for (let round = 0; round < 250; round++) {
    const answers = await Promise.all(submit(64));
    answered += answers.filter(({ status }) => status === 'applied').length;
  }
  expect(answered).toBeGreaterThan(12_000);
  // Redis removes whole nodes of up to a hundred entries.
  expect(await own.redis.xlen(`${prefix}:${queueName(0)}:events`)).toBeLessThan(2200);
  const used = Number(/used_memory:(\d+)/.exec(await own.redis.info('memory'))?.[1]);
  expect(used).toBeLessThan(40_000_000);
});
