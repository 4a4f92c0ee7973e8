import { Socket } from 'node:net';
import type { DatabaseAddress, Place } from '@inventory/process/settings/database-address';
import postgres from 'postgres';
import { createPrimary, type Standing } from './primary.ts';
import { serverOptions } from './server-options.ts';

/** The servers of an address, for all connections of this process. */
export type Hosts = {
  /** A socket to the primary, for the driver. Never fails; failures show on the socket. */
  openSocket(): Promise<Socket>;
  /** Says that another server may be the primary now. */
  doubt(): void;
};

// While connections are open: a former primary may go on answering.
const watchEveryMs = 5000;
const known = new Map<string, Hosts>();

/** The servers of an address with several hosts. `settings`: for the connections that ask them. */
export function hostsOf(
  databaseUrl: string,
  address: DatabaseAddress,
  settings: Record<string, string>,
): Hosts {
  const hosts = known.get(databaseUrl) ?? createHosts(address, settings);
  known.set(databaseUrl, hosts);
  return hosts;
}

function createHosts(address: DatabaseAddress, settings: Record<string, string>): Hosts {
  const sockets = new Map<Socket, Place>();
  let watching: NodeJS.Timeout | undefined;
  const primary = createPrimary(
    address.places,
    (place) => askStanding(address, place, settings),
    // Their answers may be older than the promotion.
    (place) => {
      for (const [socket, to] of sockets) if (to !== place) socket.destroy();
    },
  );

  function keep(socket: Socket, place: Place) {
    for (const each of sockets.keys()) if (each.destroyed) sockets.delete(each);
    sockets.set(socket, place);
    watching ??= setInterval(() => {
      if ([...sockets.keys()].some((each) => !each.destroyed)) return primary.doubt();
      clearInterval(watching);
      watching = undefined;
    }, watchEveryMs).unref();
  }

  return {
    async openSocket() {
      const socket = new Socket();
      try {
        const place = await primary.find();
        keep(socket, place);
        // As the driver does: the name that the server's certificate must have, and that errors show.
        return Object.assign(socket, place).connect(place.port, place.host);
      } catch (error) {
        // If the driver gets no socket, it forgets the connection but still waits for it.
        setImmediate(() => socket.destroy(error as Error));
        return socket;
      }
    },
    doubt: primary.doubt,
  };
}

/** Asks a server for its standing, on a separate connection. */
async function askStanding(
  address: DatabaseAddress,
  place: Place,
  settings: Record<string, string>,
): Promise<Standing> {
  const sql = postgres({
    ...serverOptions(address, place),
    max: 1,
    fetch_types: false,
    connection: settings,
  });
  try {
    const [row] = await sql.unsafe(`
      select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as takes_writes`);
    if (row!.takes_writes !== true) return { isPrimary: false, timeline: 0 };
    // Some providers' servers do not know this function; then all servers look alike.
    const [log] = await sql
      .unsafe('select substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) as timeline')
      .catch(() => []);
    return { isPrimary: true, timeline: log === undefined ? 0 : Number.parseInt(log.timeline, 16) };
  } finally {
    void sql.end({ timeout: 1 }).catch(() => {});
  }
}
