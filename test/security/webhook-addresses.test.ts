import { once } from 'node:events';
import { createServer } from 'node:net';
import { pauseHoursMax } from '@inventory/db/webhooks/list-webhooks';
import { reachOf } from '@inventory/webhooks/addresses';
import { UnknownHostError } from '@inventory/webhooks/look-up';
import { pauseAfter, retryAfterMs } from '@inventory/webhooks/retries';
import { createWebhookSecret } from '@inventory/webhooks/secret';
import { sendMessage } from '@inventory/webhooks/send-message';
import { expect, onTestFinished, test } from 'vitest';
import { startReceiver } from '../harness/network/webhook-receiver.ts';

const reaches = `
  public   8.8.8.8 1.1.1.1 172.15.255.255 172.32.0.0 100.63.255.255 100.128.0.0 192.167.255.255 198.20.0.0
           223.255.255.255 169.253.255.255 2606:4700:4700::1111 2a00:1450::1 2003::1 2001:200::1
  private  10.0.0.1 10.255.255.255 172.16.0.0 172.31.255.255 192.168.1.1 127.0.0.1 127.255.255.255 100.64.0.0
           100.127.255.255 ::1 0:0:0:0:0:0:0:1 fc00::1 fd12:3456::1 100.100.100.201 fd00:ec3::254 fd20:ce::253
  refused  0.0.0.0 0.1.2.3 169.254.169.254 169.254.0.1 192.0.0.1 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255
           198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::ffff:8.8.8.8
           ::ffff:127.0.0.1 ::ffff:a00:1 ::127.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 100::1
           2002:7f00:1:: 2001::1 2001:db8::1 2001:10::1 3fff::1 5f00::1 fe80::1 fe80::1%eth0 febf::1 fec0::1
           ff02::1 4000::1 localhost 127.1 0x7f000001 1.2.3
           168.63.129.16 100.100.100.200 fd00:ec2::254 fd00:0ec2:0::23 fd20:ce::254 fd00:42::42
`;

test('which addresses are on the internet, in a private network, or no receiver’s', () => {
  const rows = reaches.trim().split(/\n {2}(?=\w)/);
  expect(rows).toHaveLength(3);
  const wrong = rows.flatMap((row) => {
    const [reach, ...addresses] = row.trim().split(/\s+/);
    return addresses
      .filter((address) => reachOf(address) !== reach)
      .map((address) => `${address}: ${reachOf(address)}`);
  });
  expect(wrong).toEqual([]);
});

const message = { messageId: 'msg_1', body: '{}' };
const options = { secrets: [createWebhookSecret()], at: Date.now() };

test('a name is looked up once, and nothing is sent to an address that it gets afterwards', async () => {
  const [meant, other] = [await startReceiver(), await startReceiver(undefined, '127.0.0.2')];
  const { port } = new URL(meant.url);
  const answers = ['127.0.0.1', '127.0.0.2'];
  const asked: string[] = [];
  const lookUp = async (host: string) => {
    asked.push(host);
    return [{ address: answers.shift()!, family: 4 }];
  };
  const url = `http://receiver.example:${port}/hook`;
  expect(await sendMessage(message, { ...options, url, allowPrivate: true, lookUp })).toMatchObject({
    outcome: '204',
  });
  expect(asked).toEqual(['receiver.example']);
  expect([meant.received.length, other.connections()]).toEqual([1, 0]);
  expect(meant.received[0]!.headers.host).toBe(`receiver.example:${port}`);
});

test.each([
  ['a private one', ['127.0.0.1'], false],
  ['one that is refused even where private ones are allowed', ['127.0.0.1', '169.254.169.254'], true],
  ['a private one beside a public one', ['93.184.216.34', '127.0.0.1'], false],
])('nothing is sent if a name has %s among its addresses', async (_, addresses, allowPrivate) => {
  const receiver = await startReceiver();
  const url = `http://receiver.example:${new URL(receiver.url).port}/hook`;
  const lookUp = async () => addresses.map((address) => ({ address, family: 4 }));
  const sent = await sendMessage(message, { ...options, url, allowPrivate, lookUp });
  expect(sent).toMatchObject({ outcome: 'addressRefused', arrived: false });
  expect(receiver.connections()).toBe(0);
});

test('the words for what went wrong before an answer came', async () => {
  const outcomeOf = async (url: string, lookUp?: () => Promise<never>) =>
    (await sendMessage(message, { ...options, url, allowPrivate: true, ...(lookUp && { lookUp }) })).outcome;
  const ends = createServer((socket) => socket.destroy());
  const plain = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  const nonsense = createServer((socket) => socket.end('nonsense\r\n\r\n'));
  const places: string[] = [];
  for (const server of [ends, plain, nonsense]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    places.push(`127.0.0.1:${(server.address() as { port: number }).port}`);
    onTestFinished(() => void server.close());
  }
  const unknown = () => Promise.reject(new UnknownHostError('ENOTFOUND'));
  expect({
    ended: await outcomeOf(`http://${places[0]}/`),
    plain: await outcomeOf(`https://${places[1]}/`),
    nonsense: await outcomeOf(`http://${places[2]}/`),
    noName: await outcomeOf('https://receiver.example/', unknown),
    nobody: await outcomeOf('http://127.0.0.1:1/'),
  }).toEqual({
    ended: 'brokenOff',
    plain: 'tls',
    nonsense: 'brokenOff',
    noName: 'unknownHost',
    nobody: 'unreachable',
  });
});

test('the pauses between attempts: as Standard Webhooks proposes, longer by chance, never shorter than asked for', () => {
  const seconds = (askedMs: number | null, chance: number) =>
    Array.from({ length: 10 }, (_, index) => {
      const pause = pauseAfter(index + 1, askedMs, () => chance);
      return pause === null ? null : pause / 1000;
    });
  const hours = [2, 5, 10, 14, 20, 24].map((each) => each * 3600);
  expect(seconds(null, 0)).toEqual([5, 300, 1800, ...hours, null]);
  expect(seconds(null, 1)).toEqual([6, 360, 2160, ...hours.map((each) => each * 1.2), null]);
  expect(seconds(7200_000, 0).slice(0, 5)).toEqual([7200, 7200, 7200, 7200, 18_000]);
  // A day at most.
  expect(seconds(1e12, 0)[0]).toBe(86_400);
  // A later time in the table is not believed.
  expect(Math.max(...seconds(1e12, 1).map(Number))).toBeLessThan(pauseHoursMax * 3600);
  const now = Date.parse('2026-01-31T09:00:00Z');
  const read = [
    '120',
    ' 7 ',
    'Sat, 31 Jan 2026 09:01:00 GMT',
    'Sat, 31 Jan 2026 08:00:00 GMT',
    'soon',
    '-1',
    '1e9',
  ];
  expect(read.map((header) => retryAfterMs(header, now))).toEqual([
    ...[120_000, 7000, 60_000, 0],
    ...[null, null, null],
  ]);
});
