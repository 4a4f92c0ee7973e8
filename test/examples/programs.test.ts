import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { choosePort } from '@inventory/local/free-port';
import { createWebhookSecret, writeWebhookSecret } from '@inventory/webhooks/secret';
import { sendMessage } from '@inventory/webhooks/send-message';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { installClient } from '../harness/client-package.ts';
import { useFolder } from '../harness/folders.ts';
import { readBlocks, root } from './documents.ts';

// Every program that a page or a folder of examples shows, and the test that runs it. A receiver is attacked
// here: it stands open to everybody who finds its port.

const folder = useFolder();
beforeAll(() => {
  installClient(folder);
});

type Program = { place: string; text: string };

/** The programs of the pages, by page and number there, and those of the examples. */
function findPrograms(): Program[] {
  const blocks = readBlocks().filter(({ language }) => ['js', 'ts', 'py'].includes(language));
  const ofPages = blocks.map((block) => {
    const before = blocks.filter(({ file, line }) => file === block.file && line < block.line).length;
    return { place: `${block.file} ${before + 1}`, text: block.text };
  });
  const ofExamples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?!md$)\w+$/.test(name))
    .map((name) => ({
      place: `examples/${name}`,
      text: readFileSync(join(root, 'examples', name), 'utf8'),
    }));
  return [...ofPages, ...ofExamples];
}

// Each kind is run by one test, which finds its programs by itself.
const kinds: [place: RegExp, kind: 'receiver' | 'client' | 'example' | 'copy'][] = [
  [/^docs\/integrations\.md 1$/, 'copy'],
  [/^docs\/integrations\.md 2$/, 'receiver'],
  [/^examples\/webhook-receiver\//, 'receiver'],
  [/^examples\/(?:scanner|mirror-sqlite)\//, 'example'],
  [/^(?:README|docs\/client)\.md \d+$/, 'client'],
];
const ranElsewhere = {
  client: 'test/client/documents.test.ts',
  example: 'test/client/examples.test.ts',
  copy: 'test/examples/examples.test.ts',
};
const kindOf = (place: string) => kinds.find(([pattern]) => pattern.test(place))?.[1];

test('every program that is shown is run', () => {
  const programs = findPrograms();
  expect(programs.length).toBeGreaterThan(10);
  expect(programs.map(({ place }) => place).filter((place) => kindOf(place) === undefined)).toEqual([]);
  for (const file of Object.values(ranElsewhere)) readFileSync(join(root, file));
});

const secret = createWebhookSecret();

async function startReceiver({ text }: Program) {
  const port = await choosePort('the receiver');
  const file = join(folder, `receiver-${port}.mjs`);
  writeFileSync(file, text.replace('8080', `${port}`));
  const env = { ...process.env, WEBHOOK_SECRET: writeWebhookSecret(secret), PORT: `${port}` };
  const child: ChildProcess = spawn(process.execPath, ['--no-warnings', file], { cwd: folder, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let written = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (piece: string) => {
      written += piece;
    });
  return { child, port, written: () => written };
}

let sent = 0;
async function sendGenuine(port: number): Promise<string> {
  sent += 1;
  const message = { messageId: `msg_${sent}`, body: '{"data":{"value":[{"type":"genuine"}]}}' };
  const url = `http://127.0.0.1:${port}/`;
  return (await sendMessage(message, { url, allowPrivate: true, secrets: [secret], at: Date.now() })).outcome;
}

const seconds = () => `${Math.floor(Date.now() / 1000)}`;
const sign = (id: string, at: string, body: string) =>
  `v1,${createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest('base64')}`;

/** A request as text. */
function requestOf(headers: Record<string, string>, body = '{}', first = 'POST / HTTP/1.1'): string {
  const all = { host: 'receiver', 'content-length': `${Buffer.byteLength(body)}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${first}\r\n${lines.join('')}connection: close\r\n\r\n${body}`;
}

const signed = (body: string, id = 'msg_hostile', at = seconds()) =>
  requestOf({ 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': sign(id, at, body) }, body);

// Each with the statuses that it may get; 0: the connection ends without one.
const hostile: [name: string, request: () => string, statuses: number[]][] = [
  ['no headers', () => requestOf({}), [400, 401]],
  ['another method', () => requestOf({}, '', 'GET / HTTP/1.1'), [400, 401]],
  ['an id alone', () => requestOf({ 'webhook-id': 'msg_1' }), [400, 401]],
  ['no signature', () => requestOf({ 'webhook-id': 'a', 'webhook-timestamp': seconds() }), [400, 401]],
  [
    'no timestamp, and a signature over its absence',
    () => requestOf({ 'webhook-id': 'a', 'webhook-signature': sign('a', 'undefined', '{}') }),
    [400, 401],
  ],
  [
    'an empty timestamp, signed',
    () => requestOf({ 'webhook-id': 'a', 'webhook-timestamp': '', 'webhook-signature': sign('a', '', '{}') }),
    [400, 401],
  ],
  ...['NaN', 'Infinity', '1e10', '-1', '0x6f', '0', '99999999999999999999'].map(
    (at): (typeof hostile)[number] => [
      `the timestamp ${at}, signed`,
      () => signed('{}', 'a', at),
      [400, 401],
    ],
  ),
  [
    'nonsense for a signature',
    () =>
      requestOf({ 'webhook-id': 'a', 'webhook-timestamp': seconds(), 'webhook-signature': 'v1, v1 v2,x é' }),
    [400, 401],
  ],
  [
    'ten thousand signatures',
    () =>
      requestOf({
        'webhook-id': 'a',
        'webhook-timestamp': seconds(),
        'webhook-signature': 'v1,AAAA '.repeat(1500),
      }),
    [400, 401],
  ],
  ['a signed body that is no JSON', () => signed('nonsense'), [0, 400]],
  ['a signed body without data', () => signed('null'), [0]],
  ['a signed body of another type', () => signed('{"data":{"value":7}}', '__proto__'), [0, 204]],
  ['no HTTP', () => 'nonsense\r\n\r\n', [400]],
  [
    'a broken chunk',
    () => requestOf({ 'transfer-encoding': 'chunked' }, 'zz\r\n').replace(/content-length.*\r\n/, ''),
    [400],
  ],
  ['an upgrade', () => requestOf({ upgrade: 'websocket', connection: 'upgrade' }), [400, 401]],
  ['a tunnel', () => requestOf({}, '', 'CONNECT other:443 HTTP/1.1'), [0]],
  ['a body that breaks off', () => requestOf({ 'content-length': '1000' }, 'x'), [0]],
];

async function open(port: number): Promise<{ socket: Socket; text: () => string; closed: Promise<unknown> }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  return { socket, text: () => text, closed };
}

describe.each(
  findPrograms()
    .filter(({ place }) => kindOf(place) === 'receiver')
    .map((program) => [program.place, program] as const),
)('%s', (_, program) => {
  test('refuses whatever is no message, and takes the next one', async () => {
    const { child, port, written } = await startReceiver(program);
    await expect.poll(() => sendGenuine(port)).toBe('204');
    for (const [name, request, statuses] of hostile) {
      const { socket, text, closed } = await open(port);
      socket.write(request());
      // The sender is there no longer.
      if (name === 'a body that breaks off') socket.destroy();
      await closed;
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text())?.[1] ?? 0);
      expect({ name, status }).toEqual({ name, status: expect.toBeOneOf(statuses) });
      expect([name, await sendGenuine(port)]).toEqual([name, '204']);
    }
    expect(child.exitCode, written()).toBeNull();
    expect(written()).toContain('genuine');
  });

  test('a body without end is cut off, and the next message is taken', async () => {
    const { child, port } = await startReceiver(program);
    await expect.poll(() => sendGenuine(port)).toBe('204');
    const { socket, closed } = await open(port);
    socket.write('POST / HTTP/1.1\r\nhost: receiver\r\ncontent-length: 9000000000\r\n\r\n');
    const piece = Buffer.alloc(65_536, 'x');
    const go = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', go);
    go();
    await closed;
    expect(await sendGenuine(port)).toBe('204');
    expect(child.exitCode).toBeNull();
  });
});
