import { readdirSync, readFileSync } from 'node:fs';
import type { Sql } from '@inventory/postgres/pool';
import { Redis } from 'ioredis';

const mb = 1024 * 1024;

/**
 * Memory of Postgres and all its backends, in MB. `own`: private memory only. `whole`: with the shared
 * buffers and the program, each page counted once (the proportional set size is a process's share of shared
 * pages).
 */
export function postgresMemory(serverPid: number): { own: number; whole: number } {
  const pids = [serverPid];
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? tryRead(`/proc/${name}/stat`) : null;
    // The program's name is in parentheses and may contain anything.
    const parent = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
    if (parent === String(serverPid)) pids.push(Number(name));
  }
  const sum = (what: string) =>
    pids.reduce((total, pid) => {
      const line = new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(tryRead(`/proc/${pid}/smaps_rollup`) ?? '');
      return total + Number(line?.[1] ?? 0) / 1024;
    }, 0);
  return { own: sum('Pss_Anon'), whole: sum('Pss') };
}

/** Null if the process is gone or belongs to another user. */
function tryRead(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** The memory that Redis reports, in MB, and the number of entries in all its streams. */
export async function redisMemory(redisUrl: string): Promise<{ usedMb: number; streamEntries: number }> {
  const redis = new Redis(redisUrl);
  try {
    const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
    let streamEntries = 0;
    let cursor = '0';
    do {
      const [next, keys] = await redis.scan(cursor, 'COUNT', 1000, 'TYPE', 'stream');
      for (const key of keys) streamEntries += await redis.xlen(key);
      cursor = next;
    } while (cursor !== '0');
    return { usedMb: used / mb, streamEntries };
  } finally {
    redis.disconnect();
  }
}

// These grow with the business, for ever and by design.
const ledgerTables = ['stock_transaction', 'stock_entry', 'lot', 'idempotency_key'];

/**
 * Disk use of a database, MB: the ledger with its indexes, each other table with its own, and the write-ahead
 * log of the server.
 */
export async function databaseDisk(
  sql: Sql,
): Promise<{ ledgerMb: number; others: Map<string, number>; walMb: number }> {
  const rows = await sql<{ name: string; bytes: number }[]>`
    select relname as name, pg_total_relation_size(oid) as bytes
    from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`;
  const [wal] = await sql<{ bytes: number }[]>`select sum(size)::bigint as bytes from pg_ls_waldir()`;
  const ledger = rows.filter(({ name }) => ledgerTables.includes(name));
  return {
    ledgerMb: ledger.reduce((sum, { bytes }) => sum + bytes, 0) / mb,
    others: new Map(
      rows.filter(({ name }) => !ledgerTables.includes(name)).map(({ name, bytes }) => [name, bytes / mb]),
    ),
    walMb: Number(wal!.bytes) / mb,
  };
}
