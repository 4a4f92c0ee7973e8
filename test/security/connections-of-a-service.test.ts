import { expect, test } from 'vitest';
import { openRaw, type RawConnection } from '../harness/network/raw-connection.ts';
import { useService } from '../harness/service/service.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

const service = useService({
  env: { CONNECTIONS_MAX: '8', CONNECTIONS_PER_ADDRESS_MAX: '4', INTERNAL_PORT: '0' },
});

const open = (count: number) =>
  Array.from({ length: count }, () => openRaw(Number(new URL(service.baseUrl).port)));
const request = (token: string) =>
  `GET /api/v1/Item HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;

async function expectAnswers(connections: readonly RawConnection[], status: number) {
  for (const each of connections) expect((await each.next())?.status).toBe(status);
}

test('a service that has as many connections as it takes closes the idlest for a new one', async () => {
  const opened = open(6);
  for (const early of opened.slice(0, 2)) {
    expect(await early.next()).toBeNull();
    expect(await early.outcome()).not.toBe('open');
  }
  for (const late of opened.slice(2)) late.write(request('garbage'));
  await expectAnswers(opened.slice(2), 401);
  for (const { socket } of opened) socket.destroy();
});

test('a fleet whose scanners all connect in one moment is answered, and has more connections behind one address than strangers there may: each brought a right token', async () => {
  const { token } = await service.client();
  const fleet = open(6);
  for (const scanner of fleet) scanner.write(request(token));
  await expectAnswers(fleet, 200);
  // These make room for each other, though the fleet has rested for longer.
  const strangers = open(3);
  expect(await strangers[0]!.outcome()).not.toBe('open');
  for (const scanner of fleet) scanner.write(request(token));
  await expectAnswers(fleet, 200);
  for (const { socket } of [...fleet, ...strangers]) socket.destroy();
});

test('callers that wait for a change make room for new ones', async () => {
  const client = await service.client();
  const { cursor } = (await client.get('/Me')).body;
  const awaited = async () =>
    (await readMetrics(service.internalPort!)).value('inventory_api_changes_awaited');
  const opened: RawConnection[] = [];
  for (let count = 1; count <= 8; count++) {
    const [caller] = open(1);
    opened.push(caller!);
    const accept = count > 4 ? 'text/event-stream' : 'application/json';
    const head = `Host: x\r\nAuthorization: Bearer ${client.token}\r\nAccept: ${accept}\r\n\r\n`;
    caller!.write(`GET /api/v1/Changes?after=${cursor}&wait=25 HTTP/1.1\r\n${head}`);
    await expect.poll(awaited).toBe(count);
  }
  for (let count = 1; count <= 4; count++) {
    const [newcomer] = open(1);
    opened.push(newcomer!);
    newcomer!.write(request(client.token));
    await expectAnswers([newcomer!], 200);
  }
  expect(await awaited()).toBe(4);
  for (const { socket } of opened) socket.destroy();
});
