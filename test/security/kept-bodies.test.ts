import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readBytes } from '@inventory/api/read-bytes';
import { expect, onTestFinished, test } from 'vitest';

const bytesMax = 1024 * 1024;
const large = Buffer.alloc(bytesMax, 'x');

function collectGarbage() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

test.each([
  ['in one piece', Buffer.from('{"a":1}')],
  ['in many', large],
])('a request that stays with its connection keeps nothing of its body: %s', async (_, body) => {
  const kept: IncomingMessage[] = [];
  const bodies: WeakRef<Buffer>[] = [];
  const server = createServer(async (request, response) => {
    kept.push(request);
    const bytes = await readBytes(request, bytesMax);
    bodies.push(new WeakRef(bytes));
    response.end(String(bytes.length));
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const request = send({ port, host: '127.0.0.1', method: 'POST' }).end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  response.resume();
  const left = () => {
    collectGarbage();
    return bodies[0]!.deref()?.length;
  };
  await expect.poll(left).toBeUndefined();
  expect(kept).toHaveLength(1);
});

test('a body in one-byte pieces takes only the memory of its bytes while it arrives', async () => {
  const server = createServer((request) => void readBytes(request, bytesMax).catch(() => {}));
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const bytes = Buffer.from('1\r\nx\r\n'.repeat(400_000));
  let read = 0;
  server.on('request', (request) => {
    request.on('data', (piece) => {
      read += piece.length;
    });
  });
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  socket.write(bytes);
  await expect.poll(() => read).toBe(400_000);
  collectGarbage();
  // Kept as they come, each piece would take some 80 bytes.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(15_000_000);
});
