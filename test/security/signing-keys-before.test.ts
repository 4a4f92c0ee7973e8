import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKeyRing, createSigningKey, signToken, verifyToken } from '@inventory/auth/token';
import type { Sql } from '@inventory/db/pool';
import { listSigningKeys, readPrivateHalves, readVerifyingKeys } from '@inventory/db/signing-keys';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, noTables, type TestDatabase } from '../harness/database.ts';

const migrations = join(import.meta.dirname, '../../packages/db/migrations');
let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await createDatabase(noTables);
  sql = database.sql;
});
afterAll(() => database?.drop());

const migrate = async (first: number, last: number) => {
  const files = readdirSync(migrations).sort();
  for (const file of files.filter(
    (each) => Number.parseInt(each, 10) >= first && Number.parseInt(each, 10) <= last,
  )) {
    await sql.unsafe(readFileSync(join(migrations, file), 'utf8'));
  }
};

test('the keys of a database from before keys ended sign and verify as they would have', async () => {
  await migrate(1, 12);
  const keys = await Promise.all(['2 days', '30 minutes', '10 seconds'].map(() => createSigningKey()));
  for (const [index, age] of ['2 days', '30 minutes', '10 seconds'].entries()) {
    const { kid, privateJwk } = keys[index]!;
    await sql`
      insert into signing_key (kid, private_jwk, created)
      values (${kid}, ${JSON.stringify(privateJwk)}::text::json, now() - ${age}::interval)`;
  }
  await migrate(13, 13);
  const kids = keys.map(({ kid }) => kid);
  const listed = await listSigningKeys(sql);
  expect(listed.map(({ kid, state }) => [kid, state])).toEqual([
    [kids[2], 'waits'],
    [kids[1], 'signs'],
    [kids[0], 'verifies'],
  ]);
  const ring = await createKeyRing(await readVerifyingKeys(sql), await readPrivateHalves(sql));
  const token = await signToken(ring, 'scanner', new Date());
  expect(await verifyToken(ring, token, new Date())).toMatchObject({ clientId: 'scanner', kid: kids[1] });
  // The statements of an api of the version before, while it still runs.
  const before = await sql`select kid, private_jwk, created from signing_key order by created desc, kid`;
  expect(before.map(({ kid }) => kid)).toEqual(kids.toReversed());
});
