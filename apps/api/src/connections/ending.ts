import type { Socket } from 'node:net';

/**
 * In checks: for what was written to be taken, for a body that still comes, and for the other side's end when
 * nothing comes.
 */
export type EndingLimits = { unreadChecks: number; bodyChecks: number; lingerChecks: number };

/** How the other side takes its time to end what is ended here. `now`: the checks made so far. */
export function createEnding(socket: Socket, limits: EndingLimits, now: () => number) {
  let since: number | null = null;
  let readBytes = 0;

  return {
    begin(): void {
      since = now();
    },
    hasBegun: () => since !== null,
    /** To be called at every check: whether it took too long. */
    isTooSlow(): boolean {
      // A sender that writes all of its body before it reads: cut off, it would not see its answer.
      const isSending = socket.bytesRead > readBytes;
      readBytes = socket.bytesRead;
      const last = isSending ? limits.bodyChecks : limits.lingerChecks;
      return since !== null && now() - since >= (socket.writableLength > 0 ? limits.unreadChecks : last);
    },
  };
}
