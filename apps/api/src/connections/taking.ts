import type { Socket } from 'node:net';

/** In checks: for a piece of what was written to be taken, and for all of it, however steadily. */
export type TakingLimits = { unreadChecks: number; takingChecks: number };

/** How the other side takes what was written to it. `now`: the checks made so far. */
export function createTaking(socket: Socket, limits: TakingLimits, now: () => number) {
  let unreadSince: number | null = null;
  let pieceAt = 0;
  let takenBytes = 0;

  return {
    /** To be called at every check. */
    note(): void {
      const bytes = socket.bytesWritten - socket.writableLength;
      if (unreadSince === null || bytes > takenBytes) pieceAt = now();
      takenBytes = bytes;
      if (socket.writableLength === 0) unreadSince = null;
      else unreadSince ??= now();
    },
    /** What comes now is another answer. */
    beginAnew(): void {
      unreadSince = null;
    },
    /** Whether something waited to be taken when it was noted. */
    isAwaited: () => unreadSince !== null,
    isTooSlow: () =>
      unreadSince !== null &&
      (now() - pieceAt >= limits.unreadChecks || now() - unreadSince >= limits.takingChecks),
  };
}
