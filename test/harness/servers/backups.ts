import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { listBackupTables, quoteName } from '@inventory/db/backup/backup-tables';
import type { Sql } from '@inventory/postgres/pool';
import { onTestFinished } from 'vitest';
import { createDatabase, noTables } from './database.ts';

/** A database without tables to restore a backup into. It is removed with the test. */
export async function createEmptyDatabase(): Promise<{ url: string; sql: Sql }> {
  const { url, sql, drop } = await createDatabase(noTables);
  onTestFinished(drop);
  return { url, sql };
}

/** The same with the tables of this version, which nobody has used. */
export async function createUnusedDatabase(): Promise<{ url: string; sql: Sql }> {
  const { url, sql, drop } = await createDatabase();
  onTestFinished(drop);
  return { url, sql };
}

/** The number of rows in each table of a backup, and a digest of them in any order. */
export async function describeRows(
  sql: Sql,
): Promise<Record<string, { rows: number; digest: string | null }>> {
  const described: Record<string, { rows: number; digest: string | null }> = {};
  for (const { name } of await listBackupTables(sql)) {
    const [row] = await sql.unsafe<{ rows: number; digest: string | null }[]>(
      `select count(*)::integer as rows, sum(hashtextextended(line::text, 0))::text as digest from ${quoteName(name)} as line`,
    );
    described[name] = { ...row! };
  }
  return described;
}

/** Everything the schema creates, as text: columns, keys, checks, indexes, functions, triggers, rights. */
export async function describeSchema(sql: Sql): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) as line
    from pg_constraint
    where connamespace = 'public'::regnamespace and contype <> 'n'
    union all
    select pg_get_indexdef(indexrelid) from pg_index where indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
    union all
    select tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text || ' ' || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all
    select pg_get_functiondef(oid) || coalesce(proacl::text, '') from pg_proc where pronamespace = 'public'::regnamespace
    union all
    select attrelid::regclass || ' ' || attnum || ' ' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull
      || ' ' || attcollation || ' ' || coalesce(pg_get_expr(adbin, adrelid), '') || coalesce(attacl::text, '')
    from pg_attribute
    join pg_class on pg_class.oid = attrelid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0
    union all
    select relname || ' ' || relkind::text || ' ' || coalesce(reloptions::text, '') || coalesce(relacl::text, '')
    from pg_class
    where relnamespace = 'public'::regnamespace
    order by 1`;
  return rows.map(({ line }) => line);
}

/** The text of a backup. */
export async function unpackBackup(path: string): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of createReadStream(path).pipe(createGunzip())) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** These bytes, a few at a time. */
export function streamOf(bytes: Buffer): Readable {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 1000) pieces.push(bytes.subarray(at, at + 1000));
  return Readable.from(pieces);
}
