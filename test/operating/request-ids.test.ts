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
    { ...asPart('api', service.env), QUEUE_PREFIX: lonelyPrefix, LOG_LEVEL: 'info', ACCESS_LOG: 'on' },
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

test('the X-Request-Id that a caller sends, of at most 128 characters, is in its transaction; otherwise the answer carries the id of the transaction', async () => {
  const long = uniqueName('long').padEnd(128, 'x');
  for (const id of [uniqueName('traced'), long, `${long}x`, null]) {
    const answer = await client.post('/Inventory/Receive', body(), id === null ? {} : { 'X-Request-Id': id });
    expect(answer.status).toBe(201);
    const named = answer.headers.get('X-Request-Id');
    const kept = id !== null && id.length <= 128 ? id : null;
    if (kept !== null) expect(named).toBe(kept);
    const stored = await transactionsBy(kept === null ? 'request_id' : 'x_request_id', named!);
    expect([...stored]).toEqual([{ transaction_no: answer.body.transactionNo, x_request_id: kept }]);
  }
});

test('the X-Request-Id of a request that no worker takes is in its job, the log of its failure and the access log', async () => {
  const id = uniqueName('lost');
  const sent = unanswered.post('/Inventory/Receive', body(), { 'X-Request-Id': id });
  const waiting = `${lonelyPrefix}:${queueName(0)}:wait`;
  const jobId = async () => (await redis.lindex(waiting, 0)) ?? '';
  await expect.poll(jobId, { interval: 5 }).not.toBe('');
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
  await expect.poll(() => linesOf('request failed')).toMatchObject([{ ...told, cause: 'noWorker' }]);
  await expect.poll(() => linesOf('request')).toMatchObject([told]);
});
