import { createFairRoom } from '@inventory/turns/fair-room';

/** The sender of a token. */
export type Caller = { address: string; hasGone: () => boolean };

/**
 * Decides when the signature of a new token is verified: usually at once. Once the caller's address has spent
 * its budget, one token at a time is verified for all such addresses, which take turns. So forged tokens
 * never get a valid one refused: it waits behind at most one token per open connection, a few hundred
 * microseconds each. Returns null if the caller has gone.
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
