import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultLimits } from '@inventory/api/connections/http-server';
import { networkOf } from '@inventory/api/connections/network';
import { createTaking } from '@inventory/api/connections/taking';
import { within } from '@inventory/process/within';
import { describe, expect, onTestFinished, test } from 'vitest';
import { get, patienceMs, serve } from '../harness/http-server.ts';

const answerAll: RequestListener = (request, response) => {
  request.resume();
  response.end(request.url);
};

// More than the system keeps for a connection.
const large = Buffer.alloc(16 * 1024 * 1024, 'x');
const answerLarge: RequestListener = (_request, response) => {
  response.setHeader('Content-Length', large.length);
  response.end(large);
};

/** Keeps every request until it is told to answer it. */
function holdAll() {
  const held: { request: IncomingMessage; response: ServerResponse }[] = [];
  const handle: RequestListener = (request, response) => {
    held.push({ request, response });
  };
  const paths = () => held.map(({ request }) => request.url);
  const answer = (index: number) => held[index]!.response.end(held[index]!.request.url);
  return { handle, held, paths, answer };
}

describe('a connection on which nothing is asked', () => {
  test('closed: line feeds after an answer win no time', async () => {
    const { open } = await serve(answerAll, { limits: { nextHeadChecks: 20 } });
    const connection = open();
    connection.write(get('/'));
    expect((await connection.next())?.status).toBe(200);
    const feeding = setInterval(() => connection.write('\r\n'), 20);
    onTestFinished(() => clearInterval(feeding));
    expect(await connection.outcome()).not.toBe('open');
    expect(await connection.next()).toBeNull();
  });

  test('408 and closed: no head at all, or one that does not end', async () => {
    const { open } = await serve(answerAll, { limits: { headChecks: 20 } });
    for (const bytes of ['', '\r\n\r\n', 'GET / HTTP/1.1\r\nHost: x\r\n']) {
      const connection = open();
      connection.write(bytes);
      expect((await connection.next())?.status, bytes).toBe(408);
      expect(await connection.outcome()).toBe('ended');
    }
  });

  test('a process that stood still closes nobody for it', async () => {
    const { open } = await serve(answerAll, { limits: { nextHeadChecks: 50 } });
    const connection = open();
    connection.write(get('/1'));
    await connection.next();
    connection.write(get('/2'));
    const begunAt = performance.now();
    while (performance.now() - begunAt < 2000);
    expect((await connection.next())?.text).toBe('/2');
  });

  test('closed soon when the process stops, however much is left of its time', async () => {
    const { server, connections, open } = await serve(answerAll, { limits: { headChecks: 100 } });
    const sockets: Socket[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    const [begun, silent] = [open(), open()];
    begun.write(get('/1'));
    await begun.next();
    const half = 'GET /2 HTTP/1.1\r\nHost: x\r\n';
    begun.write(half);
    const readBytes = () => sockets.map(({ bytesRead }) => bytesRead).sort();
    await expect.poll(readBytes).toEqual([0, get('/1').length + half.length]);
    expect(connections.count()).toBe(2);
    connections.drain();
    const stopped = new Promise((resolve) => server.close(resolve));
    expect(await within(patienceMs, stopped).catch(() => 'not stopped')).toBeUndefined();
    for (const each of [silent, begun]) expect(await each.outcome()).toBe('ended');
  });
});

describe('answers that are not read', () => {
  test('closed: the connection of a caller who takes nothing', async () => {
    const { server, connections, open } = await serve(answerLarge, { limits: { unreadChecks: 20 } });
    const connection = open();
    connection.socket.pause();
    connection.write(get('/'));
    await once(server, 'request');
    await expect.poll(() => connections.count()).toBe(0);
  });

  test('closed, too, when the answer was the last of its connection', async () => {
    const limits = { unreadChecks: 20, requestsMax: 1 };
    const { server, connections, open } = await serve(answerLarge, { limits });
    const connection = open();
    connection.socket.pause();
    connection.write(get('/'));
    await once(server, 'request');
    await expect.poll(() => connections.count()).toBe(0);
  });

  test('steadily, if slowly: not closed as long as pieces are taken, up to a time for all', async () => {
    let checks = 0;
    const listener = createServer((written) => {
      const piece = Buffer.alloc(1024 * 1024);
      const more = () => void (written.destroyed || written.write(piece, more));
      written.on('error', () => {});
      more();
    });
    listener.listen(0, '127.0.0.1');
    onTestFinished(() => void listener.close());
    await once(listener, 'listening');
    const reader = connect((listener.address() as AddressInfo).port, '127.0.0.1');
    onTestFinished(() => void reader.destroy());
    reader.pause();
    const [written] = (await once(listener, 'connection')) as [Socket];
    const takings = [65, Number.POSITIVE_INFINITY].map((takingChecks) =>
      createTaking(written, { unreadChecks: 30, takingChecks }, () => checks),
    );
    const tooSlowAt = (at: number) => {
      checks = at;
      for (const taking of takings) taking.note();
      return takings.map((taking) => taking.isTooSlow());
    };
    const takenBytes = () => written.bytesWritten - written.writableLength;
    async function takePiece() {
      const before = takenBytes();
      reader.on('data', () => takenBytes() > before && reader.pause()).resume();
      await expect.poll(takenBytes).toBeGreaterThan(before);
      reader.removeAllListeners('data').pause();
    }
    // What the system keeps is taken without the reader.
    let taken = -1;
    await expect
      .poll(() => {
        const before = taken;
        taken = takenBytes();
        return taken === before;
      })
      .toBe(true);
    expect(tooSlowAt(0)).toEqual([false, false]);
    for (const at of [25, 50, 64]) {
      await takePiece();
      expect(tooSlowAt(at)).toEqual([false, false]);
    }
    await takePiece();
    expect(tooSlowAt(65)).toEqual([true, false]);
    expect(tooSlowAt(94)).toEqual([true, false]);
    expect(tooSlowAt(95)).toEqual([true, true]);
  });

  test('200: an answer that takes long to read is read whole, also the last of its connection', async () => {
    const { open } = await serve(answerLarge, { limits: { lingerChecks: 1, requestsMax: 2 } });
    const connection = open();
    for (let count = 0; count < 2; count++) {
      connection.write(get('/'));
      expect((await connection.next())?.text.length).toBe(large.length);
    }
    expect(await connection.outcome()).toBe('ended');
  });
});

test('200, not a reset: an answer that comes while its caller still sends, slowly, and reads afterwards', async () => {
  const answerAtOnce: RequestListener = (_request, response) => {
    response.setHeader('Connection', 'close');
    response.end('early');
  };
  const { open } = await serve(answerAtOnce, { limits: { lingerChecks: 20 } });
  const connection = open();
  connection.socket.pause();
  const pieces = 100;
  connection.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${1000 * pieces}\r\n\r\n`);
  for (let sent = 0; sent < pieces; sent++) {
    await sleep(10);
    connection.write('x'.repeat(1000));
  }
  connection.socket.resume();
  expect((await connection.next())?.text).toBe('early');
  expect(await connection.outcome()).toBe('ended');
});

describe('requests of one connection', () => {
  test('have their turn one after the other', async () => {
    const { handle, held, paths, answer } = holdAll();
    const { open } = await serve(handle);
    const [many, one] = [open(), open()];
    many.write(get('/1') + get('/2') + get('/3'));
    await expect.poll(() => held.length).toBe(1);
    one.write(get('/other'));
    await expect.poll(() => held.length).toBe(2);
    expect(paths()).toEqual(['/1', '/other']);
    for (const index of [0, 2, 3]) {
      answer(index);
      if (index < 3) await expect.poll(() => held.length).toBe(Math.max(3, index + 2));
    }
    const texts = [await many.next(), await many.next(), await many.next()].map((each) => each?.text);
    expect(texts).toEqual(['/1', '/2', '/3']);
  });

  test('do not keep others waiting until the last of them is answered', async () => {
    const { handle, held, paths, answer } = holdAll();
    let isHeld = true;
    const { open } = await serve((request, response) => {
      handle(request, response);
      if (!isHeld) answer(held.length - 1);
    });
    const [many, one] = [open(), open()];
    await once(one.socket, 'connect');
    const wanted = Array.from({ length: 500 }, (_, index) => `/${index}`);
    many.write(wanted.map(get).join(''));
    await expect.poll(() => held.length).toBe(1);
    one.write(get('/other'));
    isHeld = false;
    answer(0);
    for (const path of wanted) expect((await many.next())?.text).toBe(path);
    expect((await one.next())?.text).toBe('/other');
    expect(paths().indexOf('/other')).toBeLessThan(400);
  });

  test('are so many at once at most: those that were taken are answered, and the last answer ends the connection', async () => {
    const { handle, held, answer } = holdAll();
    const { open } = await serve(handle, { limits: { pipelinedMax: 4 } });
    const connection = open();
    connection.write(Array.from({ length: 8 }, (_, index) => get(`/${index}`)).join(''));
    for (let index = 0; index < 4; index++) {
      await expect.poll(() => held.length).toBe(index + 1);
      answer(index);
      const answered = await connection.next();
      expect(answered?.text).toBe(`/${index}`);
      expect(answered?.headers.get('connection')).toBe(index === 3 ? 'close' : 'keep-alive');
    }
    expect(await connection.outcome()).toBe('ended');
    expect(held).toHaveLength(4);
  });

  test('far too many at once cut their connection: what was read of them is not kept', async () => {
    const { handle, held } = holdAll();
    const { connections, open } = await serve(handle, { limits: { pipelinedMax: 4 } });
    const connection = open();
    connection.write(get('/').repeat(9));
    expect(await connection.outcome()).not.toBe('open');
    await expect.poll(() => connections.count()).toBe(0);
    expect(held).toHaveLength(1);
  });

  test('are so many in all: the last answer says that it is, and ends the connection in order', async () => {
    const { open } = await serve(answerAll, { limits: { requestsMax: 3 } });
    const connection = open();
    for (const [path, says] of [
      ['/1', 'keep-alive'],
      ['/2', 'keep-alive'],
      ['/3', 'close'],
    ] as const) {
      connection.write(get(path));
      const answer = await connection.next();
      expect({ text: answer?.text, says: answer?.headers.get('connection') }).toEqual({ text: path, says });
    }
    expect(await connection.outcome()).toBe('ended');
  });

  test('the last answer arrives though more requests are still being sent', async () => {
    const { open } = await serve(answerAll, { limits: { requestsMax: 1 } });
    const connection = open();
    const more = get('/more').repeat(2000);
    connection.write(get('/1'), ...new Array<string>(300).fill(more));
    expect((await connection.next())?.text).toBe('/1');
    expect(await connection.outcome()).toBe('ended');
  });

  test('are not begun when their caller has gone before their turn', async () => {
    const { handle, held, paths, answer } = holdAll();
    const { connections, open } = await serve(handle);
    const connection = open();
    connection.write(get('/1') + get('/2'));
    await expect.poll(() => held.length).toBe(1);
    connection.socket.resetAndDestroy();
    await expect.poll(() => connections.count()).toBe(0);
    answer(0);
    const other = open();
    other.write(get('/other'));
    await expect.poll(() => held.length).toBe(2);
    expect(paths()).toEqual(['/1', '/other']);
  });

  test('400 for what cannot be read comes after the answers that are due', async () => {
    const { handle, held, answer } = holdAll();
    const { open } = await serve(handle);
    const connection = open();
    connection.write(`${get('/1')}${get('/2')}nonsense\r\n\r\n`);
    await expect.poll(() => held.length).toBe(1);
    answer(0);
    expect(await connection.next()).toMatchObject({ status: 200, text: '/1' });
    await expect.poll(() => held.length).toBe(2);
    answer(1);
    expect(await connection.next()).toMatchObject({ status: 200, text: '/2' });
    expect(await connection.next()).toMatchObject({ status: 400 });
    expect(await connection.outcome()).toBe('ended');
  });
});

describe('too many connections', () => {
  test('close the one that has been idle for longest, and the new one is served', async () => {
    const { open, reported } = await serve(answerAll, { connectionsMax: 3 });
    const opened = [open(), open(), open()];
    // The first is the oldest, but not the one that has been idle for longest.
    for (const index of [1, 2, 0]) {
      opened[index]!.write(get('/'));
      await opened[index]!.next();
    }
    const another = open();
    another.write(get('/another'));
    expect((await another.next())?.text).toBe('/another');
    expect(await opened[1]!.outcome()).not.toBe('open');
    for (const index of [2, 0]) {
      opened[index]!.write(get('/still'));
      expect((await opened[index]!.next())?.text).toBe('/still');
    }
    await expect.poll(() => reported).toEqual([{ closed: 1, refused: 0 }]);
  });

  test('close the new one when the service works for all others', async () => {
    const { handle, held, answer } = holdAll();
    const { open } = await serve(handle, { connectionsMax: 2 });
    const busy = [open(), open()];
    for (const each of busy) each.write(get('/'));
    await expect.poll(() => held.length).toBe(2);
    const another = open();
    // At once: one that is taken and says nothing would be told that it is late.
    expect(await another.next()).toBeNull();
    expect(await another.outcome()).not.toBe('open');
    for (const index of [0, 1]) answer(index);
    for (const each of busy) expect((await each.next())?.status).toBe(200);
  });

  test.each([
    ['whose body does not come', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n', 'wait'],
    [
      'whose body does not come, though it is answered',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n',
      '/',
    ],
    ['whose answer is not read', get('/large'), '/large'],
  ])('close one %s as they close an idle one', async (_what, bytes, way) => {
    let begun = 0;
    const { open } = await serve(
      (request, response) => {
        begun += 1;
        if (request.url === '/another' || way === '/') answerAll(request, response);
        else if (way === '/large') answerLarge(request, response);
      },
      { connectionsMax: 1 },
    );
    const slow = open();
    slow.socket.pause();
    slow.write(bytes);
    await expect.poll(() => begun).toBe(1);
    await expect
      .poll(async () => {
        const another = open();
        another.write(get('/another'));
        return (await another.next())?.text;
      })
      .toBe('/another');
  });

  test('beyond what one address may have of strangers are closed, after the time to show a token', async () => {
    const { open } = await serve((request, response) => response.end(request.url), { perAddressMax: 2 });
    const begunAt = performance.now();
    const opened = Array.from({ length: 4 }, () => open());
    for (const closed of opened.slice(0, 2)) expect(await closed.outcome()).not.toBe('open');
    // Five checks, 20 ms apart: a timer may be late, and is never early by more than a millisecond.
    expect(performance.now() - begunAt).toBeGreaterThan(70);
    for (const left of opened.slice(2)) {
      left.write(get('/left'));
      expect((await left.next())?.text).toBe('/left');
    }
  });

  // Other systems have one address of their own only.
  test.skipIf(process.platform !== 'linux')('of one address make room for those of another', async () => {
    const { open } = await serve((request, response) => response.end(request.url), {
      perAddressMax: 2,
      connectionsMax: 4,
      checkEveryMs: 1_000_000,
    });
    const ask = async (from?: string) => {
      const connection = open(from);
      connection.write(get('/'));
      expect((await connection.next())?.text).toBe('/');
      return connection;
    };
    const other = await ask('127.0.0.2');
    const crowd = [await ask(), await ask(), await ask()];
    await ask('127.0.0.2');
    expect(await crowd[0]!.outcome()).not.toBe('open');
    other.write(get('/other'));
    expect((await other.next())?.text).toBe('/other');
  });

  test('on which a right token came make no room for strangers of their address, and do not count among those', async () => {
    const sockets: Socket[] = [];
    const { open, standing } = await serve(
      (request, response) => {
        sockets.push(request.socket);
        if (request.url === '/known') standing.noteKnown(request.socket);
        response.end(request.url);
      },
      { perAddressMax: 2, connectionsMax: 8 },
    );
    const ask = async (path: string) => {
      const connection = open();
      connection.write(get(path));
      expect((await connection.next())?.text).toBe(path);
      return connection;
    };
    const fleet = [];
    for (let count = 0; count < 4; count++) fleet.push(await ask('/known'));
    // Of the strangers the first two are closed, and none of the fleet, though that has rested for longer.
    const strangers = [];
    for (let count = 0; count < 4; count++) strangers.push(await ask(`/stranger-${count}`));
    for (const closed of strangers.slice(0, 2)) expect(await closed.outcome()).not.toBe('open');
    for (const each of fleet) {
      each.write(get('/again'));
      expect((await each.next())?.text).toBe('/again');
    }
    // Of all together strangers go first, too, though they have rested for less long.
    for (const each of strangers.slice(2)) {
      each.write(get('/again'));
      expect((await each.next())?.text).toBe('/again');
    }
    for (let count = 0; count < 4; count++) fleet.push(await ask('/known'));
    for (const closed of strangers) expect(await closed.outcome()).not.toBe('open');
    for (const each of fleet) {
      each.write(get('/again'));
      expect((await each.next())?.text).toBe('/again');
    }
  });

  test('whose answer waits among those of strangers make room for others', async () => {
    const { handle, held, answer } = holdAll();
    const { open, standing } = await serve(handle, { connectionsMax: 2 });
    const waiting = [open(), open()];
    for (const each of waiting) each.write(get('/'));
    await expect.poll(() => held.length).toBe(2);
    for (const { request } of held) standing.noteWaiting(request.socket, true);
    const other = open();
    other.write(get('/other'));
    await expect.poll(() => held.length).toBe(3);
    answer(2);
    expect((await other.next())?.text).toBe('/other');
  });

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::6', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
    ['', ''],
  ])('%s counts as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

test('the service waits longer for the next request than proxies keep an idle connection', () => {
  // nginx and the usual load balancers: 60 s.
  expect(defaultLimits.nextHeadChecks).toBeGreaterThan(65);
});
