import type { Sql } from './client.ts';

/** A key that signs what travels through Redis. `settled`: old enough that every process has read it. */
export type EnvelopeKey = { kid: number; secret: Buffer; settled: boolean };

/**
 * The keys that verify, the newest first: one whose successor has signed for minutes verifies nothing any
 * more.
 */
export async function readEnvelopeKeys(sql: Sql): Promise<EnvelopeKey[]> {
  const rows = await sql<{ kid: number; secret: Buffer; settled: boolean }[]>`
    select kid, secret, created < clock_timestamp() - interval '60 seconds' as settled
    from envelope_key
    where not exists (
      select
      from envelope_key as newer
      where newer.kid > envelope_key.kid and newer.created < clock_timestamp() - interval '10 minutes'
    )
    order by kid desc`;
  return [...rows];
}

/** Adds a key, which Postgres draws; nobody sees it here. Returns its number. */
export async function addEnvelopeKey(sql: Sql): Promise<number> {
  const [row] = await sql<{ kid: number }[]>`
    insert into envelope_key (created)
    values (default)
    returning kid`;
  return row!.kid;
}
