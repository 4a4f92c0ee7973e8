import { createFairRoom } from '../fair-room.ts';

/** The sender of a token. */
export type Caller = { address: string; hasGone: () => boolean };

/**
 * When the signature of a token that was never seen is verified. At once, unless the caller's address has
 * used up its budget: then one at a time over all such addresses, which take turns. No right token is
 * refused, however many forged ones came from its address; it waits for those before it, of which there are
 * no more than connections, for some hundred microseconds each. Null for a caller that has gone.
 */
export function createVerifyTurns(isSpent: (address: string) => Promise<boolean>) {
  const room = createFairRoom({ total: () => 1 });
  return async <T>(caller: Caller, verify: () => Promise<T>): Promise<T | null> => {
    if (!(await isSpent(caller.address))) return verify();
    const turn = room.enter(caller.address, 1, caller);
    try {
      return (await turn.admitted) ? await verify() : null;
    } finally {
      turn.leave();
    }
  };
}
