import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { batchBytesMax, readBatchText } from '@inventory/api/http/reading/body';
import { createBodyRoom } from '@inventory/api/http/reading/body-room';
import Koa, { type Context } from 'koa';
import { expect, test } from 'vitest';
import { serve } from '../harness/network/http-server.ts';
import { collectGarbage } from '../harness/watch/garbage.ts';

/** A server that reads batches, says how long each is, and tells of each piece of a body that comes. */
async function serveBatches(notePiece: (piece: Buffer) => void) {
  const room = createBodyRoom();
  const contexts: Context[] = [];
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx) => {
    contexts.push(ctx);
    ctx.state.client = { clientId: 'one' };
    ctx.state.arrivedAt = performance.now();
    ctx.body = String((await readBatchText(ctx, room)).length);
  });
  const { server, open } = await serve(app.callback());
  server.prependListener('request', (request: IncomingMessage) => {
    const push = request.push.bind(request);
    request.push = (piece: Buffer | null) => {
      if (piece !== null) notePiece(piece);
      return push(piece);
    };
  });
  return { open, contexts };
}

const head = (framing: string) =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;

test.each([
  ['in one piece', '{"a":1}'],
  ['in many', 'x'.repeat(batchBytesMax)],
])('a request that stays with its connection keeps nothing of its body: %s', async (_, body) => {
  const pieces: WeakRef<Buffer>[] = [];
  const { open, contexts } = await serveBatches((piece) => pieces.push(new WeakRef(piece)));
  const connection = open();
  connection.write(head(`Content-Length: ${body.length}`), body);
  expect((await connection.next())?.text).toBe(String(body.length));
  const left = () => {
    collectGarbage();
    return pieces.filter((piece) => piece.deref() !== undefined);
  };
  await expect.poll(left).toEqual([]);
  expect(pieces.length).toBeGreaterThan(0);
  expect(contexts[0]!.request.body).toBeUndefined();
});

test('a body in one-byte pieces takes only the memory of its bytes while it arrives', async () => {
  let read = 0;
  const { open } = await serveBatches((piece) => {
    read += piece.length;
  });
  const connection = open();
  await once(connection.socket, 'connect');
  const bytes = Buffer.from('1\r\nx\r\n'.repeat(400_000));
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  connection.write(head('Transfer-Encoding: chunked'), bytes);
  await expect.poll(() => read).toBe(400_000);
  collectGarbage();
  // Kept as they come, each piece would take some 80 bytes.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(15_000_000);
});
