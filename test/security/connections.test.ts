import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultTimes } from '@inventory/api/http/connections/http-server';
import { networkOf } from '@inventory/api/http/connections/network';
import { readJsonBody } from '@inventory/api/http/reading/body';
import { within } from '@inventory/process/within';
import Koa from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { get, patienceMs, serve } from '../harness/network/http-server.ts';
import type { RawConnection } from '../harness/network/raw-connection.ts';

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

const answerLast: RequestListener = (request, response) => {
  response.setHeader('Connection', 'close');
  answerLarge(request, response);
};

/** Asks and expects this path's answer. */
async function ask(connection: RawConnection, path = '/') {
  connection.write(get(path));
  expect((await connection.next())?.text).toBe(path);
  return connection;
}

/** Keeps every request until it is told to answer it. */
function holdAll() {
  const held: { request: IncomingMessage; response: ServerResponse }[] = [];
  const handle: RequestListener = (request, response) => {
    held.push({ request, response });
  };
  const paths = () => held.map(({ request }) => request.url);
  const answer = (index: number) => held[index]!.response.end(held[index]!.request.url);
  const untilHeld = (count: number) => expect.poll(() => held.length).toBe(count);
  return { handle, held, paths, answer, untilHeld };
}

test('408 and closed: no head at all, or one that does not end', async () => {
  const { open } = await serve(answerAll, { times: { headMs: 400 } });
  for (const bytes of ['', '\r\n\r\n', 'GET / HTTP/1.1\r\nHost: x\r\n']) {
    const connection = open();
    connection.write(bytes);
    expect((await connection.next())?.status, bytes).toBe(408);
    expect(await connection.outcome()).toBe('ended');
  }
});

test('closed: a connection on which nothing more is asked', async () => {
  const { open } = await serve(answerAll, { times: { idleMs: 400 } });
  expect(await (await ask(open())).outcome()).not.toBe('open');
});

test('closed: a connection on which nothing more is asked, whatever line breaks its peer sends', async () => {
  const { open } = await serve(answerAll, { times: { idleMs: 400 } });
  const connection = await ask(open());
  const drip = setInterval(() => connection.write('\r\n'), 100);
  onTestFinished(() => clearInterval(drip));
  expect(await connection.outcome()).not.toBe('open');
});

test('closed soon when the process stops, however much is left of its time', async () => {
  const { server, connections, open } = await serve(answerAll, { times: { headMs: 400 } });
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  const [begun, silent] = [open(), open()];
  begun.write(get('/1'));
  await begun.next();
  const half = 'GET /2 HTTP/1.1\r\nHost: x\r\n';
  begun.write(half);
  const readBytes = () => sockets.map(({ bytesRead }) => bytesRead).sort();
  await expect.poll(readBytes).toEqual([0, get('/1').length + half.length]);
  connections.drain();
  const stopped = new Promise((resolve) => server.close(resolve));
  expect(await within(patienceMs, stopped).catch(() => 'not stopped')).toBeUndefined();
  for (const each of [silent, begun]) expect(await each.outcome()).toBe('ended');
});

describe('answers that are not read', () => {
  test.each([
    ['in the middle', answerLarge],
    ['also the last of its connection', answerLast],
  ])('closed: the connection of a caller who takes nothing of an answer, %s', async (_what, answer) => {
    const { server, connections, open } = await serve(answer, { times: { silentMs: 400 } });
    const connection = open();
    connection.socket.pause();
    connection.write(get('/'));
    await once(server, 'request');
    await expect.poll(connections.count).toBe(0);
  });

  test('200: an answer that takes long to read is read whole, also the last of its connection', async () => {
    for (const [answer, outcome] of [
      [answerLarge, 'open'],
      [answerLast, 'ended'],
    ] as const) {
      const { open } = await serve(answer, { limits: { lingerMs: 20, lingerMaxMs: 40 } });
      const connection = open();
      connection.write(get('/'));
      expect((await connection.next())?.text.length).toBe(large.length);
      if (outcome === 'ended') expect(await connection.outcome()).toBe(outcome);
    }
  });
});

test('200, not a reset: an answer that comes while its caller still sends, slowly, and reads afterwards', async () => {
  const answerAtOnce: RequestListener = (_request, response) => {
    response.setHeader('Connection', 'close');
    response.end('early');
  };
  const { open } = await serve(answerAtOnce);
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
    const { handle, paths, answer, untilHeld } = holdAll();
    const { open } = await serve(handle);
    const [many, one] = [open(), open()];
    many.write(get('/1') + get('/2') + get('/3'));
    await untilHeld(1);
    one.write(get('/other'));
    await untilHeld(2);
    expect(paths()).toEqual(['/1', '/other']);
    for (const index of [0, 2, 3]) {
      answer(index);
      if (index < 3) await untilHeld(Math.max(3, index + 2));
    }
    const texts = [await many.next(), await many.next(), await many.next()].map((each) => each?.text);
    expect(texts).toEqual(['/1', '/2', '/3']);
  });

  test('do not keep others waiting until the last of them is answered', async () => {
    const { handle, held, paths, answer, untilHeld } = holdAll();
    let isHeld = true;
    const { open } = await serve((request, response) => {
      handle(request, response);
      if (!isHeld) answer(held.length - 1);
    });
    const [many, one] = [open(), open()];
    await once(one.socket, 'connect');
    const wanted = Array.from({ length: 500 }, (_, index) => `/${index}`);
    many.write(wanted.map(get).join(''));
    await untilHeld(1);
    one.write(get('/other'));
    isHeld = false;
    answer(0);
    for (const path of wanted) expect((await many.next())?.text).toBe(path);
    expect((await one.next())?.text).toBe('/other');
    expect(paths().indexOf('/other')).toBeLessThan(400);
  });

  test('cut their connection when there are too many: what is read of them would be kept', async () => {
    const { handle, held } = holdAll();
    const { connections, open } = await serve(handle, { limits: { pipelinedMax: 4 } });
    const connection = open();
    connection.write(get('/').repeat(9));
    expect(await connection.outcome()).not.toBe('open');
    await expect.poll(connections.count).toBe(0);
    expect(held).toHaveLength(1);
  });

  test('are not begun when their caller has gone before their turn', async () => {
    const { handle, paths, answer, untilHeld } = holdAll();
    const { connections, open } = await serve(handle);
    const connection = open();
    connection.write(get('/1') + get('/2'));
    await untilHeld(1);
    connection.socket.resetAndDestroy();
    await expect.poll(connections.count).toBe(0);
    answer(0);
    open().write(get('/other'));
    await untilHeld(2);
    expect(paths()).toEqual(['/1', '/other']);
  });

  test('400 for what cannot be read comes after the answers that are due', async () => {
    const { handle, answer, untilHeld } = holdAll();
    const { open } = await serve(handle);
    const connection = open();
    connection.write(`${get('/1')}${get('/2')}nonsense\r\n\r\n`);
    await untilHeld(1);
    answer(0);
    expect(await connection.next()).toMatchObject({ status: 200, text: '/1' });
    await untilHeld(2);
    answer(1);
    expect(await connection.next()).toMatchObject({ status: 200, text: '/2' });
    expect(await connection.next()).toMatchObject({ status: 400 });
    expect(await connection.outcome()).toBe('ended');
  });
});

const bodiless = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n';

describe('too many connections', () => {
  test('close the one that has been idle for longest, and the new one is served', async () => {
    const { open, reported } = await serve(answerAll, { connectionsMax: 3 });
    const opened = [open(), open(), open()];
    // The first is the oldest, but not the one that has been idle for longest.
    for (const index of [1, 2, 0]) await ask(opened[index]!);
    await ask(open(), '/another');
    expect(await opened[1]!.outcome()).not.toBe('open');
    for (const index of [2, 0]) await ask(opened[index]!, '/still');
    await expect.poll(() => reported).toEqual([{ closed: 1, refused: 0 }]);
  });

  test('close the new one when the service works for all others', async () => {
    const { handle, answer, untilHeld } = holdAll();
    const { open } = await serve(handle, { connectionsMax: 2 });
    const busy = [open(), open()];
    for (const each of busy) each.write(get('/'));
    await untilHeld(2);
    const another = open();
    // At once: one that is taken and says nothing would be told that it is late.
    expect(await another.next()).toBeNull();
    expect(await another.outcome()).not.toBe('open');
    for (const index of [0, 1]) answer(index);
    for (const each of busy) expect((await each.next())?.status).toBe(200);
  });

  test.each([
    ['whose body does not come', bodiless, 'wait'],
    ['whose body does not come, though it is answered', bodiless, '/'],
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
    const { open } = await serve(answerAll, { perAddressMax: 2 });
    const opened = Array.from({ length: 4 }, () => open());
    for (const closed of opened.slice(0, 2)) expect(await closed.outcome()).not.toBe('open');
    for (const left of opened.slice(2)) await ask(left);
  });

  // Other systems have one address of their own only.
  test.skipIf(process.platform !== 'linux')('of one address make room for those of another', async () => {
    const limits = { perAddressMax: 2, connectionsMax: 4, checkEveryMs: 1_000_000 };
    const { open } = await serve(answerAll, limits);
    const other = await ask(open('127.0.0.2'));
    const crowd = [await ask(open()), await ask(open()), await ask(open())];
    await ask(open('127.0.0.2'));
    expect(await crowd[0]!.outcome()).not.toBe('open');
    await ask(other);
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
    const four = async (path: string) => {
      const asked = [];
      for (let count = 0; count < 4; count++) asked.push(await ask(open(), path));
      return asked;
    };
    const fleet = await four('/known');
    // Of the strangers the first two are closed, and none of the fleet, though that has rested for longer.
    const strangers = await four('/stranger');
    for (const closed of strangers.slice(0, 2)) expect(await closed.outcome()).not.toBe('open');
    for (const each of fleet) await ask(each, '/again');
    // Of all together strangers go first, too, though they have rested for less long.
    for (const each of strangers.slice(2)) await ask(each, '/again');
    fleet.push(...(await four('/known')));
    for (const closed of strangers) expect(await closed.outcome()).not.toBe('open');
    for (const each of fleet) await ask(each, '/again');
  });

  test('whose answer waits among those of strangers make room for others', async () => {
    const { handle, held, answer, untilHeld } = holdAll();
    const { open, standing } = await serve(handle, { connectionsMax: 2 });
    const waiting = [open(), open()];
    for (const each of waiting) each.write(get('/'));
    await untilHeld(2);
    for (const { request } of held) standing.noteWaiting(request.socket, true);
    const other = open();
    other.write(get('/other'));
    await untilHeld(3);
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
  expect(defaultTimes.idleMs).toBeGreaterThan(60_000);
});

/**
 * The time that the service counts between a request's arrival and the reading of its body, when it arrived
 * `agoMs` before.
 */
async function ageOf(agoMs: number): Promise<number> {
  const app = new Koa();
  app.use(async (ctx) => {
    ctx.state.arrivedAt = performance.now() - agoMs;
    await readJsonBody(ctx);
    ctx.body = String(performance.now() - ctx.state.arrivedAt);
  });
  const { open } = await serve(app.callback());
  const connection = open();
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n';
  connection.write(`${head}{}`);
  return Number((await connection.next())?.text);
}

test('the time in which a request must be answered begins when it arrives, or at the end of a late body, because its caller took the time before', async () => {
  expect(await ageOf(900)).toBeGreaterThanOrEqual(900);
  expect(await ageOf(100_000)).toBeLessThan(50_000);
});
