import { createFairRoom, type Visit } from '@inventory/turns/fair-room';

/** Bounds the memory that large bodies take in a process. */
export type BodyRoom = {
  /** Asks for room to read a body of at most `bytes` for a client. */
  enter(clientId: string, bytes: number): Visit;
  /** The bytes of the bodies inside. */
  bytes(): number;
  /** How many bodies wait to be read. */
  waitingCount(): number;
};

export type BodyRoomOptions = {
  /** Bytes of bodies, of all clients and of one. The last body let in may exceed either. */
  total: number;
  perClient: number;
  waitMs: number;
};

/**
 * A body takes several times its size in memory. Of two thousand 60 KB batches sent at once, a quarter is
 * read at once; the others wait in their sockets, where they cost next to nothing.
 */
const bodyRoomOptions: BodyRoomOptions = {
  total: 32 * 1024 * 1024,
  perClient: 4 * 1024 * 1024,
  waitMs: 4000,
};

/** Clients take turns. A client that sends slowly holds only its own part of the room. */
export function createBodyRoom({ total, perClient, waitMs }: BodyRoomOptions = bodyRoomOptions): BodyRoom {
  const room = createFairRoom({
    total: () => total,
    may: (_clientId, bytes) => bytes < perClient,
    waitMs,
  });
  return { enter: room.enter, bytes: room.used, waitingCount: room.waitingCount };
}
