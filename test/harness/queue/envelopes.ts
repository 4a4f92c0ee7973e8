import { type EnvelopeKeys, openEnvelopeKeys } from '@inventory/queue/envelope-keys';

/** One key for both sides of a queue without a database. */
export function fixedKeys(): Promise<EnvelopeKeys> {
  return openEnvelopeKeys(async () => [
    { kid: 1, secret: Buffer.alloc(32, 7), settled: true, site: 'testsite' },
  ]);
}
