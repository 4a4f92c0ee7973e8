import { addCount } from './add-count.ts';
import { createFairLine } from './fair-line.ts';

/** The room that a process has for large bodies: what they become in its memory. */
export type BodyRoom = {
  /** A body of at most so many bytes is to be read for this client. */
  enter(clientId: string, bytes: number): BodyVisit;
  /** The bytes of the bodies that are in it. */
  bytes(): number;
  /** How many bodies wait to be read. */
  waitingCount(): number;
};

export type BodyVisit = {
  /** Whether the body may be read; false when there was no room in time. */
  admitted: Promise<boolean>;
  /** It has so many bytes. */
  resize(bytes: number): void;
  /** It and all that was made of it are gone, or nobody waits for it any more. */
  leave(): void;
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
  const line = createFairLine<{ begin: () => void }>();
  const usedBy = new Map<string, number>();
  let used = 0;

  const hasRoom = (clientId: string) => used < total && (usedBy.get(clientId) ?? 0) < perClient;

  function serve() {
    for (let next = line.next(hasRoom); next !== undefined; next = line.next(hasRoom)) next.begin();
  }

  return {
    bytes: () => used,
    waitingCount: line.size,
    enter(clientId, bytes) {
      let resolve = (_isAdmitted: boolean) => {};
      const admitted = new Promise<boolean>((settle) => {
        resolve = settle;
      });
      let size = 0;
      let hasLeft = false;
      const resize = (to: number) => {
        if (hasLeft) return;
        const more = to - size;
        size = to;
        used += more;
        addCount(usedBy, clientId, more);
        if (more < 0) serve();
      };
      const begin = () => {
        clearTimeout(timer);
        resize(bytes);
        resolve(true);
      };
      const giveUp = () => {
        clearTimeout(timer);
        leaveLine();
        resolve(false);
      };
      const leaveLine = line.join(clientId, { begin });
      const timer = setTimeout(giveUp, waitMs);
      serve();
      return {
        admitted,
        resize,
        leave() {
          giveUp();
          resize(0);
          hasLeft = true;
        },
      };
    },
  };
}
