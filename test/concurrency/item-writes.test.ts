import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { messages } from '@inventory/api/http/errors';
import { startServer } from '@inventory/api/server';
import { createLog } from '@inventory/process/log/log';
import type { Running } from '@inventory/process/run';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { type AnswerCut, startAnswerCut } from '../harness/network/answer-cut.ts';
import { through } from '../harness/network/through.ts';
import { expectWaiting } from '../harness/queue/batches.ts';
import { type ApiAnswer, type ApiClient, createApiClient } from '../harness/service/api-client.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

const service = useService({ workers: 0, env: { INTERNAL_PORT: '0' } });
let cut: AnswerCut;
let api: Running & { port: number };
/** Connects through the proxy that breaks. */
let client: ApiClient;

beforeAll(async () => {
  cut = await startAnswerCut(Number(new URL(service.databaseUrl).port));
  const env = { ...service.env, DATABASE_URL: through(service.databaseUrl, cut) };
  api = await startServer(asPart('api', env), createLog('api'));
  const { clientId, token } = await service.client();
  client = createApiClient(`http://127.0.0.1:${api.port}/api/v1`, clientId, token, { isPatient: false });
});
afterAll(async () => {
  await api?.stop();
  cut?.close();
});

const itemOf = async (shortId: string) =>
  (await service.sql`select description, discontinued from item where short_id = ${shortId}`)[0];
const unavailable = { status: 503, body: { message: messages.unavailable } };
const unknown = { status: 503, body: { message: messages.unknown, outcome: 'unknown' } };

/** Runs `write`, and breaks its connection once when these words pass. */
async function broken(words: string, moment: 'after' | 'before', write: () => Promise<unknown>) {
  const before = cut.brokenCount();
  cut.breakAt(words, moment);
  const answer = await write();
  expect(cut.brokenCount()).toBe(before + 1);
  return answer;
}

describe('a write of an item whose connection breaks after it reached Postgres', () => {
  test('201 with the stored item: a creation', async () => {
    const shortID = uniqueName('ITEM');
    const answer = await broken(shortID, 'after', () =>
      client.post('/Item', { shortID, description: 'new' }),
    );
    expect(answer).toMatchObject({
      status: 201,
      body: { shortID, description: 'new', createdBy: client.clientId, status: 'created' },
    });
    expect(await itemOf(shortID)).toEqual({ description: 'new', discontinued: false });
  });

  test('200 with the stored item: an update and a discontinuation', async () => {
    const shortID = await service.item();
    const update = () => client.put('/Item', { shortID, description: 'changed' });
    expect(await broken(shortID, 'after', update)).toMatchObject({
      status: 200,
      body: { status: 'updated' },
    });
    expect(await itemOf(shortID)).toEqual({ description: 'changed', discontinued: false });
    const end = () => client.delete(`/Item/${shortID}`);
    expect(await broken(shortID, 'after', end)).toMatchObject({
      status: 200,
      body: { status: 'discontinued' },
    });
    expect(await itemOf(shortID)).toEqual({ description: 'changed', discontinued: true });
  });

  test('503 "not known" when the item is not there: a creation with a name that another item has', async () => {
    const shortID = await service.item({ description: 'first' });
    const create = () => client.post('/Item', { shortID, description: 'second' });
    expect(await broken(shortID, 'after', create)).toMatchObject(unknown);
    expect(await itemOf(shortID)).toEqual({ description: 'first', discontinued: false });
  });
});

describe('a write of an item whose connection breaks before it reached Postgres', () => {
  test('503 "not known"', async () => {
    const shortID = uniqueName('ITEM');
    const create = () => client.post('/Item', { shortID });
    expect(await broken(shortID, 'before', create)).toMatchObject(unknown);
    expect(await itemOf(shortID)).toBeUndefined();
    const existing = await service.item({ description: 'old' });
    const update = () => client.put('/Item', { shortID: existing, description: 'changed' });
    expect(await broken(existing, 'before', update)).toMatchObject(unknown);
    expect(await itemOf(existing)).toMatchObject({ description: 'old' });
  });
});

test('503 and never applied: more writes of an item than there are connections, while it is locked', async () => {
  for (;;) {
    const shortID = await service.item({ description: 'old' });
    const holder = await service.sql.reserve();
    let answers: ApiAnswer[];
    try {
      await holder`begin`;
      await holder`select from item where short_id = ${shortID} for update`;
      const change = (index: number) => client.put('/Item', { shortID, description: `new ${index}` });
      answers = await Promise.all(Array.from({ length: 16 }, (_, index) => change(index)));
    } finally {
      await holder`rollback`;
      holder.release();
    }
    // A slow machine may not learn in time that Postgres has ended a statement.
    if (answers.some(({ body }) => body.message === messages.unknown)) continue;
    for (const answer of answers) expect(answer).toMatchObject(unavailable);
    // On every possible connection: a statement that waited there has had its turn.
    const others = Array.from({ length: 20 }, () => client.post('/Item', { shortID: uniqueName('ITEM') }));
    for (const answer of await Promise.all(others)) expect(answer.status).toBe(201);
    expect(await itemOf(shortID)).toEqual({ description: 'old', discontinued: false });
    return;
  }
});

test('a write of an item is never applied when its caller left before a connection was free', async () => {
  const direct = await service.client();
  const [locked, other] = [await service.item(), await service.item({ description: 'old' })];
  const holder = await service.sql.reserve();
  await holder`begin`;
  await holder`select from item where short_id = ${locked} for update`;
  // As many as there are connections for writes of items.
  const held = Array.from({ length: 4 }, () => direct.put('/Item', { shortID: locked, description: 'new' }));
  await expectWaiting(service.sql, 4);
  const body = JSON.stringify({ shortID: other, description: 'new' });
  const leaving = connectTcp(Number(new URL(service.baseUrl).port), '127.0.0.1');
  leaving.write(
    `PUT /api/v1/Item HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${direct.token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const waiting = async () =>
    (await readMetrics(service.internalPort!)).value('inventory_api_postgres_waiting{kind="items"}');
  await expect.poll(waiting).toBe(1);
  leaving.end();
  // The api has seen the end and closed its side.
  await once(leaving.resume(), 'close');
  await holder`rollback`;
  holder.release();
  for (const answer of await Promise.all(held)) expect(answer.status).toBe(200);
  expect((await direct.put('/Item', { shortID: locked, description: 'newer' })).status).toBe(200);
  expect(await itemOf(other)).toMatchObject({ description: 'old' });
});
