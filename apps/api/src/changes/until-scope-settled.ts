import { setTimeout as pause } from 'node:timers/promises';
import type { AuthenticatedClient } from '../http/callers/authenticator.ts';
import type { Call } from '../http/route.ts';

// Between two looks at a scope that has just changed.
const lookEveryMs = 100;

/**
 * Resolves with the client once every process knows its scope, in a second at most. A caller that then reads
 * lists, from whichever process, is shown this scope or a later one, and the feed tells it a later one.
 */
export async function untilScopeSettled(
  { renew, wait }: Pick<Call<unknown, unknown, unknown>, 'renew' | 'wait'>,
  client: AuthenticatedClient,
): Promise<AuthenticatedClient> {
  let known = client;
  while (known.scopeKnownAt > performance.now() && !wait.hasGone()) {
    await pause(lookEveryMs);
    known = await renew();
  }
  return known;
}
