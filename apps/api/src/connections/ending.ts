import type { Socket } from 'node:net';

/**
 * In checks: for what was written to be taken; for the other side's end when nothing comes, and in any case.
 */
export type EndingLimits = { unreadChecks: number; lingerChecks: number; bodyChecks: number };

/** How the other side takes its time to end what is ended here. `now`: the checks made so far. */
export function createEnding(socket: Socket, limits: EndingLimits, now: () => number) {
  let since: number | null = null;
  let quietSince = 0;
  let readBytes = 0;

  return {
    begin(): void {
      since = now();
      quietSince = since;
      readBytes = socket.bytesRead;
    },
    hasBegun: () => since !== null,
    /** To be called at every check: whether it took too long. */
    isTooSlow(): boolean {
      if (since === null) return false;
      if (socket.writableLength > 0) return now() - since >= limits.unreadChecks;
      // A sender that writes all of its body before it reads: cut off, it would not see its answer.
      if (socket.bytesRead > readBytes) quietSince = now();
      readBytes = socket.bytesRead;
      return now() - quietSince >= limits.lingerChecks || now() - since >= limits.bodyChecks;
    },
  };
}
