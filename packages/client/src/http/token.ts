/** The answer of `POST /Token`, as far as it is used. */
export type TokenAnswer = { access_token: string; expires_in: number };

export type Tokens = {
  /** A token that has not ended, as far as we know. */
  get(): Promise<string>;
  /** Another one than this, which the service refused. */
  renew(refused: string): Promise<string>;
};

// Renewed at this share of its life, while it still works.
const freshShare = 0.8;
// At least, after a renewal that failed.
const renewalPauseMs = 1000;

/** Keeps a token. `ask` gets a new one; however many calls wait for it, it is asked once. */
export function keepToken(ask: () => Promise<TokenAnswer>): Tokens {
  let held: { token: string; freshUntil: number; endsAt: number } | null = null;
  let asking: Promise<string> | null = null;

  async function askOnce(): Promise<string> {
    const askedAt = Date.now();
    const { access_token: token, expires_in: seconds } = await ask();
    held = { token, freshUntil: askedAt + seconds * 1000 * freshShare, endsAt: askedAt + seconds * 1000 };
    return token;
  }

  function fetchToken(): Promise<string> {
    asking ??= askOnce().finally(() => {
      asking = null;
    });
    return asking;
  }

  return {
    async get() {
      if (held === null || Date.now() >= held.endsAt) return fetchToken();
      const last = held;
      // Calls go on with the old one meanwhile. If this fails, a later call tries again.
      if (Date.now() >= last.freshUntil)
        fetchToken().catch(({ retryAfterMs }: { retryAfterMs?: number | null }) => {
          last.freshUntil = Date.now() + Math.max(retryAfterMs ?? 0, renewalPauseMs);
        });
      return last.token;
    },
    async renew(refused) {
      if (held !== null && held.token !== refused) return held.token;
      held = null;
      return fetchToken();
    },
  };
}
