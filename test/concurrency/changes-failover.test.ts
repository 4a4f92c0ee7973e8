import { randomBytes } from 'node:crypto';
import { addWebhook } from '@inventory/db/webhooks/manage-webhooks';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { readEvents } from '../harness/network/event-reader.ts';
import { startReceiver } from '../harness/network/webhook-receiver.ts';
import { type PostgresPair, startPostgresPair } from '../harness/servers/standby.ts';
import { type ApiClient, untilAnswered } from '../harness/service/api-client.ts';
import { examine } from '../harness/service/doctor.ts';
import { prepareDatabase, receiveOnce, startOwnService } from '../harness/service/own-service.ts';

const itemID = 'FOLLOWED';

async function startPair(synchronous: boolean): Promise<PostgresPair> {
  return startPostgresPair({ prepare: (sql) => prepareDatabase(sql, [itemID]), synchronous });
}

/** The service on both servers, the standby first: a process that starts finds the primary behind it. */
async function serve(pair: PostgresPair, apis = 1) {
  const env = { DATABASE_URL: pair.urlOf(pair.standby, pair.primary) };
  const service = await startOwnService({ apis, workers: 1, env });
  onTestFinished(service.stop);
  return service;
}

const cursorOf = async (client: ApiClient): Promise<string> =>
  (await untilAnswered(() => client.get('/Me'))).body.cursor;

/** The changes after a cursor, once they can be told. */
const readOn = (client: ApiClient, after: string, query = '') =>
  untilAnswered(() => client.get(`/Changes?after=${after}${query}`));

/** A webhook that begins now, and what its receiver was told. */
async function receive(pair: PostgresPair) {
  const receiver = await startReceiver();
  const added = await addWebhook(pair.primary.sql, {
    ...{ clientId: 'everything', url: receiver.url, kinds: null, allowPrivate: true, begin: 'now' },
    secret: randomBytes(32),
  });
  expect(added).toEqual(expect.any(Number));
  return receiver;
}

const changesIn = (bodies: readonly string[]): { type: string; transactionNo?: number }[] =>
  bodies.flatMap((body) => JSON.parse(body).data.value);

describe('with a synchronous standby', () => {
  let pair: PostgresPair;
  beforeAll(async () => {
    pair = await startPair(true);
  });
  afterAll(() => pair?.stop());

  test('nothing is told that no standby has; a cursor stays good, and one whose lists may show what is lost is refused', async () => {
    const service = await serve(pair);
    const client = service.clients[0]!;
    const receiver = await receive(pair);
    const first = await cursorOf(client);
    // Answered once, so everything that was seen before is on the standby.
    const { nextCursor: before } = (await readOn(client, first)).body;
    const receipt = await receiveOnce(client, { itemID, units: 100 });
    expect((await readOn(client, before)).body.value[0].lots[0].units).toBe(100);
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
    const events = await readEvents(`${service.baseUrls[0]}/Changes?after=${before}`, {
      Authorization: `Bearer ${client.token}`,
    });
    const streamed: string[] = [];
    void (async () => {
      for (let event = await events.next(); event !== null; event = await events.next())
        streamed.push(JSON.stringify(event.data));
    })().catch(() => {});

    await pair.standby.kill();
    const issue = { itemID, units: 40, wid: 1, reasonCode: 0 };
    expect((await client.post('/Inventory/Issue', issue)).status).toBe(503);
    await pair.primary.kill();
    await pair.primary.startAgain();
    const lot = async () => (await client.get(`/Inventory/Lots/${receipt.body.recNo}`)).body.units;
    await expect.poll(lot).toBe(60);
    const walk = await cursorOf(client);
    const waited = await client.get(`/Changes?after=${before}&wait=1`);
    expect([waited.status, waited.body.value]).toEqual([200, []]);
    expect(waited.body.nextCursor).toBe(before);
    expect((await client.get(`/Changes?after=${before}`)).status).toBe(503);
    expect((await client.get(`/Changes?after=${walk}&wait=1`)).body.value).toEqual([]);

    await pair.primary.kill();
    await pair.standby.startAgain();
    await pair.standby.promote();
    const { body } = await readOn(client, before);
    expect(body.value.map(({ lots }: { lots: { units: number }[] }) => lots[0]!.units)).toEqual([100]);
    expect(await lot()).toBe(100);
    for (const query of ['', '&wait=1'])
      expect((await readOn(client, walk, query)).body).toMatchObject({ reason: 'cursorOutdated' });
    expect((await readOn(client, body.nextCursor)).body.value).toEqual([]);
    const told = [...receiver.received.map((each) => each.body), ...streamed];
    expect(told.filter((text) => text.includes('"units":60'))).toEqual([]);
  });
});

describe('with an asynchronous standby', () => {
  let pair: PostgresPair;
  beforeAll(async () => {
    pair = await startPair(false);
  });
  afterAll(() => pair?.stop());

  test('409 for each cursor of before a failover that lost something, for good; a webhook is told to begin again, and doctor warns', async () => {
    const service = await serve(pair, 2);
    const [client, other] = service.clients as [ApiClient, ApiClient];
    const receiver = await receive(pair);
    for (let count = 0; count < 6; count++) await receiveOnce(client, { itemID, units: 1 });
    const first = await readOn(client, await cursorOf(client));
    const lotsOf = async () => (await untilAnswered(() => client.get('/Inventory/1'))).body.totalCount;
    const count = (await pair.primary.sql`select from lot`).length;
    const replayed = async () => (await pair.standby.sql`select from lot`).length;
    await expect.poll(replayed).toBe(count);
    // The standby gets nothing more.
    await pair.standby.sql`alter system set primary_conninfo = ''`;
    await pair.standby.sql`select pg_reload_conf()`;
    const attached = async () => (await pair.primary.sql`select from pg_stat_replication`).length;
    await expect.poll(attached).toBe(0);
    for (let lost = 0; lost < 5; lost++) await receiveOnce(client, { itemID, units: 1 });
    const last = await readOn(client, first.body.nextCursor);
    expect(last.body.value.length).toBe(5);
    const isTold = () => changesIn(receiver.received.map(({ body }) => body)).length >= 11;
    await expect.poll(isTold).toBe(true);

    await pair.primary.kill();
    await pair.standby.promote();
    await expect.poll(lotsOf).toBe(count);
    const cursors = [last.body.nextCursor, first.body.nextCursor];
    const refused = async (of: ApiClient) => {
      for (const cursor of cursors)
        for (const query of ['', '&wait=1'])
          expect((await readOn(of, cursor, query)).body).toMatchObject({ reason: 'cursorOutdated' });
    };
    await refused(client);
    await refused(other);
    // Also once as many numbers have been drawn again.
    const later: number[] = [];
    for (let more = 0; more < 12; more++)
      later.push((await receiveOnce(client, { itemID, units: 1 })).body.transactionNo);
    await refused(other);
    // Some of it may be told again: the standby may know less of the webhook than of the stock.
    const told = () => changesIn(receiver.received.map(({ body }) => body));
    await expect.poll(() => told().some(({ type }) => type === 'scope')).toBe(true);
    const toldNumbers = () => told().map(({ transactionNo }) => transactionNo);
    await expect.poll(() => later.filter((number) => !toldNumbers().includes(number))).toEqual([]);
    const env = { DATABASE_URL: pair.urlOf(pair.standby) };
    const { checks } = await examine(asPart('operator', env));
    expect(checks.changes).toMatchObject({ state: 'warn', found: expect.stringContaining('may be lost') });
  });
});
