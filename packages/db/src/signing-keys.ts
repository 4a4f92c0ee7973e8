import type { SigningKey } from '@inventory/auth/token';
import type { Sql } from './client.ts';

/** Signing keys, newest first. */
export async function readSigningKeys(sql: Sql): Promise<SigningKey[]> {
  const rows = await sql<{ kid: string; private_jwk: SigningKey['privateJwk']; created: Date }[]>`
    select kid, private_jwk, created
    from signing_key
    order by created desc, kid`;
  return rows.map((row) => ({ kid: row.kid, privateJwk: row.private_jwk, created: row.created }));
}

/** Stores a key; with `onlyFirst`, only when there is none yet (two processes that start at once agree on one). */
export async function addSigningKey(
  sql: Sql,
  key: Omit<SigningKey, 'created'>,
  { onlyFirst }: { onlyFirst: boolean },
): Promise<void> {
  await sql.begin(async (tx) => {
    // Without the lock two first starts would both see an empty table.
    await tx`lock table signing_key in share row exclusive mode`;
    await tx`
      insert into signing_key (kid, private_jwk)
      select ${key.kid}, ${JSON.stringify(key.privateJwk)}::text::json
      where not ${onlyFirst} or not exists (select from signing_key)`;
  });
}
