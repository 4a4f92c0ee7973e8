import type { Failed } from '@inventory/api/http/errors';
import { readBatchText } from '@inventory/api/http/reading/body';
import { createBodyRoom } from '@inventory/api/http/reading/body-room';
import Koa from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '../harness/network/http-server.ts';
import { openRaw } from '../harness/network/raw-connection.ts';
import { useService } from '../harness/service/service.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

const service = useService({ env: { INTERNAL_PORT: '0' } });
const path = '/api/v1/Inventory/Batch';
const longMs = 600_000;

/** The head of a batch with a body of this many bytes, sent with this client's token. */
const headOf = (token: string, bytes: number, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${more}` +
  `Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;

describe('a batch that waits for room', () => {
  /** Reads batches with room for a hundred bytes; a batch that was read waits until told. */
  async function serveRoom(waitMs: number) {
    const room = createBodyRoom({ total: 100, perClient: 100, waitMs });
    let goOn = () => {};
    const mayGoOn = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const app = new Koa();
    app.use(async (ctx) => {
      ctx.state.client = { clientId: ctx.get('X-Client') };
      ctx.state.arrivedAt = performance.now();
      try {
        const text = await readBatchText(ctx, room);
        const waitedMs = performance.now() - ctx.state.arrivedAt;
        if (ctx.get('X-Client') === 'first') await mayGoOn;
        ctx.body = `${text.length} after ${waitedMs}`;
      } catch (error) {
        ctx.status = (error as Failed).status;
        ctx.set((error as Failed).headers);
        ctx.body = (error as Failed).message;
      }
    });
    const { open } = await serve(app.callback());
    const send = (client: string, bytes = 100) => {
      const connection = open();
      connection.write(headOf('', bytes, `X-Client: ${client}\r\n`), ' '.repeat(bytes));
      return connection;
    };
    return { room, goOn, send };
  }

  test('is read when there is room; its wait counts against its time', async () => {
    const { room, goOn, send } = await serveRoom(longMs);
    const first = send('first');
    await expect.poll(room.bytes).toBe(100);
    // More than Node reads from the connection unasked.
    const second = send('second', 400_000);
    await expect.poll(room.waitingCount).toBe(1);
    // Longer than what is taken for its sender's own time.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    goOn();
    expect((await first.next())?.status).toBe(200);
    const answer = await second.next();
    expect(answer).toMatchObject({ status: 200, text: expect.stringMatching(/^400000 after /) });
    expect(Number(/after ([\d.]+)/.exec(answer!.text)![1])).toBeGreaterThan(1200);
    await expect.poll(room.bytes).toBe(0);
  });

  test('503 when there is no room in time, on a connection that stays open', async () => {
    const { room, goOn, send } = await serveRoom(100);
    send('first');
    await expect.poll(room.bytes).toBe(100);
    const second = send('second');
    const refused = await second.next();
    expect(refused).toMatchObject({ status: 503, text: expect.stringContaining('no room for this batch') });
    expect(refused?.headers.get('retry-after')).toBe('1');
    goOn();
    await expect.poll(room.bytes).toBe(0);
    second.write(headOf('', 7, 'X-Client: second\r\n'), ' '.repeat(7));
    expect(await second.next()).toMatchObject({ status: 200, text: expect.stringMatching(/^7 after/) });
  });

  test('leaves when its caller leaves, before and while it is read', async () => {
    const { room, goOn, send } = await serveRoom(longMs);
    const first = send('first');
    await expect.poll(room.bytes).toBe(100);
    const second = send('second');
    await expect.poll(room.waitingCount).toBe(1);
    second.socket.destroy();
    await expect.poll(room.waitingCount).toBe(0);
    first.socket.destroy();
    await expect.poll(room.bytes).toBe(0);
    goOn();
  });

  test('takes no room when its caller left while it was looked up', async () => {
    const room = createBodyRoom({ total: 100, perClient: 100, waitMs: longMs });
    let hasCome = () => {};
    const arrived = new Promise<void>((resolve) => {
      hasCome = resolve;
    });
    let hasBegun = () => {};
    const begun = new Promise<void>((resolve) => {
      hasBegun = resolve;
    });
    const app = new Koa();
    app.use(async (ctx) => {
      hasCome();
      await new Promise((resolve) => ctx.req.socket.once('close', () => setImmediate(resolve)));
      ctx.state.client = { clientId: 'a' };
      ctx.state.arrivedAt = performance.now();
      readBatchText(ctx, room).catch(() => {});
      hasBegun();
    });
    const { open } = await serve(app.callback());
    const connection = open();
    connection.write(headOf('', 100), '{');
    await arrived;
    connection.socket.resetAndDestroy();
    await begun;
    expect({ bytes: room.bytes(), waiting: room.waitingCount() }).toEqual({ bytes: 0, waiting: 0 });
  });
});

const reading = async (name: string) => (await readMetrics(service.internalPort!)).value(name);

test('the next batch of a client that sends slowly waits; batches of other clients have room', async () => {
  const slow = await service.client();
  const other = await service.client();
  const itemID = await service.item();
  const port = Number(new URL(service.baseUrl).port);
  const whole = JSON.stringify({
    mode: 'each',
    operations: [{ op: 'receive', itemID, units: 1, wid: 1, reasonCode: 0 }],
  });
  const mebibyte = 1024 * 1024;
  const opened = Array.from({ length: 4 }, () => openRaw(port));
  onTestFinished(() => {
    for (const { socket } of opened) socket.destroy();
  });
  for (const each of opened) each.write(headOf(slow.token, mebibyte), '{');
  await expect.poll(() => reading('inventory_api_batch_bytes')).toBe(4 * mebibyte);
  const next = openRaw(port);
  next.write(headOf(slow.token, whole.length), whole);
  await expect.poll(() => reading('inventory_api_batches_waiting')).toBe(1);
  const others = openRaw(port);
  others.write(headOf(other.token, whole.length), whole);
  expect((await others.next())?.status).toBe(200);
  for (const each of opened) each.socket.destroy();
  expect((await next.next())?.status).toBe(200);
  next.socket.destroy();
  others.socket.destroy();
});
