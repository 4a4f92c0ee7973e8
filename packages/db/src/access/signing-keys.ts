import type { NewSigningKey, PrivateHalf, VerifyingKey } from '@inventory/auth/token';
import { leewaySeconds, tokenLifetimeSeconds } from '@inventory/auth/token';
import type { Sql, Tx } from '@inventory/postgres/pool';

/** A new key signs only after every process has read it. */
export const keySettleSeconds = 60;

// Any number that nothing else on this database uses.
const lockKey = 7_316_002;

/** The keys that verify now or later; the one that signs last comes first. Private keys are not read. */
export async function readVerifyingKeys(sql: Sql): Promise<VerifyingKey[]> {
  const rows = await sql<
    { kid: string; public_jwk: VerifyingKey['publicJwk']; signs_from: Date; retired: Date | null }[]
  >`
    select kid, public_jwk, signs_from, retired
    from verifying_key
    where withdrawn is null
      and (retired is null or retired > now() - ${tokenLifetimeSeconds + leewaySeconds}::integer * interval '1 second')
    order by signs_from desc, kid`;
  return rows.map(({ kid, public_jwk: publicJwk, signs_from: signsFrom, retired }) => ({
    kid,
    publicJwk,
    signsFrom,
    retired,
  }));
}

/** The private keys of keys that sign now or later. Only for processes that sign. */
export async function readPrivateHalves(sql: Sql): Promise<PrivateHalf[]> {
  const rows = await sql<{ kid: string; private_jwk: PrivateHalf['privateJwk'] }[]>`
    select kid, private_jwk
    from signing_key`;
  return rows.map((row) => ({ kid: row.kid, privateJwk: row.private_jwk }));
}

/**
 * Stores a key that signs at once, unless there is a key already: two processes that start at the same time
 * agree on one.
 */
export async function addFirstSigningKey(sql: Sql, key: NewSigningKey): Promise<void> {
  await changeKeys(sql, async (tx) => {
    const [live] = await tx`select from verifying_key where withdrawn is null and retired is null`;
    if (live === undefined) await insertKey(tx, key, 0);
  });
}

/** Stores a key that signs in a minute. The keys before it are retired then. */
export async function rotateSigningKey(sql: Sql, key: NewSigningKey): Promise<void> {
  await changeKeys(sql, async (tx) => {
    await insertKey(tx, key, keySettleSeconds);
    await chainKeys(tx);
  });
}

/** `withdrawn`: another key signs. `succeeded`: the new key signs at once. Otherwise nothing changed. */
export type Withdrawal = 'withdrawn' | 'succeeded' | 'unknown' | 'already';

/**
 * Withdraws a key. Its tokens are refused as soon as a process reads of it. The waiting successor signs at
 * once; if there is none, `spare` does.
 */
export async function withdrawSigningKey(sql: Sql, kid: string, spare: NewSigningKey): Promise<Withdrawal> {
  return changeKeys(sql, async (tx): Promise<Withdrawal> => {
    const [found] = await tx<
      { withdrawn: Date | null }[]
    >`select withdrawn from verifying_key where kid = ${kid}`;
    if (found === undefined) return 'unknown';
    if (found.withdrawn !== null) return 'already';
    await tx`update verifying_key set withdrawn = clock_timestamp() where kid = ${kid}`;
    await tx`delete from signing_key where kid = ${kid}`;
    const [next] = await tx<{ kid: string; waits: boolean }[]>`
      select kid, signs_from > clock_timestamp() as waits
      from verifying_key
      where withdrawn is null and (retired is null or retired > clock_timestamp())
      order by signs_from, kid
      limit 1`;
    if (next === undefined) {
      await insertKey(tx, spare, 0);
      return 'succeeded';
    }
    // No other key signs, so it cannot wait until every process knows it.
    if (next.waits) await tx`update verifying_key set signs_from = clock_timestamp() where kid = ${next.kid}`;
    await chainKeys(tx);
    return 'withdrawn';
  });
}

/**
 * Deletes the private keys of retired keys. No process signs with them: each follows the clock of Postgres
 * and has just read the keys. By the time of retention, because a key that a wrong clock has retired signs
 * again when the clock is right.
 */
export async function deleteRetiredHalves(sql: Sql): Promise<void> {
  await changeKeys(
    sql,
    (tx) => tx`
      delete from signing_key
      where kid in (select kid from verifying_key where retired <= retention_now() or withdrawn is not null)`,
  );
}

export type KeyState = 'waits' | 'signs' | 'verifies' | 'ended' | 'withdrawn';

/** `until`: when its last token ends or ended; null while it has no successor. */
export type ListedKey = { kid: string; state: KeyState; created: Date; signsFrom: Date; until: Date | null };

/** All keys ever created, newest first. */
export async function listSigningKeys(sql: Sql): Promise<ListedKey[]> {
  const rows = await sql<
    { kid: string; state: KeyState; created: Date; signs_from: Date; until: Date | null }[]
  >`
    select kid, created, signs_from,
      coalesce(withdrawn, retired + ${tokenLifetimeSeconds + leewaySeconds}::integer * interval '1 second') as until,
      case
        when withdrawn is not null then 'withdrawn'
        when signs_from > now() then 'waits'
        when retired is null or retired > now() then 'signs'
        when retired > now() - ${tokenLifetimeSeconds + leewaySeconds}::integer * interval '1 second' then 'verifies'
        else 'ended'
      end as state
    from verifying_key
    order by signs_from desc, kid`;
  return rows.map(({ signs_from: signsFrom, ...row }) => ({ ...row, signsFrom }));
}

/**
 * Sets the period of each key that is not retired to end when the next one signs. The last one has no end.
 */
async function chainKeys(tx: Tx): Promise<void> {
  await tx`
    update verifying_key
    set retired = next.signs_from
    from (
      select kid, lead(signs_from) over (order by signs_from, kid) as signs_from
      from verifying_key
      where withdrawn is null and (retired is null or retired > clock_timestamp())
    ) as next
    where next.kid = verifying_key.kid`;
}

async function insertKey(tx: Tx, key: NewSigningKey, inSeconds: number): Promise<void> {
  await tx`
    insert into verifying_key (kid, public_jwk, signs_from)
    values (
      ${key.kid},
      ${JSON.stringify(key.publicJwk)}::text::json,
      clock_timestamp() + ${inSeconds}::integer * interval '1 second'
    )`;
  await tx`
    insert into signing_key (kid, private_jwk)
    values (${key.kid}, ${JSON.stringify(key.privateJwk)}::text::json)`;
}

/**
 * Changes keys one after the other. Two concurrent changes could each retire, or rely on, a key that the
 * other one withdraws.
 */
function changeKeys<T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> {
  return sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${lockKey}::bigint)`;
    return work(tx);
  }) as Promise<T>;
}
