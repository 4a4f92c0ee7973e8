import { holdLot } from '@inventory/db/operator/holds';
import { describe, expect, test } from 'vitest';
import { startReceiver, verifies } from '../harness/network/webhook-receiver.ts';
import { runHere } from '../harness/service/command-line.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService();
const patience = { timeout: 60_000, interval: 50 };

/** Runs a command of the operator, which must succeed. */
async function webhook(...args: string[]) {
  const { code, stdout, stderr } = await runHere(['webhook', ...args], { DATABASE_URL: service.databaseUrl });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

async function add(clientId: string, url: string, ...more: string[]) {
  const printed = await webhook(
    ...['add', '--client', clientId, '--url', url, '--allow-private', '--json', ...more],
  );
  return JSON.parse(printed) as { webhookId: number; secret: string };
}

async function show(webhookId: number) {
  return JSON.parse(await webhook('show', '--id', String(webhookId), '--json', '--limit', '100'));
}

/** Lets the time pass until the next attempt of a webhook. */
async function letTimePass(webhookId: number) {
  await service.sql`
    update webhook set next_attempt = next_attempt - interval '1 year' where webhook_id = ${webhookId}`;
}

describe('messages', () => {
  test('the changes of the feed, signed so that the receivers’ library accepts them', async () => {
    const client = await service.client();
    const receiver = await startReceiver();
    const cursor = (await client.get('/Me')).body.cursor;
    const { webhookId, secret } = await add(client.clientId, receiver.url);
    const itemID = await service.item();
    const recNo = await receiveLot(client, itemID, 5);
    await holdLot(service.sql, { recNo, reason: 'inspection' });
    const told = () => receiver.received.flatMap(({ message }) => message.data.value);
    await expect.poll(() => told().length, patience).toBe(3);
    const feed = (await client.get(`/Changes?after=${cursor}`)).body;
    expect(told().map(({ type }) => type)).toEqual(feed.value.map(({ type }: { type: string }) => type));
    expect(told().at(-1)).toEqual(feed.value.at(-1));
    const last = receiver.received.at(-1)!;
    expect(last.message).toEqual({
      type: 'inventory.changes',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: { value: expect.any(Array), nextCursor: feed.nextCursor },
    });
    for (const each of receiver.received) expect(verifies(secret, each)).toBe(true);
    expect(verifies(secret, { ...last, body: last.body.replace('inspection', 'inspectiom') })).toBe(false);
    expect((await show(webhookId)).state).toBe('active');
  });
});
