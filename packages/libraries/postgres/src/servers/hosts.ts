import { Socket } from 'node:net';
import { lookEvery } from '@inventory/process/look-every';
import type { DatabaseAddress, Place } from '@inventory/process/settings/database-address';
import { createPrimary } from './primary.ts';
import { askStanding, type Look } from './standing.ts';

/** The servers of an address, for all connections of this process. */
export type Hosts = {
  /** A socket to the primary, for the driver. Never fails; failures show on the socket. */
  openSocket(): Promise<Socket>;
  /** Says that another server may be the primary now. */
  doubt(): void;
  /** How each server was last seen, in the order of the address; some seconds old at most. */
  looks(): Look[];
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

/** How this process has last seen the servers of an address with several hosts; empty for one host. */
export function looksOf(databaseUrl: string): Look[] {
  return known.get(databaseUrl)?.looks() ?? [];
}

function createHosts(address: DatabaseAddress, settings: Record<string, string>): Hosts {
  const sockets = new Map<Socket, Place>();
  const looks = new Map<Place, Look>();
  let stopWatching: (() => void) | undefined;
  const primary = createPrimary(
    address.places,
    (place) => askStanding(address, place, settings),
    (look) => looks.set(look.place, look),
    // Their answers may be older than the promotion.
    (place) => {
      for (const [socket, to] of sockets) if (to !== place) socket.destroy();
    },
  );

  function keep(socket: Socket, place: Place) {
    for (const each of sockets.keys()) if (each.destroyed) sockets.delete(each);
    sockets.set(socket, place);
    stopWatching ??= lookEvery(watchEveryMs, () => {
      if ([...sockets.keys()].some((each) => !each.destroyed)) return primary.doubt();
      stopWatching?.();
      stopWatching = undefined;
    });
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
    looks: () => address.places.flatMap((place) => looks.get(place) ?? []),
  };
}
