import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createStanding } from '@inventory/api/http/connections/caller-standing';
import type { ConnectionLimits } from '@inventory/api/http/connections/connection';
import { createHttpServer, type Times } from '@inventory/api/http/connections/http-server';
import { onTestFinished } from 'vitest';
import { openRaw, type RawConnection } from './raw-connection.ts';

// Long beside what is waited for.
export const patienceMs = 20_000;
const never = 1_000_000;
// To Node 0 is without end.
const patient: Times = { headMs: 0, requestMs: 0, idleMs: 0, silentMs: 0 };
const patientLimits: ConnectionLimits = { pipelinedMax: never, lingerMs: 10_000, lingerMaxMs: never };

type Options = {
  times?: Partial<Times>;
  limits?: Partial<ConnectionLimits>;
  connectionsMax?: number;
  perAddressMax?: number;
  showsWithinMs?: number;
  checkEveryMs?: number;
};

/**
 * The api's HTTP server in front of this handler, for one test. It checks its connections fifty times a
 * second unless told otherwise.
 */
export async function serve(handle: RequestListener, options: Options = {}) {
  const standing = createStanding();
  const reported: object[] = [];
  const { server, connections } = createHttpServer(handle, {
    version: 'v1',
    connectionsMax: options.connectionsMax ?? never,
    perAddressMax: options.perAddressMax ?? 0,
    standing,
    times: { ...patient, ...options.times },
    limits: { ...patientLimits, ...options.limits },
    showsWithinMs: options.showsWithinMs ?? 100,
    checkEveryMs: options.checkEveryMs ?? 20,
    report: (counts) => reported.push(counts),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const opened: RawConnection[] = [];
  onTestFinished(() => {
    for (const { socket } of opened) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  const open = (from?: string) => {
    const connection = openRaw(port, from);
    opened.push(connection);
    return connection;
  };
  return { server, connections, open, reported, standing };
}

/** The bytes of a request. */
export const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
