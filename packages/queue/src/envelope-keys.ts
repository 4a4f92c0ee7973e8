import { createSecretKey, type KeyObject } from 'node:crypto';

/** A key as Postgres has it. `settled`: every process has surely read it. */
export type StoredEnvelopeKey = { kid: number; secret: Uint8Array; settled: boolean };

/** `secret`: from plain bytes Node makes one for every signature, which then takes five times as long. */
export type EnvelopeKey = { kid: number; secret: KeyObject };

/** The keys of what travels through Redis, which has none of them. */
export type EnvelopeKeys = {
  /** The one that signs: the newest that every process knows. */
  signing(): EnvelopeKey;
  /** One that verifies; null when there is none of this number. */
  find(kid: unknown): EnvelopeKey | null;
  /** Reads them anew, if that was not done a moment ago. Never fails. */
  refresh(): Promise<void>;
  stop(): void;
};

// Well within the time in which a new key does not sign yet.
const readEveryMs = 15_000;
// However many unknown numbers come, so that nobody who writes to Redis has Postgres asked without end.
const readAgainAfterMs = 1000;

/**
 * Reads the keys, now and again and again; a failure later leaves the keys that are known. `read`: those that
 * verify, the newest first. Fails when they cannot be read now, or there is none.
 */
export async function openEnvelopeKeys(read: () => Promise<StoredEnvelopeKey[]>): Promise<EnvelopeKeys> {
  let keys = new Map<unknown, EnvelopeKey>();
  let signing: EnvelopeKey;
  let readAt = Number.NEGATIVE_INFINITY;

  async function readAll() {
    readAt = performance.now();
    const found = await read();
    const newest = found.find(({ settled }) => settled) ?? found.at(-1);
    if (newest === undefined) throw new Error('the database has no key for envelopes');
    keys = new Map(found.map(({ kid, secret }) => [kid, { kid, secret: createSecretKey(secret) }]));
    signing = keys.get(newest.kid)!;
  }

  await readAll();
  const timer = setInterval(() => void readAll().catch(() => {}), readEveryMs);
  timer.unref();
  return {
    signing: () => signing,
    find: (kid) => keys.get(kid) ?? null,
    async refresh() {
      if (performance.now() - readAt > readAgainAfterMs) await readAll().catch(() => {});
    },
    stop: () => clearInterval(timer),
  };
}
