import { randomUUID } from 'node:crypto';
import { addEnvelopeKey, readEnvelopeKeys } from '@inventory/db/access/envelope-keys';
import { openEnvelopeKeys } from '@inventory/queue/envelope-keys';
import { openEnvelope, signEnvelope } from '@inventory/queue/signature';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../harness/servers/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

/** The keys of a process that starts now. */
async function open() {
  const keys = await openEnvelopeKeys(() => readEnvelopeKeys(database.sql));
  onTestFinished(() => keys.stop());
  return keys;
}

const age = (kid: number, interval: string) =>
  database.sql`update envelope_key set created = clock_timestamp() - ${interval}::interval where kid = ${kid}`;

test('a new key verifies at once, signs after a minute, and ends the previous key after ten', async () => {
  const before = await open();
  expect(before.signing().kid).toBe(1);
  const kid = await addEnvelopeKey(database.sql);
  const place = { queue: 'q', jobId: randomUUID() };
  const old = signEnvelope(before, place, []);

  const fresh = await open();
  expect(fresh.signing().kid).toBe(1);
  expect(fresh.find(kid)?.secret.export()).not.toEqual(fresh.find(1)?.secret.export());

  await age(kid, '2 minutes');
  const settled = await open();
  expect(settled.signing().kid).toBe(kid);
  expect(openEnvelope(settled, place, old)).toEqual([]);
  // A process that has not read the key yet does so when it meets the number.
  const signed = signEnvelope(settled, place, []);
  expect(openEnvelope(before, place, signed)).toBeNull();
  await expect
    .poll(async () => {
      await before.refresh();
      return openEnvelope(before, place, signed);
    })
    .toEqual([]);

  await age(kid, '11 minutes');
  expect(openEnvelope(await open(), place, old)).toBeNull();
});

test('Postgres is asked for an unknown key at most once a second, however often it is met', async () => {
  let reads = 0;
  const keys = await openEnvelopeKeys(async () => {
    reads += 1;
    return [{ kid: 1, secret: Buffer.alloc(32), settled: true, site: 'testsite' }];
  });
  onTestFinished(() => keys.stop());
  const from = performance.now();
  for (let times = 0; times < 1000; times++) await keys.refresh();
  expect(reads).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - from) / 1000));
});
