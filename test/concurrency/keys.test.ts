import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { messages } from '@inventory/api/http/errors';
import { nameRequest } from '@inventory/api/http/request-id';
import { createUnreadAnswers } from '@inventory/api/http/unread-answers';
import { startServer } from '@inventory/api/server';
import { createAnswerTexts } from '@inventory/api/stock/answer-texts';
import { createSender } from '@inventory/api/stock/sender';
import { createStock } from '@inventory/api/stock/transactions';
import { type KeyRow, keyRows, outcomesOfKeys, refuseKeys } from '@inventory/db/requests/idempotency-keys';
import { fillLargeAnswers } from '@inventory/db/requests/large-answers';
import { readOutcomes, settle } from '@inventory/db/requests/settle';
import { toldLengthMax } from '@inventory/domain/stock/left-out';
import { send as sendStatement } from '@inventory/postgres/piece';
import { createLog } from '@inventory/process/log/log';
import type { Running } from '@inventory/process/run';
import { openQueue } from '@inventory/queue/queue';
import type { Submitter } from '@inventory/queue/submit/submit';
import { connectConsumer } from '@inventory/redis/redis';
import { startWorker } from '@inventory/worker/worker';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { answerWay, readersOf } from '../harness/contract/call-texts.ts';
import { openStretch } from '../harness/network/through.ts';
import { countStatuses, expectWaiting, useBatches } from '../harness/queue/batches.ts';
import { type ApiAnswer, createApiClient, untilAnswered } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { applyLargeMoves, lotsOfLargeMove } from '../harness/stock/large-moves.ts';
import { inStock, outcomesOf, receiveOf } from '../harness/stock/operations.ts';

/** Sends again after a 503, sooner than a careful caller would, and not for ever. */
async function soonClear(send: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  let answer = await send();
  for (let turn = 0; turn < 25 && answer.status === 503; turn++) {
    await setTimeout(50);
    answer = await send();
  }
  return answer;
}

describe('an api process without Redis beside one that has it', async () => {
  const service = useService({ workers: 0 });
  const redisUrl = inject('redisUrl');
  const network = await openStretch(redisUrl);
  let cutOff: Running & { port: number };
  let worker: Running | undefined;
  /** For the first test that needs one, and the tests after it. */
  const haveWorker = async () => {
    worker ??= await startWorker(asPart('worker', service.env), createLog('worker'));
  };

  beforeAll(async () => {
    const env = { ...service.env, REDIS_URL: network.url };
    cutOff = await startServer(asPart('api', env), createLog('api'));
  });
  afterEach(() => network.setState('open'));
  afterAll(async () => {
    await cutOff?.stop();
    await worker?.stop();
    network.close();
  });

  async function clients() {
    const client = await service.client();
    const other = createApiClient(`http://127.0.0.1:${cutOff.port}/api/v1`, client.clientId, client.token, {
      isPatient: false,
    });
    return { client, other };
  }
  async function expectQueued(count: number) {
    const redis = connectConsumer(redisUrl, '', () => {});
    const queue = openQueue({
      shard: 0,
      prefix: service.env.QUEUE_PREFIX!,
      connection: redis,
      onError: () => {},
    });
    await expect.poll(() => queue.getWaitingCount()).toBe(count);
    await queue.close();
    redis.disconnect();
  }

  test('503 and never applied: a key whose request the other process has under way; then it is free', async () => {
    const { client, other } = await clients();
    const itemID = await service.item();
    const body = { itemID, units: 1, wid: 1, reasonCode: 0 };
    const headers = { 'Idempotency-Key': uniqueName('key') };
    const underWay = client.post('/Inventory/Receive', body, headers);
    await expectQueued(1);
    network.setState('cut');
    const refused = await other.post('/Inventory/Receive', body, headers);
    expect(refused).toMatchObject({ status: 503, body: { message: messages.unavailable } });
    await haveWorker();
    expect((await underWay).status).toBe(503);
    // Behind it in the queue: a request that was to be applied before has been by now.
    expect((await client.post('/Inventory/Receive', body)).status).toBe(201);
    expect(await countStatuses(service.sql, itemID)).toMatchObject({ applied: 1 });
    // Once refused, the key is free, for another request too.
    const next = { ...body, units: 2 };
    const applied = await untilAnswered(() => client.post('/Inventory/Receive', next, headers));
    expect(applied).toMatchObject({ status: 201, body: { lot: { units: 2 } } });
    expect((await client.post('/Inventory/Receive', body, headers)).status).toBe(409);
    expect(await countStatuses(service.sql, itemID)).toMatchObject({ applied: 2 });
    // A process that can send nothing can give its answer, too.
    const replayed = await other.post('/Inventory/Receive', next, headers);
    expect(replayed.status).toBe(201);
    expect(replayed.headers.get('Idempotent-Replayed')).toBe('true');
  });

  test('200 for an atomic batch that cannot be sent but was applied by another process; 503 "partly" when only a part was', async () => {
    const { client, other } = await clients();
    const itemID = await service.item();
    await haveWorker();
    const keys = ['a', 'b', 'c'].map((name) => uniqueName(name));
    const operations = keys.map((key, index) => receiveOf(itemID, index + 1, { key }));
    const some = { mode: 'atomic', operations: operations.slice(0, 2) };
    const first = await soonClear(() => client.post('/Inventory/Batch', some));
    network.setState('cut');
    const again = await soonClear(() => other.post('/Inventory/Batch', some));
    const replayed = first.body.results.map((each: object) => ({ ...each, replayed: true }));
    expect(again).toMatchObject({ status: 200, body: { summary: { applied: 2 }, results: replayed } });
    // Only the batch binds an answer to the key in the header.
    const listed = await other.post('/Inventory/Batch', some, { 'Idempotency-Key': uniqueName('list') });
    expect(listed).toMatchObject({ status: 503, body: { message: messages.partly, results: replayed } });
    const more = await other.post('/Inventory/Batch', { mode: 'atomic', operations });
    expect(more).toMatchObject({ status: 503, body: { message: messages.partly } });
    expect(more.headers.get('Retry-After')).toBe('1');
    expect(more.body.results.slice(0, 2)).toEqual(replayed);
    expect(outcomesOf(more.body)).toEqual(['applied 201', 'applied 201', 'notApplied 503']);
    // However soon it comes again: a decision told a moment later is not put off once more.
    network.setState('open');
    const all = await soonClear(() => client.post('/Inventory/Batch', { mode: 'atomic', operations }));
    expect(all.status, all.text).toBe(200);
    expect(outcomesOf(all.body)).toEqual(Array(3).fill('applied 201'));
    expect(await inStock(service, itemID)).toBe(6);
  });

  test('200, of bounded size, for an applied atomic batch of large answers that cannot be sent', async () => {
    const { client, other } = await clients();
    await haveWorker();
    const operations = await applyLargeMoves(client, await service.item(), 40);
    network.setState('cut');
    const again = await soonClear(() => other.post('/Inventory/Batch', { mode: 'atomic', operations }));
    expect(again.status, again.text.slice(0, 1000)).toBe(200);
    expect(again.text.length).toBeLessThan(toldLengthMax + 500_000);
    const bodies = again.body.results.map(({ body }: { body: object }) => body);
    expect(bodies[0].lots).toHaveLength(lotsOfLargeMove);
    expect(bodies[39]).toEqual({ transactionNo: bodies[39].transactionNo, leftOut: true, dryRun: false });
  });
});

describe('a key', () => {
  const batches = useBatches();
  const replayed = (outcome: object | undefined) => ({ ...outcome, isRepeat: true });
  const refusedKey = { status: 'refused', result: expect.stringContaining('used with another request') };
  const abandoned = { status: 'abandoned', result: null };

  /** One more send of the key, arriving now unless told otherwise. */
  function send(itemID: string, digest: string, { units = 1, askedAt = Date.now() } = {}) {
    const key = { digest, fingerprint: Buffer.alloc(32, units).toString('base64'), askedAt };
    return { ...batches.request('receive', { itemID, units, wid: 1 }), key };
  }
  /** Lets this many batches reach their writes together, and runs `meanwhile` before them. */
  async function beforeTheWrites<T>(
    count: number,
    apply: () => Promise<T>[],
    meanwhile = async () => {},
  ): Promise<Promise<T>[]> {
    return (
      await batches.sql.begin(async (tx) => {
        await tx`lock table stock_transaction in share mode`;
        const applied = apply();
        await expectWaiting(batches.sql, count);
        await meanwhile();
        // In a list, a promise is not awaited, so the transaction ends without it.
        return { applied };
      })
    ).applied;
  }

  const createDigest = () => randomBytes(32).toString('base64');

  test('sent three times in one batch and again in another: applied once, one answer', async () => {
    const worker = batches.worker();
    const itemID = await batches.item();
    const digest = createDigest();
    const sends = [send(itemID, digest), send(itemID, digest), send(itemID, digest, { units: 2 })];
    const [first, second, other] = await worker.apply(sends);
    expect(first).toEqual({ status: 'applied', result: expect.any(String) });
    expect(second).toEqual(replayed(first));
    expect(other).toEqual(refusedKey);
    const later = [send(itemID, digest), send(itemID, digest, { units: 2 }), sends[0]!];
    expect(await batches.worker().apply(later)).toEqual([replayed(first), refusedKey, first]);
    const verdicts = await settle(batches.sql, [...later, ...sends]);
    expect(later.map(({ requestId }) => verdicts.get(requestId))).toEqual([
      replayed(first),
      refusedKey,
      first,
    ]);
    expect(await countStatuses(batches.sql, itemID)).toEqual({ applied: 1 });
  });

  test('of another client is another key', async () => {
    const itemID = await batches.item();
    const digest = createDigest();
    const mine = send(itemID, digest);
    const theirs = { ...send(itemID, digest), clientId: 'nobody' };
    const outcomes = await batches.worker().apply([theirs, mine]);
    expect(outcomes.map(({ status }) => status)).toEqual(['abandoned', 'applied']);
    expect(outcomes[1]).not.toHaveProperty('isRepeat');
  });

  test('sent for two items to two workers at once: one is applied, the other refused', async () => {
    const workers = [batches.worker(), batches.worker()];
    for (let round = 0; round < 20; round++) {
      const items = [await batches.item(), await batches.item()];
      const digests = Array.from({ length: 200 }, createDigest);
      // Each in another order, so that one first claims what the other claims last; both write at the same
      // time.
      const outcomes = await Promise.all(
        await beforeTheWrites(2, () =>
          workers.map((worker, index) => {
            const order = index === 0 ? digests : digests.toReversed();
            return worker.apply(order.map((digest) => send(items[index]!, digest, { units: index + 1 })));
          }),
        ),
      );
      const [one, other] = [outcomes[0]!, outcomes[1]!.toReversed()];
      const pairs = one.map(({ status }, index) => [status, other[index]!.status].sort().join(' '));
      expect(new Set(pairs)).toEqual(new Set(['applied refused']));
    }
  });

  test('never applied: a send that came before another send was refused; the next send is applied', async () => {
    const worker = batches.worker();
    const itemID = await batches.item();
    const digest = createDigest();
    const [underWay, refused] = [send(itemID, digest), send(itemID, digest)];
    expect((await settle(batches.sql, [refused])).get(refused.requestId)).toEqual(abandoned);
    expect(await worker.apply([underWay])).toEqual([abandoned]);
    const [next] = await worker.apply([send(itemID, digest, { askedAt: Date.now() + 1000 })]);
    expect(next?.status).toBe('applied');
    expect((await settle(batches.sql, [underWay])).get(underWay.requestId)).toEqual(replayed(next));
    expect(await countStatuses(batches.sql, itemID)).toEqual({ applied: 1 });
  });

  test('never applied: a send that was refused by a clock behind its own', async () => {
    const itemID = await batches.item();
    const ahead = send(itemID, createDigest(), { askedAt: Date.now() + 60_000 });
    expect((await settle(batches.sql, [ahead])).get(ahead.requestId)).toEqual(abandoned);
    expect(await batches.worker().apply([ahead])).toEqual([abandoned]);
  });

  test('applied: a send of a key that was refused while the clock of Postgres was an hour ahead; later refusals hold', async () => {
    const worker = batches.worker();
    const itemID = await batches.item();
    const [key, other] = [createDigest(), createDigest()];
    const askedAt = Date.now() + 3_600_000 - 1000;
    await settle(batches.sql, [send(itemID, key), send(itemID, other)]);
    await batches.sql`
      update idempotency_key
      set refused_at = clock_timestamp() + interval '1 hour'
      where encode(key_digest, 'base64') = any(${[key, other]}::text[])`;
    // This send came while the clock was ahead.
    const ahead = send(itemID, other, { askedAt });
    expect(await worker.apply([ahead])).toEqual([abandoned]);
    const [applied] = await worker.apply([send(itemID, key)]);
    expect(applied?.status).toBe('applied');
    const [underWay, refused] = [send(itemID, other), send(itemID, other)];
    expect((await settle(batches.sql, [refused])).get(refused.requestId)).toEqual(abandoned);
    expect(await worker.apply([underWay])).toEqual([abandoned]);
    expect(await worker.apply([send(itemID, other, { askedAt })])).toEqual([abandoned]);
    const [next] = await worker.apply([send(itemID, other, { askedAt: Date.now() + 1000 })]);
    expect(next?.status).toBe('applied');
    expect(await countStatuses(batches.sql, itemID)).toEqual({ applied: 2 });
  });

  test('never applied: a send whose key was refused, again or for the first time, while its batch waited', async () => {
    const worker = batches.worker();
    const itemID = await batches.item();
    await worker.apply([batches.request('receive', { itemID, units: 1, wid: 1 })]);
    const [fresh, refusedBefore] = [createDigest(), createDigest()];
    await settle(batches.sql, [send(itemID, refusedBefore, { askedAt: Date.now() - 10_000 })]);
    await batches.sql`update idempotency_key set refused_at = refused_at - interval '10 seconds'`;
    const sends = [send(itemID, fresh), send(itemID, refusedBefore)];
    const applied = await beforeTheWrites(
      1,
      () => [worker.apply(sends)],
      async () => {
        await refuseKeys(batches.sql, [send(itemID, fresh), send(itemID, refusedBefore)]);
      },
    );
    expect(await applied[0]).toEqual([abandoned, abandoned]);
    expect(await countStatuses(batches.sql, itemID)).toEqual({ applied: 1 });
  });

  test('abandoned by its batch: so are other sends that came before; a later send is applied', async () => {
    const worker = batches.worker();
    const itemID = await batches.item();
    const digest = createDigest();
    const late = { ...send(itemID, digest), deadline: Date.now() - 10_000 };
    expect(await worker.apply([late, send(itemID, digest)])).toEqual([abandoned, abandoned]);
    expect(await worker.apply([send(itemID, digest, { askedAt: Date.now() - 1000 })])).toEqual([abandoned]);
    const [next] = await worker.apply([send(itemID, digest, { askedAt: Date.now() + 1000 })]);
    expect(next?.status).toBe('applied');
  });

  test('batches, verdicts and resends that race agree on each key', async () => {
    const worker = batches.worker();
    const itemID = await batches.item();
    const seen: Record<string, number> = {};
    for (let round = 0; round < 30; round++) {
      const digests = Array.from({ length: 16 }, createDigest);
      const askedAt = Date.now();
      const sends = digests.map((digest) => send(itemID, digest, { askedAt }));
      const applied = worker.apply(sends);
      const told: (string | undefined)[] = [];
      // Other sends of the same keys, each refused on its own, in the opposite order and all at once.
      for (const digest of digests.slice(0, 6)) {
        const other = send(itemID, digest, { askedAt });
        told.push((await settle(batches.sql, [other])).get(other.requestId)?.status);
      }
      const others = digests
        .slice(6)
        .toReversed()
        .map((digest) => send(itemID, digest, { askedAt }));
      const together = await settle(batches.sql, others);
      told.push(...others.map(({ requestId }) => together.get(requestId)?.status).toReversed());
      const outcomes = (await applied).map(({ status }) => status);
      expect(told).toEqual(outcomes);
      for (const status of outcomes) seen[status] = (seen[status] ?? 0) + 1;
    }
    expect((await countStatuses(batches.sql, itemID)).applied ?? 0).toBe(seen.applied ?? 0);
    expect(seen).toEqual({ applied: expect.any(Number), abandoned: expect.any(Number) });
  });

  test('no deadlock when several processes refuse the same keys at once, each in another order', async () => {
    const itemID = await batches.item();
    for (let round = 0; round < 20; round++) {
      const digests = Array.from({ length: 60 }, createDigest);
      const orders = [digests, digests.toReversed(), digests.toSpliced(0, 30).concat(digests.slice(0, 30))];
      await Promise.all(
        orders.map((order) =>
          refuseKeys(
            batches.sql,
            order.map((digest) => send(itemID, digest)),
          ),
        ),
      );
    }
  });

  test('503 only once it is settled: a request that the queue refuses', async () => {
    const itemID = await batches.item();
    const full: Pick<Submitter, 'submit' | 'togetherMax'> = {
      submit: () => [Promise.resolve({ status: 'busy', result: null })],
      togetherMax: 64,
    };
    let asked = 0;
    const sender = createSender({
      submitter: full,
      settle: async (request) => {
        // A connection that ends leaves nothing in doubt: another one is asked.
        if (++asked === 1) throw Object.assign(new Error('it ended'), { code: 'CONNECTION_CLOSED' });
        return (await settle(batches.sql, [request])).get(request.requestId)!;
      },
      now: Date.now,
      tracing: null,
    });
    const stock = createStock({
      sender,
      findSubjects: async () => ({ transactions: new Map(), lots: new Map() }),
      tryOut: async () => ({ status: 'applied', text: '' }),
      readOutcomes: (requests) => readOutcomes(batches.sql, requests),
      answerTexts: createAnswerTexts(readersOf(new Map()), createUnreadAnswers()),
      whyUnanswered: () => 'busy',
    });
    const client = {
      clientId: batches.clientId,
      readOnly: false,
      rateLimit: null,
      operationsPerMinute: null,
      permissions: new Set<number>(),
      scope: new Set<number>(),
    };
    const key = uniqueName('key');
    const transact = () =>
      stock.operate(
        { kind: 'receive', body: { itemID, units: 1, wid: 1, reasonCode: 0 }, isDryRun: false },
        { client, arrivedAt: performance.now(), key, name: nameRequest(''), res: answerWay() },
        { until: Number.POSITIVE_INFINITY, hasGone: () => false },
      );
    await expect(transact()).rejects.toThrow(messages.unavailable);
    const keys = await batches.sql`
      select client_id, request_id, refused_at from idempotency_key order by refused_at desc nulls last limit 1`;
    expect([...keys]).toEqual([
      { client_id: batches.clientId, request_id: null, refused_at: expect.any(Date) },
    ]);
  });

  test('the first send of a key is no repeat, even when it is found only by its key', async () => {
    const worker = batches.worker();
    const itemID = await batches.item();
    const key = { digest: randomBytes(32).toString('base64'), fingerprint: 'AAAA', askedAt: Date.now() };
    const first = batches.request('receive', { itemID, units: 1, wid: 1 }, { key });
    await worker.apply([first]);
    const byKey = async (request: typeof first) => {
      const asked = [{ ...request, key }];
      const rows = await sendStatement<KeyRow>(batches.sql)`${keyRows(asked)}`;
      return outcomesOfKeys(asked, rows).get(request.requestId);
    };
    expect(await byKey(first)).toEqual({ status: 'applied', result: expect.any(String) });
    const second = batches.request('receive', { itemID, units: 1, wid: 1 }, { key });
    expect(await byKey(second)).toEqual({ status: 'applied', result: expect.any(String), isRepeat: true });
  });

  test('large answers are read outside the locks, once for all their sends, and only up to a bound', async () => {
    const worker = batches.worker();
    const itemID = await batches.item();
    await worker.apply(
      Array.from({ length: 100 }, () => batches.request('receive', { itemID, units: 1, wid: 1 })),
    );
    const moves = Array.from({ length: 9 }, (_, index) => {
      const key = { digest: createDigest(), fingerprint: 'AAAA', askedAt: Date.now() };
      const toSpot = `SPOT-${index}`;
      return batches.request('move', { itemID, units: 100, wid: 1, toSpot }, { key });
    });
    await worker.apply(moves);
    const again = (move: (typeof moves)[number], fingerprint = 'AAAA') => ({
      ...move,
      requestId: randomUUID(),
      key: { ...move.key!, fingerprint },
    });
    const [first] = moves;
    const sends = [again(first!, 'BBBB'), again(first!), again(first!)];
    const unread = { status: 'applied', result: null, under: first!.requestId, isRepeat: true };
    expect(await worker.apply(sends)).toEqual([refusedKey, unread, unread]);
    const rows = await sendStatement<KeyRow>(batches.sql)`${keyRows(sends)}`;
    expect([...rows]).toMatchObject([{ is_large: true, result: null }]);
    const found = await readOutcomes(batches.sql, sends);
    expect(sends.map(({ requestId }) => found.get(requestId))).toEqual([refusedKey, unread, unread]);
    await fillLargeAnswers(batches.sql, found, 10_000_000);
    const read = {
      status: 'applied',
      result: expect.stringContaining('"spot":"SPOT-0"}],"dryRun":false}'),
      isRepeat: true,
    };
    expect(sends.map(({ requestId }) => found.get(requestId))).toEqual([refusedKey, read, read]);
    const all = moves.map((move) => again(move));
    const some = await readOutcomes(batches.sql, all);
    await fillLargeAnswers(batches.sql, some, 10_000);
    const bounded = [...some.values()];
    const leftOut = bounded.filter(({ result }) => result!.includes('"leftOut":true'));
    expect([bounded.length, leftOut.length]).toEqual([9, 1]);
    expect(JSON.stringify(bounded)).not.toContain('"under"');
  });
});
