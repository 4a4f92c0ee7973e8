import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '@inventory/process/log/log';
import { apiVersion } from '../api-version.ts';
import type { Standing } from './caller-standing.ts';
import { createHttpServer } from './http-server.ts';
import { defaultConnectionsMax } from './open-files.ts';

// Enough for all scanners of a warehouse behind one address, and a fraction of all connections.
const perAddressMax = 250;
// The backlog of connections that are not accepted yet, as far as the system allows. Node's 511 is too short:
// if a whole fleet connects at once, the rest retries after a second, then after several.
const backlog = 4096;

export type ListenSettings = {
  PORT: number;
  HOST: string;
  CONNECTIONS_MAX?: number | undefined;
  CONNECTIONS_PER_ADDRESS_MAX?: number | undefined;
  TRUST_PROXY: number;
};

/** The open port for callers. */
export type Listening = {
  port: number;
  connectionCount(): number;
  /** Closes the connections that are idle, and the others after their requests. */
  close(): Promise<void>;
};

/** Accepts requests on `HOST` and `PORT`. */
export async function listen(
  config: ListenSettings,
  handle: RequestListener,
  { standing, log }: { standing: Standing; log: Log },
): Promise<Listening> {
  const { server, connections } = createHttpServer(handle, {
    version: apiVersion,
    standing,
    connectionsMax: config.CONNECTIONS_MAX ?? defaultConnectionsMax(),
    // Behind a proxy, all callers have the proxy's address.
    perAddressMax: config.CONNECTIONS_PER_ADDRESS_MAX ?? (config.TRUST_PROXY > 0 ? 0 : perAddressMax),
    report: (counts) => log.warn(counts, 'too many connections: see CONNECTIONS_MAX'),
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: config.PORT, host: config.HOST, backlog }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    connectionCount: connections.count,
    async close() {
      connections.drain();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await closed;
    },
  };
}
