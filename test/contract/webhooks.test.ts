import type { ServerResponse } from 'node:http';
import { changeClient } from '@inventory/db/access/clients';
import { removeClient } from '@inventory/db/operator/client-accounts';
import { holdLot } from '@inventory/db/operator/holds';
import { describe, expect, test } from 'vitest';
import { type Received, startReceiver, verifies } from '../harness/network/webhook-receiver.ts';
import { useService } from '../harness/service/service.ts';
import { useWebhooks } from '../harness/service/webhooks.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();
const { webhook, add, show, state, letTimePass } = useWebhooks(service);
const patience = { interval: 50 };

const told = (received: readonly Received[]) => received.flatMap(({ message }) => message.data.value);
const idsOf = (received: readonly Received[]) => received.map(({ id }) => id);

describe('messages', () => {
  test('the changes of the feed, in its order and form, at most 100 in one, signed as the receivers’ library wants it', async () => {
    const client = await service.client({ warehouses: [1] });
    const other = await service.client({ warehouses: [3] });
    const receiver = await startReceiver();
    const { nextCursor: cursor } = (await client.get('/Changes?after=now')).body;
    const { webhookId, secret } = await add(client.clientId, receiver.url);
    const itemID = await service.item();
    const operations = Array.from({ length: 230 }, (_, index) => {
      return { op: 'receive', key: `${itemID}-${index}`, itemID, units: 1, wid: 1, reasonCode: 0 };
    });
    await receiveLot(other, itemID, 7, { wid: 3 });
    await client.post('/Inventory/Batch', { mode: 'each', operations });
    const recNo = await receiveLot(client, itemID, 5);
    await holdLot(service.sql, { recNo, reason: 'inspection' });
    await expect.poll(() => told(receiver.received).length, patience).toBe(233);
    // Again, now that everything is as it will be.
    const before = receiver.received.length;
    await webhook('replay', '--id', `${webhookId}`, '--from', cursor);
    await expect.poll(() => told(receiver.received.slice(before)).length, patience).toBe(233);
    const feed = (await client.get(`/Changes?after=${cursor}&limit=1000`)).body;
    const again = receiver.received.slice(before);
    expect(told(again)).toEqual(feed.value);
    expect(again.map(({ message }) => message.data.value.length)).toEqual([100, 100, 33]);
    expect(again.at(-1)!.message).toEqual({
      type: 'inventory.changes',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: { value: expect.any(Array), nextCursor: feed.nextCursor },
    });
    const ids = idsOf(receiver.received);
    expect(new Set(ids).size).toBe(ids.length);
    for (const each of receiver.received) expect(verifies(secret, each)).toBe(true);
    const last = again.at(-1)!;
    expect(verifies(secret, { ...last, body: last.body.replace('inspection', 'inspectiom') })).toBe(false);
    expect(await state(webhookId)).toBe('active');
  });

  test('at most 256 KB; a change that alone is larger has its first lines, the lots of these, and moreLines', async () => {
    const client = await service.client();
    const receiver = await startReceiver();
    const { webhookId } = await add(client.clientId, receiver.url);
    await webhook('disable', '--id', `${webhookId}`);
    const itemID = await service.item();
    // Three bytes a character, each field at its most.
    const remark = '棚'.repeat(1000);
    const operations = Array.from({ length: 150 }, (_, index) => {
      return { op: 'receive', key: `${itemID}-${index}`, itemID, units: 1, wid: 1, reasonCode: 0, remark };
    });
    await client.post('/Inventory/Batch', { mode: 'each', operations });
    const moved = await client.post('/Inventory/Move', { itemID, units: 150, wid: 1, shipToWid: 2 });
    expect(moved.body.lots).toHaveLength(150);
    await receiveLot(client, itemID, 5);
    await webhook('enable', '--id', `${webhookId}`);
    await expect.poll(() => told(receiver.received).length, patience).toBe(153);
    const sizes = receiver.received.map(({ body }) => Buffer.byteLength(body));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(262_144);
    expect(Math.max(...sizes)).toBeGreaterThan(200_000);
    const move = told(receiver.received).at(-2);
    expect(move).toMatchObject({ type: 'stock', kind: 'move', moreLines: true });
    const whole = (await client.get(`/Inventory/Transactions/${move.transactionNo}`)).body;
    expect(move.lines.length).toBeGreaterThan(20);
    expect(move.lines).toEqual(whole.lines.slice(0, move.lines.length));
    const recNosOf = (records: { recNo: number }[]) => [...new Set(records.map(({ recNo }) => recNo))].sort();
    expect(recNosOf(move.lots)).toEqual(recNosOf(move.lines));
    for (const change of told(receiver.received).slice(0, -2)) expect(change).not.toHaveProperty('moreLines');
  });

  test('half as many changes after each 413, and one more after each full message that arrives', async () => {
    const client = await service.client();
    const receiver = await startReceiver((response, { message }) =>
      response.writeHead(message.data.value.length > 10 ? 413 : 204).end(),
    );
    const { nextCursor: cursor } = (await client.get('/Changes?after=now')).body;
    const { webhookId } = await add(client.clientId, receiver.url);
    await webhook('disable', '--id', `${webhookId}`);
    const itemID = await service.item();
    const operations = Array.from({ length: 120 }, (_, index) => {
      return { op: 'receive', key: `${itemID}-${index}`, itemID, units: 1, wid: 1, reasonCode: 0 };
    });
    await client.post('/Inventory/Batch', { mode: 'each', operations });
    await webhook('enable', '--id', `${webhookId}`);
    const sizeOf = ({ message }: Received) => message.data.value.length;
    const arrived = () => told(receiver.received.filter((each) => sizeOf(each) <= 10));
    const arrivedInTime = async () => {
      await letTimePass(webhookId);
      return arrived().length;
    };
    await expect.poll(arrivedInTime, patience).toBe(121);
    expect(arrived()).toEqual((await client.get(`/Changes?after=${cursor}&limit=1000`)).body.value);
    const sizes = receiver.received.map(sizeOf);
    expect(sizes.slice(0, 10)).toEqual([100, 50, 25, 12, 6, 7, 8, 9, 10, 11]);
    // Other bytes have another id.
    expect(new Set(idsOf(receiver.received)).size).toBe(receiver.received.length);
    expect(await show(webhookId)).toMatchObject({ state: 'active', attempts: 0 });
  });

  test('after a 413, a change of scope comes alone, and like any single change again if it gets 413', async () => {
    const client = await service.client({ warehouses: [1, 2] });
    const receiver = await startReceiver((response, { message }, count) =>
      response.writeHead(message.data.value.length > 1 || count === 3 ? 413 : 204).end(),
    );
    const { webhookId } = await add(client.clientId, receiver.url);
    await webhook('disable', '--id', `${webhookId}`);
    const itemID = await service.item();
    for (let count = 0; count < 2; count++) await receiveLot(client, itemID, 1);
    await changeClient(service.sql, client.clientId, { wids: [1] });
    await webhook('enable', '--id', `${webhookId}`);
    const sizes = () => receiver.received.map(({ message }) => message.data.value.length);
    const sizesInTime = async () => {
      await letTimePass(webhookId);
      return sizes().length;
    };
    await expect.poll(sizesInTime, patience).toBeGreaterThanOrEqual(9);
    expect(sizes()).toEqual([4, 2, 1, 1, 2, 1, 2, 1, 1]);
    const ids = idsOf(receiver.received);
    expect(ids[3]).toBe(ids[2]);
    expect(told([3, 5, 7, 8].map((index) => receiver.received[index]!))).toMatchObject([
      { type: 'scope', warehouses: [{ wID: 1 }] },
      { type: 'item', shortID: itemID },
      { type: 'stock', kind: 'receive' },
      { type: 'stock', kind: 'receive' },
    ]);
  });

  test('only the kinds that were asked for', async () => {
    const client = await service.client();
    const receiver = await startReceiver();
    await add(client.clientId, receiver.url, '--kinds', 'hold,item');
    const itemID = await service.item();
    const recNo = await receiveLot(client, itemID, 5);
    await holdLot(service.sql, { recNo, reason: 'inspection' });
    await expect.poll(() => told(receiver.received).length, patience).toBe(2);
    expect(told(receiver.received)).toMatchObject([
      { type: 'item', shortID: itemID },
      { type: 'hold', recNo, holdReason: 'inspection' },
    ]);
  });

  test('the message of a test has no changes; the command shows its answer', async () => {
    const client = await service.client();
    const receiver = await startReceiver((response) => response.writeHead(200).end('thank you'));
    const { webhookId, secret } = await add(client.clientId, receiver.url);
    await webhook('disable', '--id', `${webhookId}`);
    const printed = await webhook('test', '--id', `${webhookId}`);
    expect(printed).toMatch(/^message msg_[0-9a-f]{32}: 200 after \d+ ms\nthank you\n$/);
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]!.message).toMatchObject({ type: 'inventory.test', data: { value: [] } });
    expect(verifies(secret, receiver.received[0]!)).toBe(true);
    expect(await state(webhookId)).toBe('disabled');
  });
});

describe('a message that does not arrive', () => {
  test('comes again as the same bytes under the same id, and nothing overtakes it', async () => {
    const client = await service.client();
    const receiver = await startReceiver((response, _, count) =>
      response.writeHead(count < 4 ? 500 : 204).end(),
    );
    const { webhookId, secret } = await add(client.clientId, receiver.url);
    const itemID = await service.item();
    for (let attempt = 1; attempt < 4; attempt++) {
      // Each receipt would change the item’s later changes.
      await receiveLot(client, itemID, 1);
      await expect.poll(() => receiver.received.length, patience).toBe(attempt);
      await expect.poll(async () => (await show(webhookId)).attempts, patience).toBe(attempt);
      await letTimePass(webhookId);
    }
    await expect.poll(() => told(receiver.received.slice(3)).length, patience).toBe(4);
    const ids = idsOf(receiver.received);
    expect(ids.slice(0, 4)).toEqual(Array(4).fill(ids[0]));
    expect(ids[4]).not.toBe(ids[0]);
    const bodies = receiver.received.map(({ body }) => body);
    expect(bodies.slice(0, 4)).toEqual(Array(4).fill(bodies[0]));
    for (const each of receiver.received) expect(verifies(secret, each)).toBe(true);
    await expect
      .poll(async () => (await show(webhookId)).deliveries.length, patience)
      .toBeGreaterThanOrEqual(5);
    const { deliveries } = await show(webhookId);
    const first = deliveries.filter(({ messageId }: { messageId: string }) => messageId === ids[0]);
    expect(
      first.map(({ attempt, outcome }: { attempt: number; outcome: string }) => [attempt, outcome]),
    ).toEqual([
      [4, '204'],
      [3, '500'],
      [2, '500'],
      [1, '500'],
    ]);
  });

  test('is not counted when an operator names another place meanwhile: everything behind that is sent again', async () => {
    const client = await service.client();
    const held: ServerResponse[] = [];
    const receiver = await startReceiver((response, _, count) => {
      if (count === 1) held.push(response);
      else response.writeHead(204).end();
    });
    const { nextCursor: cursor } = (await client.get('/Changes?after=now')).body;
    const { webhookId } = await add(client.clientId, receiver.url);
    const itemID = await service.item();
    await expect.poll(() => held.length, patience).toBe(1);
    await webhook('replay', '--id', `${webhookId}`, '--from', cursor);
    held[0]!.writeHead(204).end();
    await expect.poll(async () => (await show(webhookId)).deliveries.length, patience).toBe(1);
    expect(receiver.received).toHaveLength(1);
    // The lease of the message under way ends.
    await service.sql`
      update webhook set leased_until = leased_until - interval '1 hour' where webhook_id = ${webhookId}`;
    await expect.poll(() => receiver.received.length, patience).toBe(2);
    expect(told(receiver.received.slice(1))).toMatchObject([{ type: 'item', shortID: itemID }]);
    expect(receiver.received[1]!.id).not.toBe(receiver.received[0]!.id);
  });

  test('ten times disables its webhook; enabled, it goes on with the same message', async () => {
    const client = await service.client();
    const receiver = await startReceiver((response, _, count) =>
      response.writeHead(count <= 10 ? 503 : 204).end(),
    );
    const { webhookId } = await add(client.clientId, receiver.url);
    await receiveLot(client, await service.item(), 1);
    for (let attempt = 1; attempt <= 10; attempt++) {
      await expect.poll(async () => (await show(webhookId)).attempts, patience).toBe(attempt);
      await letTimePass(webhookId);
    }
    const { value } = (await client.get('/Webhooks')).body;
    expect(value).toMatchObject([
      { webhookID: webhookId, state: 'disabled', reason: 'failed', lastOutcome: '503' },
    ]);
    expect(receiver.received).toHaveLength(10);
    await webhook('enable', '--id', `${webhookId}`);
    await expect.poll(() => state(webhookId), patience).toBe('active');
    await expect.poll(() => receiver.received.length, patience).toBeGreaterThan(10);
    expect(new Set(idsOf(receiver.received.slice(0, 11))).size).toBe(1);
  });

  test.each([
    { answered: '410', status: 410, headers: {}, next: { state: 'disabled', why: 'gone' }, afterHours: 0 },
    {
      answered: 'a redirect',
      status: 307,
      headers: { location: '/elsewhere' },
      next: { state: 'failing', lastOutcome: '307' },
      afterHours: 0,
    },
    {
      answered: '429 with Retry-After',
      status: 429,
      headers: { 'retry-after': '7200' },
      next: { state: 'failing', lastOutcome: '429' },
      afterHours: 2,
    },
  ])('answered with $answered', async ({ status, headers, next, afterHours }) => {
    const client = await service.client();
    const receiver = await startReceiver((response) => response.writeHead(status, headers).end());
    const { webhookId } = await add(client.clientId, receiver.url);
    await service.item();
    await expect.poll(() => show(webhookId), patience).toMatchObject({ attempts: 1, ...next });
    expect(receiver.received).toHaveLength(1);
    const { lastAttempt, nextAttempt } = await show(webhookId);
    if (nextAttempt !== null)
      expect(Date.parse(nextAttempt) - Date.parse(lastAttempt)).toBeGreaterThanOrEqual(
        afterHours * 3_600_000,
      );
  });

  test('beside others that do: a receiver that hangs holds no connection, and an endless answer counts by its status', async () => {
    const client = await service.client();
    const hanging = await startReceiver(() => {});
    const endless = await startReceiver((response) => {
      const timer = setInterval(() => response.write('x'.repeat(16_384)), 1);
      response.on('close', () => clearInterval(timer));
    });
    const working = await startReceiver();
    const stuck = await add(client.clientId, hanging.url);
    const read = await add(client.clientId, endless.url);
    await service.item();
    await expect.poll(() => hanging.received.length, patience).toBe(1);
    await add(client.clientId, working.url);
    await receiveLot(client, await service.item(), 1);
    await expect.poll(() => told(working.received).length, patience).toBe(2);
    // Each is in use for some milliseconds now and then.
    const inTransaction = async () =>
      (
        await service.sql`
          select from pg_stat_activity
          where application_name = 'inventory-webhooks' and datname = current_database() and state like 'idle in%'`
      ).length;
    await expect.poll(inTransaction, patience).toBe(0);
    await expect
      .poll(() => show(stuck.webhookId), patience)
      .toMatchObject({ lastOutcome: 'timeout', attempts: 1 });
    expect(hanging.received).toHaveLength(1);
    await expect.poll(() => told(endless.received).length, patience).toBe(3);
    const { deliveries, state } = await show(read.webhookId);
    expect(state).toBe('active');
    expect(deliveries[0]).toMatchObject({ outcome: '200', answer: 'x'.repeat(1024) });
  });
});

describe('rights', () => {
  test('a change of scope is told first, also in place of a message that has not arrived and would tell too much', async () => {
    const client = await service.client({ warehouses: [1, 2] });
    let status = 500;
    const receiver = await startReceiver((response) => response.writeHead(status).end());
    const itemID = await service.item();
    const { webhookId } = await add(client.clientId, receiver.url, '--from', 'beginning');
    await expect.poll(async () => (await show(webhookId)).attempts, patience).toBe(1);
    // Places in the feed that were told in the first scope.
    status = 204;
    await letTimePass(webhookId);
    await expect.poll(() => state(webhookId), patience).toBe('active');
    const { nextCursor } = (await client.get('/Changes?after=now')).body;
    await webhook('replay', '--id', `${webhookId}`, '--from', nextCursor);
    status = 500;
    await receiveLot(client, itemID, 3, { wid: 2 });
    await expect.poll(async () => (await show(webhookId)).attempts, patience).toBe(1);
    const withheld = receiver.received.at(-1)!;
    await changeClient(service.sql, client.clientId, { wids: [1] });
    await receiveLot(client, itemID, 1, { wid: 1 });
    const attempted = receiver.received.length;
    await letTimePass(webhookId);
    await expect.poll(() => receiver.received.length, patience).toBe(attempted + 1);
    // The attempts are those of the new message.
    await expect.poll(async () => (await show(webhookId)).attempts, patience).toBe(1);
    status = 204;
    const before = receiver.received.length;
    await letTimePass(webhookId);
    await expect.poll(() => told(receiver.received.slice(before)).length, patience).toBe(2);
    expect(told(receiver.received.slice(before))).toMatchObject([
      { type: 'scope', warehouses: [{ wID: 1, name: 'Main' }] },
      { type: 'stock', lines: [{ wID: 1 }] },
    ]);
    expect(idsOf(receiver.received.slice(before))).not.toContain(withheld.id);
  });

  test('a change of scope is told first, also when an operator sends everything again', async () => {
    const client = await service.client({ warehouses: [1, 2] });
    const receiver = await startReceiver();
    const { webhookId } = await add(client.clientId, receiver.url);
    await receiveLot(client, await service.item(), 1, { wid: 2 });
    await expect.poll(() => told(receiver.received).length, patience).toBe(2);
    await webhook('disable', '--id', `${webhookId}`);
    const before = receiver.received.length;
    await changeClient(service.sql, client.clientId, { wids: [1] });
    await webhook('replay', '--id', `${webhookId}`, '--from', 'beginning');
    await webhook('enable', '--id', `${webhookId}`);
    await expect.poll(() => receiver.received.length, patience).toBeGreaterThan(before);
    expect(told(receiver.received.slice(before))[0]).toMatchObject({
      type: 'scope',
      warehouses: [{ wID: 1 }],
    });
  });

  test('a client that may not read changes pauses its webhooks; they go on when it may again', async () => {
    const client = await service.client();
    const receiver = await startReceiver();
    const { webhookId } = await add(client.clientId, receiver.url);
    await changeClient(service.sql, client.clientId, { removePermissions: [11] });
    const itemID = await service.item();
    await receiveLot(client, itemID, 1);
    expect(await webhook('list', '--client', client.clientId)).toContain(
      'paused: its client has no permission 11',
    );
    // Another client’s arrives, so this one would have.
    const other = await service.client();
    const others = await startReceiver();
    await add(other.clientId, others.url, '--from', 'beginning');
    await expect.poll(() => JSON.stringify(told(others.received)), patience).toContain(itemID);
    expect(receiver.received).toEqual([]);
    await changeClient(service.sql, client.clientId, { addPermissions: [11] });
    await expect.poll(() => told(receiver.received).length, patience).toBe(2);
    expect(await state(webhookId)).toBe('active');
    await changeClient(service.sql, client.clientId, { disabled: true });
    expect(await webhook('list')).toContain('paused: its client is disabled');
    await removeClient(service.sql, client.clientId);
    expect(await webhook('list')).toContain('paused: its client was removed');
  });

  test('200: GET /Webhooks has the client’s own, without secrets', async () => {
    const [client, other] = [await service.client(), await service.client()];
    const receiver = await startReceiver();
    const { webhookId, secret } = await add(client.clientId, receiver.url, '--kinds', 'stock');
    await add(other.clientId, receiver.url);
    const { body, text } = await client.get('/Webhooks');
    expect(body).toEqual({
      value: [
        {
          ...{ webhookID: webhookId, url: receiver.url, kinds: ['stock'], state: 'active', reason: null },
          ...{ since: null, created: expect.any(String) },
          ...{ lastAttempt: null, lastOutcome: null, nextAttempt: null },
        },
      ],
    });
    expect(text).not.toContain(secret.slice('whsec_'.length));
  });
});

describe('secrets', () => {
  test('a new one signs at once, beside the old one for a day, or alone', async () => {
    const client = await service.client();
    const receiver = await startReceiver();
    const { webhookId, secret: first } = await add(client.clientId, receiver.url);
    const verifyNext = async (secrets: string[]) => {
      const before = receiver.received.length;
      await service.item();
      await expect.poll(() => receiver.received.length, patience).toBeGreaterThan(before);
      const { headers } = receiver.received[before]!;
      return {
        signatures: String(headers['webhook-signature']).split(' ').length,
        accepted: secrets.map((secret) => verifies(secret, receiver.received[before]!)),
      };
    };
    const renew = async (...more: string[]): Promise<string> =>
      JSON.parse(await webhook('secret', '--id', `${webhookId}`, '--json', ...more)).secret;
    const second = await renew();
    expect(await verifyNext([first, second])).toEqual({ signatures: 2, accepted: [true, true] });
    // A third ends the first, so there are never more than two.
    const third = await renew();
    expect(await verifyNext([first, second, third])).toEqual({
      signatures: 2,
      accepted: [false, true, true],
    });
    await service.sql`update webhook_secret set ends = ends - interval '1 day' where webhook_id = ${webhookId}`;
    expect(await verifyNext([second, third])).toEqual({ signatures: 1, accepted: [false, true] });
    const last = await renew('--now');
    expect(await verifyNext([third, last])).toEqual({ signatures: 1, accepted: [false, true] });
  });
});

describe('adding', () => {
  test.each([
    [['--url', 'http://93.184.216.34/hook'], '--url needs https'],
    [
      ['--url', 'http://93.184.216.34/hook', '--allow-private'],
      'nothing is sent to 93.184.216.34 without https',
    ],
    [['--url', 'https://10.0.0.1/hook'], '10.0.0.1 is a private address'],
    [['--url', 'https://169.254.169.254/latest', '--allow-private'], 'nothing is sent to 169.254.169.254'],
    [['--url', 'https://[::ffff:10.0.0.1]/', '--allow-private'], 'nothing is sent to ::ffff:a00:1'],
    [['--url', 'https://[fd00:ec2::254]/', '--allow-private'], 'nothing is sent to fd00:ec2::254'],
    [['--url', 'https://localhost/'], 'localhost is a private address'],
    [['--url', 'https://hooks.localhost:8443/'], 'hooks.localhost is a private address'],
    [['--url', 'https://erp.invalid/'], 'no name server can know this name'],
    [['--url', `https://${'a'.repeat(64)}.example/`], 'no name server can know this name'],
    [['--url', 'https://example.com:0/'], 'Nothing listens on port 0'],
    [['--url', 'ftp://example.com/'], 'It must be an address'],
    // Short as it is written, too long as it is sent.
    [['--url', `https://example.com/${'ä'.repeat(400)}`], 'It must be an address'],
    [['--url', 'https://user:word@example.com/'], 'neither user and password'],
    [['--url', 'https://example.com/', '--kinds', 'stock,lots'], 'A kind is one of stock, hold, item, level'],
    [['--url', 'https://example.com/', '--from', 'yesterday'], 'It must be now, beginning, or a cursor'],
    [['--url', 'https://example.com/', '--client', 'nobody'], 'there is no client nobody'],
  ])('refused: %s', async (args, message) => {
    const { clientId } = await service.client();
    const refused = await webhook.fails('add', '--client', clientId, ...args);
    expect(refused).toContain(message);
  });

  test('shown to the operator, changed and removed; one that is not there is named', async () => {
    const { clientId } = await service.client();
    const url = 'https://erp.example.com/inventory';
    const printed = await webhook('add', '--client', clientId, '--url', url);
    expect(printed).toMatch(
      /^added webhook \d+ of client .*\nsecret: whsec_[\w+/]{43}=\nIt is not shown again\.\n$/,
    );
    const id = /\d+/.exec(printed)![0];
    expect(await webhook('show', '--id', id)).toContain(url);
    await webhook('disable', '--id', id);
    expect(await webhook('list')).toMatch(new RegExp(`^ *${id} .*disabled: by an operator$`, 'm'));
    await webhook('remove', '--id', id);
    for (const command of ['show', 'secret', 'disable', 'enable', 'test', 'remove'])
      expect(await webhook.fails(command, '--id', id)).toContain(`there is no webhook ${id}`);
    expect(await webhook.fails('replay', '--id', id, '--from', 'now')).toContain(`there is no webhook ${id}`);
  });
});
