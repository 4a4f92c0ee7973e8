import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { BoundedConnection } from '@inventory/webhooks/bounded-connection';
import { addressesIn, lookUpName, namesToAsk } from '@inventory/webhooks/look-up';
import { createWebhookSecret } from '@inventory/webhooks/secret';
import { sendMessage } from '@inventory/webhooks/send-message';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { hasOpenssl, makeCertificate } from '../harness/network/certificate.ts';

const message = { messageId: 'msg_1', body: `{"data":"${'x'.repeat(1000)}"}` };
const options = { allowPrivate: true, secrets: [createWebhookSecret()], at: Date.now() };
afterEach(() => void vi.restoreAllMocks());

/** The behaviour of a receiver on a connection, once it has read something. */
type Behaviour = (socket: Socket) => void;

/** Sends the same again and again, as fast as the other side takes it. */
const endless =
  (text: string, before = ''): Behaviour =>
  (socket) => {
    const piece = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
    socket.write(before);
    const go = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', go);
    go();
  };

/** Sends one byte after the other, each by itself. */
const dripping =
  (text: string): Behaviour =>
  (socket) => {
    socket.setNoDelay(true);
    let at = 0;
    const timer = setInterval(() => {
      for (let count = 0; count < 20; count++) socket.write(text[at++ % text.length]!);
    }, 1);
    socket.on('close', () => clearInterval(timer));
  };

async function startEndpoint(behave: Behaviour): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => behave(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Counts the bytes and pieces that come out of connections to receivers. */
function countRead() {
  const read = { bytes: 0, pieces: 0 };
  const push = BoundedConnection.prototype.push;
  vi.spyOn(BoundedConnection.prototype, 'push').mockImplementation(function (
    this: BoundedConnection,
    ...[piece, ...more]: Parameters<typeof push>
  ) {
    read.bytes += piece?.length ?? 0;
    read.pieces += piece === null ? 0 : 1;
    return push.call(this, piece, ...more);
  });
  return read;
}

const ok = 'HTTP/1.1 200 OK\r\n';
const tooMuch = { outcome: 'brokenOff', answer: 'ANSWER_TOO_LARGE' };
const anyBody = { outcome: '200', arrived: true };

const endpoints: [name: string, behave: Behaviour, expected: object][] = [
  ['100 Continue without end', endless('HTTP/1.1 100 Continue\r\n\r\n'), tooMuch],
  ['102 Processing without end', endless('HTTP/1.1 102 Processing\r\n\r\n'), tooMuch],
  ['103 Early Hints without end', endless('HTTP/1.1 103 Hints\r\nlink: </a>\r\n\r\n'), tooMuch],
  ['large 103 Early Hints', endless(`HTTP/1.1 103 Hints\r\nlink: ${'a'.repeat(9000)}\r\n\r\n`), tooMuch],
  ['headers without end', endless('a: b\r\n', ok), { outcome: 'brokenOff' }],
  ['a header without end', endless('a', `${ok}a: `), { outcome: 'brokenOff' }],
  ['a status line without end', endless('a', 'HTTP/1.1 200 '), { outcome: 'brokenOff' }],
  ['a body without end', endless('a', `${ok}\r\n`), anyBody],
  ['a body of 2^53 bytes', endless('a', `${ok}content-length: 9007199254740991\r\n\r\n`), anyBody],
  ['small chunks without end', endless('1\r\na\r\n', `${ok}transfer-encoding: chunked\r\n\r\n`), anyBody],
  [
    'a chunk extension without end',
    endless('a', `${ok}transfer-encoding: chunked\r\n\r\n1;`),
    { outcome: '200' },
  ],
  ['garbage behind the answer', endless('garbage', `${ok}content-length: 0\r\n\r\n`), anyBody],
  ['answers behind the answer', endless(`${ok}\r\n`, `${ok}content-length: 0\r\n\r\n`), anyBody],
  ['garbage alone', endless('garbage'), { outcome: 'brokenOff' }],
  ['nothing but empty lines', endless('\r\n'), { outcome: 'brokenOff' }],
  [
    '101 to another protocol',
    endless('garbage', 'HTTP/1.1 101 Ok\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    { outcome: 'brokenOff' },
  ],
  ['a reset', (socket) => socket.resetAndDestroy(), { outcome: 'brokenOff' }],
  ['an end', (socket) => socket.end(), { outcome: 'brokenOff' }],
  ['half an answer', (socket) => socket.end('HTTP/1.1 2'), { outcome: 'brokenOff' }],
  [
    'ten answers before the one that counts',
    (socket) => socket.end(`${'HTTP/1.1 102 P\r\n\r\n'.repeat(10)}${ok}\r\n`),
    anyBody,
  ],
  ['a head byte by byte', dripping(`${ok}a: ${'a'.repeat(100_000)}`), { arrived: false }],
];

test.each(endpoints)('%s costs a bounded number of bytes and pieces', async (_, behave, expected) => {
  const read = countRead();
  const url = await startEndpoint(behave);
  const sent = await sendMessage(message, { ...options, url });
  expect(sent).toMatchObject(expected);
  expect(read.bytes).toBeLessThanOrEqual(65_536);
  // The first forty, and then one in 10 ms.
  expect(read.pieces).toBeLessThanOrEqual(42 + sent.tookMs / 10);
});

describe('encrypted', () => {
  test.each([
    ['garbage instead of a handshake', endless('garbage')],
    ['records of a handshake without end', endless('\u0016\u0003\u0003\u0000\u0004\u0000\u0000\u0000\u0000')],
    ['alerts without end', endless('\u0015\u0003\u0003\u0000\u0002\u0001\u0000')],
  ])('%s costs a bounded number of bytes', async (_, behave) => {
    const read = countRead();
    const url = (await startEndpoint(behave)).replace('http:', 'https:');
    expect(await sendMessage(message, { ...options, url })).toMatchObject({ arrived: false });
    expect(read.bytes).toBeLessThanOrEqual(65_536);
  });

  test.skipIf(!hasOpenssl)(
    'Diffie-Hellman without curves, which a receiver could make slow, is not spoken (skipped without openssl)',
    async () => {
      const { key, cert } = makeCertificate();
      const answerOf = async (more: TlsOptions) => {
        const server = createTlsServer({ key, cert, ...more }).on('tlsClientError', () => {});
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        onTestFinished(() => void server.close());
        const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
        return sendMessage(message, { ...options, url });
      };
      const selfSigned = { outcome: 'tls', answer: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
      expect(await answerOf({ maxVersion: 'TLSv1.2' })).toMatchObject(selfSigned);
      const slow = { ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto', maxVersion: 'TLSv1.2' } as const;
      expect(await answerOf(slow)).not.toMatchObject(selfSigned);
    },
  );
});

describe('names', () => {
  /** A name server on this machine that never answers. */
  async function startSilentServer() {
    const socket = createSocket('udp4');
    let questions = 0;
    socket.on('message', () => {
      questions += 1;
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    onTestFinished(() => void socket.close());
    const place = `127.0.0.1:${socket.address().port}`;
    const plain = Resolver.prototype.resolve4 as (host: string) => Promise<string[]>;
    const known = new WeakSet<Resolver>();
    for (const name of ['resolve4', 'resolve6'] as const)
      vi.spyOn(Resolver.prototype, name).mockImplementation(function (this: Resolver, host: string) {
        if (!known.has(this)) this.setServers([place]);
        known.add(this);
        return plain.call(this, host) as never;
      });
    return { questions: () => questions };
  }

  test('many that no server answers hold up no other one, and end with their attempts', async () => {
    const server = await startSilentServer();
    const ends = new AbortController();
    const slow = Array.from({ length: 64 }, (_, index) =>
      sendMessage(message, { ...options, url: `https://slow-${index}.example/`, signal: ends.signal }),
    );
    // All of them ask at once, and a receiver with a name is reached beside them.
    await expect.poll(server.questions).toBeGreaterThanOrEqual(64);
    const url = await startEndpoint((socket) => socket.end(`${ok}\r\n`));
    const sent = await sendMessage(message, { ...options, url: url.replace('127.0.0.1', 'localhost') });
    expect(sent).toMatchObject(anyBody);
    ends.abort();
    for (const each of await Promise.all(slow)) expect(each).toMatchObject({ arrived: false });
  });

  test('a look-up ends with its attempt', async () => {
    await startSilentServer();
    const ends = new AbortController();
    const asked = lookUpName('slow.example', ends.signal);
    setTimeout(() => ends.abort(), 20);
    await expect(asked).rejects.toThrow();
  });

  test('are looked for in the file of hosts, in any case, and asked for as resolv.conf says', () => {
    const hosts = '127.0.0.1 localhost\n10.1.2.3\tERP erp.lan # erp.old\n::1 localhost ip6\nnonsense erp\n';
    expect(addressesIn(hosts, 'erp')).toEqual([{ address: '10.1.2.3', family: 4 }]);
    expect(addressesIn(hosts, 'localhost').map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
    expect(addressesIn(hosts, 'erp.old')).toEqual([]);
    const cluster = 'search one.local two.local\nnameserver 10.0.0.1\noptions edns0 ndots:2\n';
    expect(namesToAsk('hook.shop', cluster)).toEqual([
      ...['hook.shop.one.local', 'hook.shop.two.local'],
      'hook.shop',
    ]);
    expect(namesToAsk('a.hook.shop', cluster)[0]).toBe('a.hook.shop');
    expect(namesToAsk('hook.shop.', cluster)).toEqual(['hook.shop']);
    expect(namesToAsk('hook', 'domain lan # here')).toEqual(['hook.lan', 'hook']);
    expect(namesToAsk('erp.example', '')).toEqual(['erp.example']);
  });
});
