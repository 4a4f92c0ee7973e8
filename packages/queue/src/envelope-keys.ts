import { createSecretKey, type KeyObject } from 'node:crypto';
import { lookEvery } from '@inventory/process/look-every';

/**
 * A key as stored in Postgres. `settled`: every process has read it by now. `site`: the name of the database
 * that it was read from, eight letters, which no copy of that database has.
 */
export type StoredEnvelopeKey = { kid: number; secret: Uint8Array; settled: boolean; site: string };

/**
 * `secret` is a KeyObject: from plain bytes, Node would make one for each signature, which takes five times
 * as long.
 */
export type EnvelopeKey = { kid: number; secret: KeyObject };

/** The keys that sign envelopes and answers. Redis has none of them. */
export type EnvelopeKeys = {
  /** The key that signs: the newest that every process knows. */
  signing(): EnvelopeKey;
  /** A key that verifies; null if none has this number. */
  find(kid: unknown): EnvelopeKey | null;
  /** The name of the database that the keys are from. */
  site(): string;
  /** Reads the keys again, unless that was done a moment ago. Never fails. */
  refresh(): Promise<void>;
  stop(): void;
};

// Well within the time before a new key begins to sign.
const readEveryMs = 15_000;
// A limit for unknown numbers: otherwise a process that can write to Redis could cause endless queries to
// Postgres.
const readAgainAfterMs = 1000;

/**
 * Reads the keys now and at intervals. If a later read fails, the known keys stay. `read` returns the keys
 * that verify, newest first. Fails if the first read fails or there is no key.
 */
export async function openEnvelopeKeys(read: () => Promise<StoredEnvelopeKey[]>): Promise<EnvelopeKeys> {
  let keys = new Map<unknown, EnvelopeKey>();
  let signing: EnvelopeKey;
  let site = '';
  let readAt = Number.NEGATIVE_INFINITY;

  async function readAll() {
    readAt = performance.now();
    const found = await read();
    const newest = found.find(({ settled }) => settled) ?? found.at(-1);
    if (newest === undefined) throw new Error('the database has no key for envelopes');
    keys = new Map(found.map(({ kid, secret }) => [kid, { kid, secret: createSecretKey(secret) }]));
    signing = keys.get(newest.kid)!;
    site = newest.site;
  }

  await readAll();
  return {
    signing: () => signing,
    site: () => site,
    find: (kid) => keys.get(kid) ?? null,
    async refresh() {
      if (performance.now() - readAt > readAgainAfterMs) await readAll().catch(() => {});
    },
    stop: lookEvery(readEveryMs, () => readAll().catch(() => {})),
  };
}
