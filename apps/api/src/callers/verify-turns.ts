import { createFairLine } from '../fair-line.ts';

/** The sender of a token. */
export type Caller = { address: string; hasGone: () => boolean };

type Waiting = { verify: () => Promise<void>; hasGone: () => boolean; giveUp: () => void };

/**
 * When the signature of a token that was never seen is verified. At once, unless the caller's address has
 * used up its budget: then one at a time over all such addresses, which take turns. No right token is
 * refused, however many forged ones came from its address; it waits for those before it, of which there are
 * no more than connections, for some hundred microseconds each. Null for a caller that has gone.
 */
export function createVerifyTurns(isSpent: (address: string) => Promise<boolean>) {
  const line = createFairLine<Waiting>();
  let isBusy = false;

  async function serve() {
    isBusy = true;
    for (let turn = line.next(); turn !== undefined; turn = line.next()) {
      if (turn.hasGone()) turn.giveUp();
      else await turn.verify();
    }
    isBusy = false;
  }

  return async <T>(caller: Caller, verify: () => Promise<T>): Promise<T | null> => {
    if (!(await isSpent(caller.address))) return verify();
    return new Promise((resolve, reject) => {
      line.join(caller.address, {
        verify: () => verify().then(resolve, reject),
        hasGone: caller.hasGone,
        giveUp: () => resolve(null),
      });
      if (!isBusy) void serve();
    });
  };
}
