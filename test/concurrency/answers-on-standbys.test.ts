import { afterAll, beforeAll, expect, test } from 'vitest';
import { meanwhile } from '../harness/meanwhile.ts';
import { type PostgresPair, startPostgresPair } from '../harness/servers/standby.ts';
import { type ApiAnswer, type ApiClient, untilAnswered } from '../harness/service/api-client.ts';
import { expectInvariants } from '../harness/service/invariants.ts';
import { type OwnService, prepareDatabase, startOwnService } from '../harness/service/own-service.ts';
import { type Operation, receiveOf } from '../harness/stock/operations.ts';

const patient = { timeout: 120_000 };
const itemIds = ['SINGLE', 'ATOMIC', 'OWN', 'LARGE', 'CHANGED', 'ENDED', 'KEYLESS'];
// With this many lots of one unit, an answer that lists them all is large.
const lots = 200;
let pair: PostgresPair;
let service: OwnService;

beforeAll(async () => {
  pair = await startPostgresPair({ prepare: (sql) => prepareDatabase(sql, itemIds), synchronous: true });
  // The standby first: a process that starts finds the primary behind it.
  const DATABASE_URL = pair.urlOf(pair.standby, pair.primary);
  service = await startOwnService({ apis: 1, workers: 1, env: { DATABASE_URL } });
});
afterAll(async () => {
  await service?.stop();
  await pair?.stop();
});

type Send = (client: ApiClient) => Promise<ApiAnswer>;

const call = (path: string, reference: string, body: object, key?: string): Send => {
  const whole = { wid: 1, units: 1, reasonCode: 0, reference, ...body };
  return (client) => client.post(path, whole, key === undefined ? {} : { 'Idempotency-Key': key });
};
const batch = (mode: 'each' | 'atomic', operations: Operation[], key?: string): Send => {
  const headers = key === undefined ? {} : { 'Idempotency-Key': key };
  return (client) => client.post('/Inventory/Batch', { mode, operations }, headers);
};
const receipts = (itemID: string, keyed = false) =>
  ['1', '2'].map((place) => {
    const reference = `${itemID}-${place}`;
    return receiveOf(itemID, 1, { reference, ...(keyed && { key: reference }) });
  });

/** Requests that are answered again when sent again, with the rows each leaves in the ledger. */
const resent: Record<string, Send> = {
  SINGLE: call('/Inventory/Receive', 'SINGLE', { itemID: 'SINGLE' }, 'single'),
  LARGE: call('/Inventory/Issue', 'LARGE', { itemID: 'LARGE', units: lots }, 'large'),
  'ATOMIC-1': batch('atomic', receipts('ATOMIC'), 'atomic'),
  'OWN-1': batch('each', receipts('OWN', true)),
  'OWN-2': batch('atomic', receipts('OWN', true).reverse()),
};
/** Requests that change nothing when sent again. */
const unchanged: Send[] = [
  (client) => client.put('/Item', { shortID: 'CHANGED', description: 'as sent' }),
  (client) => client.delete('/Item/ENDED'),
];
/** Requests that are looked up when their answer is lost. */
const looked: Send[] = [
  call('/Inventory/Receive', 'KEYLESS', { itemID: 'KEYLESS' }),
  (client) => client.post('/Item', { shortID: 'CREATED', description: 'as sent' }),
  (client) => client.put('/Item', { shortID: 'KEYLESS', description: 'as sent' }),
];

const sendAll = (sends: readonly Send[]) => Promise.all(sends.map((send) => send(service.clients[0]!)));

/** The answers that claim something was done. */
function yesesAmong(answers: readonly ApiAnswer[]): string[] {
  const isYes = ({ status, body }: ApiAnswer) =>
    status < 300 && (body.results?.some((each: { statusCode: number }) => each.statusCode < 300) ?? true);
  return answers.filter(isYes).map(({ text }) => text.slice(0, 200));
}

async function countWaiting(): Promise<number> {
  const [row] = await pair.primary.sql<{ count: number }[]>`
    select count(*)::integer as count from pg_stat_activity where wait_event = 'SyncRep'`;
  return row!.count;
}

test('503 for a look-up, read-back or resend of anything no standby has; after the primary is lost, every 2xx still holds', {
  timeout: 300_000,
}, async () => {
  const [client] = service.clients;
  const stock = Array.from({ length: lots }, () => receiveOf('LARGE', 1));
  expect((await untilAnswered(() => batch('each', stock)(client!))).status).toBe(200);

  await pair.standby.kill();
  // These commits no longer wait for a standby, as after a restart that ended their wait.
  await pair.awaitStandby(false);
  for (const send of [...Object.values(resent), ...unchanged]) {
    expect(yesesAmong([await untilAnswered(() => send(client!))])).toHaveLength(1);
  }
  await pair.awaitStandby(true);
  expect(yesesAmong(await sendAll([...Object.values(resent), ...unchanged]))).toEqual([]);
  const waiting = await countWaiting();
  const underWay = meanwhile(sendAll(looked));
  await expect.poll(countWaiting, patient).toBeGreaterThan(waiting);
  await pair.primary.kill();
  await pair.primary.startAgain();
  expect(yesesAmong(await underWay)).toEqual([]);
  // The write is on the primary, where everybody sees it.
  const references = async ({ sql }: PostgresPair['primary']) =>
    (await sql`select body->>'reference' as reference from stock_transaction where status = 'applied'`).map(
      ({ reference }) => reference as string,
    );
  expect(await references(pair.primary)).toEqual(expect.arrayContaining(Object.keys(resent)));
  expect(yesesAmong(await sendAll([...Object.values(resent), ...unchanged]))).toEqual([]);

  await pair.standby.startAgain();
  const answers: ApiAnswer[] = [];
  for (const send of [...Object.values(resent), ...unchanged]) {
    const answer = async () => {
      answers.push(await send(client!));
      return yesesAmong(answers.slice(-1)).length;
    };
    await expect.poll(answer, patient).toBe(1);
  }
  await pair.primary.kill();
  await pair.standby.promote();
  expect(await references(pair.standby)).toEqual(expect.arrayContaining(Object.keys(resent)));
  const [changed] = await pair.standby.sql`select description from item where short_id = 'CHANGED'`;
  const [ended] = await pair.standby.sql`select discontinued from item where short_id = 'ENDED'`;
  expect({ ...changed, ...ended }).toEqual({ description: 'as sent', discontinued: true });
  await expectInvariants(pair.standby.sql);
});
