import { randomUUID } from 'node:crypto';
import { removeOutdated } from '@inventory/db/operator/maintain';
import { expect, test } from 'vitest';
import { addressFor } from '../harness/as-part.ts';
import { age, isOf, refuse, requestOf, thereIs } from '../harness/queue/old-keys.ts';
import { connectAs } from '../harness/servers/database.ts';
import { runHere } from '../harness/service/command-line.ts';
import { useService } from '../harness/service/service.ts';

const service = useService();

const maintain = (...more: string[]) =>
  runHere(['maintain', ...more], { DATABASE_URL: addressFor('operator', service.databaseUrl) });

const operator = () => connectAs('operator', service.databaseUrl);

test('maintain removes keys after 8 days and refused transactions after 9, and keeps applied ones and their answers', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const kept: Record<string, { key: boolean; request: boolean }> = {};
  const requests = new Map<string, string>();
  for (const days of [0, 6, 7.5, 8.5, 10]) {
    const key = `refused-${days}-${randomUUID()}`;
    await refuse(client, itemID, key);
    requests.set(key, await requestOf(service.sql, key));
    await age(service.sql, key, Math.floor(days));
    if (days % 1 !== 0)
      await service.sql`update idempotency_key set asked_at = asked_at - interval '12 hours' where key_digest = ${isOf(key)}`;
  }
  const applied = `applied-${randomUUID()}`;
  const receipt = { itemID, units: 1, wid: 1, reasonCode: 1 };
  await client.post('/Inventory/Receive', receipt, { 'Idempotency-Key': applied });
  requests.set(applied, await requestOf(service.sql, applied));
  await age(service.sql, applied, 30);

  const { code, stdout } = await maintain();
  expect(code).toBe(0);
  expect(stdout.trim().split('\n').at(-1)).toBe('removed 3 keys and 1 refused and abandoned transactions');
  for (const [key, request] of requests) kept[key.slice(0, -37)] = await thereIs(service.sql, key, request);
  expect(kept).toEqual({
    'refused-0': { key: true, request: true },
    'refused-6': { key: true, request: true },
    'refused-7.5': { key: true, request: true },
    'refused-8.5': { key: false, request: true },
    'refused-10': { key: false, request: false },
    applied: { key: false, request: true },
  });
});

test('a key of 6 days and a transaction refused 7 days ago stay, whatever is asked for', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const [young, old] = [`young-${randomUUID()}`, `old-${randomUUID()}`];
  for (const key of [young, old]) await refuse(client, itemID, key);
  const [ofYoung, ofOld] = [await requestOf(service.sql, young), await requestOf(service.sql, old)];
  await age(service.sql, young, 6);
  await age(service.sql, old, 7);
  expect(await maintain('--days', '6')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('from 7 to 9999'),
  });
  const sql = operator();
  await sql`select remove_old_keys(now(), 0, 1000000)`;
  await sql`select remove_undone_transactions(now(), 1000000)`;
  expect(await thereIs(service.sql, young, ofYoung)).toEqual({ key: true, request: true });
  expect(await thereIs(service.sql, old, ofOld)).toEqual({ key: false, request: true });
  // Nor may the owner remove them by mistake.
  for (const requestId of [ofOld, ofYoung])
    await expect(service.sql`delete from stock_transaction where request_id = ${requestId}`).rejects.toThrow(
      'append-only',
    );
});

test('refused transactions stay while any key is in use, and the removal waits for nobody', async () => {
  const client = await service.client();
  const itemID = await service.item();
  const key = `held-${randomUUID()}`;
  await refuse(client, itemID, key);
  const request = await requestOf(service.sql, key);
  await age(service.sql, key, 20);
  const sql = operator();
  await service.sql.begin(async (tx) => {
    await tx`select from idempotency_key where key_digest = ${isOf(key)} for update`;
    expect(await removeOutdated(sql, 8, () => {})).toMatchObject({ transactions: 0, waits: true });
  });
  expect(await thereIs(service.sql, key, request)).toEqual({ key: true, request: true });
  expect(await removeOutdated(sql, 8, () => {})).toMatchObject({ waits: false });
  expect(await thereIs(service.sql, key, request)).toEqual({ key: false, request: false });
});

test('many keys are removed in small pieces', async () => {
  await service.sql`
    insert into idempotency_key (client_id, key_digest, asked_at, refused_at)
    select 'many', sha256(n::text::bytea), now() - interval '20 days', now() - interval '20 days'
    from generate_series(1, 30000) as n`;
  const steps: number[] = [];
  const { keys } = await removeOutdated(operator(), 8, (step, done) => {
    if (step === 'keys') steps.push(done!);
  });
  expect(keys).toBe(30_000);
  expect(steps.length).toBeGreaterThan(2);
  expect(steps.at(-1)).toBe(1);
});
