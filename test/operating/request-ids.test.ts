import { queueName } from '@inventory/queue/envelope';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { type ApiClient, createApiClient } from '../harness/service/api-client.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { logLinesOf } from '../harness/watch/log-lines.ts';

// One api with its worker, and one whose requests no worker takes.
const service = useService({ hears503: true });
const lonelyPrefix = uniqueName('request-ids');
let lonely: Started;
let client: ApiClient;
let unanswered: ApiClient;
let itemID: string;
const redis = new Redis(inject('redisUrl'));

beforeAll(async () => {
  lonely = await startProcess(
    'apps/api/src/main.ts',
    asPart('api', {
      DATABASE_URL: service.databaseUrl,
      REDIS_URL: inject('redisUrl'),
      QUEUE_PREFIX: lonelyPrefix,
      PORT: '0',
      LOG_LEVEL: 'info',
      ACCESS_LOG: 'on',
    }),
    { keep: true },
  );
  const known = await service.client();
  client = known;
  unanswered = createApiClient(`http://127.0.0.1:${lonely.port}/api/v1`, known.clientId, known.token, {
    isPatient: false,
  });
  itemID = await service.item();
});
afterAll(async () => {
  redis.disconnect();
  await lonely?.stop();
});

const body = () => ({ itemID, units: 1, wid: 1, reasonCode: 0 });
const transactionsBy = (column: 'request_id' | 'x_request_id', id: string) =>
  service.sql<{ transaction_no: number; x_request_id: string | null }[]>`
    select transaction_no, x_request_id from stock_transaction where ${service.sql(column)}::text = ${id}`;

test('the X-Request-Id that a caller sends is in its transaction', async () => {
  const id = uniqueName('traced');
  const answer = await client.post('/Inventory/Receive', body(), { 'X-Request-Id': id });
  expect({ status: answer.status, named: answer.headers.get('X-Request-Id') }).toEqual({
    status: 201,
    named: id,
  });
  expect([...(await transactionsBy('x_request_id', id))]).toEqual([
    { transaction_no: answer.body.transactionNo, x_request_id: id },
  ]);
});

test('without one, the answer carries the id of its transaction, which stores nothing more', async () => {
  const answer = await client.post('/Inventory/Receive', body());
  const id = answer.headers.get('X-Request-Id') ?? '';
  expect([...(await transactionsBy('request_id', id))]).toEqual([
    { transaction_no: answer.body.transactionNo, x_request_id: null },
  ]);
});

test('an invalid X-Request-Id is not stored; one of 128 characters is', async () => {
  const long = uniqueName('long').padEnd(128, 'x');
  await client.post('/Inventory/Receive', body(), { 'X-Request-Id': long });
  expect(await transactionsBy('x_request_id', long)).toHaveLength(1);
  const answer = await client.post('/Inventory/Receive', body(), { 'X-Request-Id': `${long}x` });
  expect(answer.status).toBe(201);
  const id = answer.headers.get('X-Request-Id') ?? '';
  expect([...(await transactionsBy('request_id', id))]).toEqual([
    { transaction_no: answer.body.transactionNo, x_request_id: null },
  ]);
});

test('the X-Request-Id of a request that no worker takes is in its job, the log of its failure and the access log', async () => {
  const id = uniqueName('lost');
  const sent = unanswered.post('/Inventory/Receive', body(), { 'X-Request-Id': id });
  const waiting = `${lonelyPrefix}:${queueName(0)}:wait`;
  const jobId = async () => (await redis.lindex(waiting, 0)) ?? '';
  await expect.poll(jobId, { timeout: 60_000, interval: 5 }).not.toBe('');
  const data = JSON.parse(
    (await redis.hget(`${lonelyPrefix}:${queueName(0)}:${await jobId()}`, 'data')) ?? '{}',
  );
  expect(data.requests).toMatchObject([{ xRequestId: id }]);
  expect((await sent).status).toBe(503);
  const linesOf = (msg: string) => logLinesOf(lonely.written()).filter((line) => line.msg === msg);
  const told = {
    requestId: id,
    method: 'POST',
    route: '/Inventory/Receive',
    client: client.clientId,
    status: 503,
  };
  await expect
    .poll(() => linesOf('request failed'), { timeout: 60_000 })
    .toMatchObject([{ ...told, cause: 'noWorker' }]);
  await expect.poll(() => linesOf('request'), { timeout: 60_000 }).toMatchObject([told]);
});
