import { expect, test } from 'vitest';
import { openRaw } from '../harness/network/raw-connection.ts';
import { useService } from '../harness/service/service.ts';

const service = useService({ env: { CONNECTIONS_MAX: '8', CONNECTIONS_PER_ADDRESS_MAX: '4' } });

test('a service that has as many connections as it takes closes the idlest for a new one', async () => {
  const port = Number(new URL(service.baseUrl).port);
  const opened = Array.from({ length: 6 }, () => openRaw(port));
  for (const early of opened.slice(0, 2)) {
    expect(await early.next()).toBeNull();
    expect(await early.outcome()).not.toBe('open');
  }
  for (const late of opened.slice(2)) {
    late.write('GET /api/v1/Item HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await late.next())?.status).toBe(401);
    late.socket.destroy();
  }
});

test('a fleet whose scanners all connect in one moment, as after a restart, is answered', async () => {
  const { token } = await service.client();
  const port = Number(new URL(service.baseUrl).port);
  const fleet = Array.from({ length: 6 }, () => openRaw(port));
  for (const scanner of fleet)
    scanner.write(`GET /api/v1/Item HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  for (const scanner of fleet) {
    expect((await scanner.next())?.status).toBe(200);
    scanner.socket.destroy();
  }
});

test('a fleet behind one address has more connections than strangers there may: each brought a right token', async () => {
  const { token } = await service.client();
  const port = Number(new URL(service.baseUrl).port);
  const request = `GET /api/v1/Item HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const fleet = [];
  for (let count = 0; count < 6; count++) {
    const scanner = openRaw(port);
    scanner.write(request);
    expect((await scanner.next())?.status).toBe(200);
    fleet.push(scanner);
  }
  // These make room for each other, though the fleet has rested for longer.
  const strangers = [openRaw(port), openRaw(port), openRaw(port)];
  expect(await strangers[0]!.outcome()).not.toBe('open');
  for (const scanner of fleet) {
    scanner.write(request);
    expect((await scanner.next())?.status).toBe(200);
    scanner.socket.destroy();
  }
});
