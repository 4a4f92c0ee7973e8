import { createFairRoom, type Visit } from '../../turns/fair-room.ts';

/** The room that a process has for large bodies: what they become in its memory. */
export type BodyRoom = {
  /** A body of at most so many bytes is to be read for this client. */
  enter(clientId: string, bytes: number): Visit;
  /** The bytes of the bodies that are in it. */
  bytes(): number;
  /** How many bodies wait to be read. */
  waitingCount(): number;
};

export type BodyRoomOptions = {
  /** Bytes of bodies: of all clients, and of one. What the last one has more is let in. */
  total: number;
  perClient: number;
  waitMs: number;
};

/**
 * A body becomes several times as large in memory. Of two thousand full batches of 60 KB in one moment a
 * quarter is read at once, then; the others wait in their connections, where they cost next to nothing.
 */
const bodyRoomOptions: BodyRoomOptions = {
  total: 32 * 1024 * 1024,
  perClient: 4 * 1024 * 1024,
  waitMs: 4000,
};

/** Clients take turns; one that sends slowly has a part of the room only. */
export function createBodyRoom({ total, perClient, waitMs }: BodyRoomOptions = bodyRoomOptions): BodyRoom {
  const room = createFairRoom({
    total: () => total,
    may: (_clientId, bytes) => bytes < perClient,
    waitMs,
  });
  return { enter: room.enter, bytes: room.used, waitingCount: room.waitingCount };
}
