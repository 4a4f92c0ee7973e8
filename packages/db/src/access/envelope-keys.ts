import type { Sql } from '@inventory/postgres/pool';

/**
 * The keys that verify envelopes and answers, newest first. A key whose successor has signed for minutes no
 * longer verifies. `settled`: old enough that every process has read it. `site`: the name of this database,
 * which no copy of it has.
 */
export async function readEnvelopeKeys(sql: Sql) {
  return sql<{ kid: number; secret: Buffer; settled: boolean; site: string }[]>`
    select kid, secret, created < clock_timestamp() - interval '60 seconds' as settled, site_name() as site
    from envelope_key
    where not exists (
      select
      from envelope_key as newer
      where newer.kid > envelope_key.kid and newer.created < clock_timestamp() - interval '10 minutes'
    )
    order by kid desc`;
}

/** Adds a key that Postgres draws, so that the caller never sees it. Returns its number. */
export async function addEnvelopeKey(sql: Sql): Promise<number> {
  const [row] = await sql<{ kid: number }[]>`
    insert into envelope_key (created)
    values (default)
    returning kid`;
  return row!.kid;
}
