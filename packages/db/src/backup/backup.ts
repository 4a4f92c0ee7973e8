import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { endWithClient } from '@inventory/postgres/end-with-client';
import { openConnection, type SingleConnection, type Sql } from '@inventory/postgres/pool';
import { PlainError } from '@inventory/process/plain-error';
import { migrationLockKey } from '../migrate/migrate.ts';
import { type BackupHeader, type BackupWriter, blockBytes, createBackupWriter } from './backup-file.ts';
import { type BackupTable, listBackupSequences, listBackupTables, quoteName } from './backup-tables.ts';

/** A backup cannot be made now. The message is one line for the operator. */
class BackupRefusedError extends PlainError {}

export type BackupOptions = {
  /** The number of connections that copy at the same time. */
  connections: number;
  /** Gets the progress (0 to 1) and the bytes of rows read so far, after each piece. */
  report: (done: number, bytes: number) => void;
  /** Aborts the work, which then fails with the signal's reason. */
  signal: AbortSignal;
};

export type MadeBackup = {
  header: Omit<BackupHeader, 'version'>;
  rows: Record<string, number>;
  fileBytes: number;
  /** How long the snapshot was held. */
  snapshotMs: number;
};

// Pages of 8 KB. Pieces are small enough to show progress and to keep the connections equally busy.
const piecePages = 256;
const lockWaitMs = 10_000;

type Piece = { table: BackupTable; from: number; to: number | null };

/**
 * Writes the contents of the database at one moment to `output`, while the service keeps running;
 * backup-tables.ts lists what is left out. Everything that was acknowledged before the call is included. The
 * operator's rights are enough, also on a standby. All connections share one snapshot. Until it ends,
 * Postgres keeps every version of every row, so meanwhile nothing is done except copying. `output` stays
 * open.
 */
export async function writeBackup(sql: Sql, output: Writable, options: BackupOptions): Promise<MadeBackup> {
  const opened: SingleConnection[] = [];
  const end = () => Promise.all(opened.map((each) => each.end({ timeout: 0 })));
  options.signal.addEventListener('abort', end, { once: true });
  try {
    options.signal.throwIfAborted();
    for (let index = 0; index < options.connections; index++) opened.push(await openConnection(sql));
    return await copyAll(opened, output, options);
  } catch (error) {
    throw options.signal.aborted ? options.signal.reason : error;
  } finally {
    options.signal.removeEventListener('abort', end);
    // Each has a transaction that only read.
    await end();
  }
}

async function copyAll(
  connections: readonly SingleConnection[],
  output: Writable,
  { report }: BackupOptions,
): Promise<MadeBackup> {
  const lead = connections[0]!.tx;
  for (const { tx } of connections) await setUp(tx);
  // A migration changes tables. It would wait for this transaction, and everything else for the migration.
  const [free] = await lead<{ free: boolean }[]>`
    select pg_try_advisory_lock_shared(${migrationLockKey}::bigint) as free`;
  if (!free!.free) throw new BackupRefusedError('a migration is under way: try again when it is done');
  const tables = await listBackupTables(lead);
  const sequences = await listBackupSequences(lead);
  const [facts] = await lead<{ schema: number; database: string; postgres: string; taken_at: Date }[]>`
    select (select max(version) from schema_version)::integer as schema, (select id from database_identity) as database,
      current_setting('server_version') as postgres, clock_timestamp() as taken_at`;
  const { schema, database, postgres, taken_at: takenAt } = facts!;
  const header = { schema, takenAt: takenAt.toISOString(), database, postgres };
  const locked = tables.map(({ name }) => quoteName(name)).join(', ');
  // Before the snapshot: a table that was emptied by TRUNCATE after it would look empty.
  const begin = `begin isolation level repeatable read read only; lock table ${locked} in access share mode`;
  for (const { tx } of connections) await tx.unsafe(begin);

  const startedAt = performance.now();
  const [exported] = await lead<{ snapshot: string }[]>`select pg_export_snapshot() as snapshot`;
  for (const { tx } of connections.slice(1))
    await tx.unsafe(`set transaction snapshot '${exported!.snapshot}'`);
  const pieces = await cutPieces(lead, tables);
  const pagesAll = pieces.reduce((sum, { from, to }) => sum + (to ?? from + 1) - from, 0);
  const writer = createBackupWriter(output, header);
  const rows: Record<string, number> = Object.fromEntries(tables.map(({ name }) => [name, 0]));
  let pagesDone = 0;
  let bytes = 0;
  const waiting = [...pieces];
  const work = async ({ tx }: SingleConnection) => {
    for (let piece = waiting.shift(); piece !== undefined; piece = waiting.shift()) {
      const copied = await copyPiece(await tx.unsafe(copyStatement(piece)).readable(), piece.table, writer);
      rows[piece.table.name]! += copied.rows;
      bytes += copied.bytes;
      pagesDone += (piece.to ?? piece.from + 1) - piece.from;
      report(pagesDone / pagesAll, bytes);
    }
  };
  await Promise.all(
    connections.map((connection) =>
      work(connection).catch((error) => {
        // The other connections need not begin another piece.
        waiting.length = 0;
        throw error;
      }),
    ),
  );
  for (const { tx } of connections) await tx.unsafe('commit');
  const snapshotMs = performance.now() - startedAt;

  // After the rows: higher than every number in them and than all numbers given out meanwhile.
  const [numbers] = await lead.unsafe<{ last: Record<string, string>; at: Date }[]>(
    `select json_build_object(${sequences
      .map(({ name }) => `'${name}', (select last_value from ${quoteName(name)})::text`)
      .join(', ')}) as last, clock_timestamp() as at`,
  );
  const numbersAt = numbers!.at.toISOString();
  const fileBytes = await writer.end({ rows, sequences: numbers!.last, numbersAt });
  return { header, rows, fileBytes, snapshotMs };
}

/**
 * Removes limits that were set for everyday work: they would interrupt a long copy, and the connections that
 * wait for it.
 */
async function setUp(tx: SingleConnection['tx']): Promise<void> {
  await tx`
    select set_config(name, '0', false)
    from pg_settings
    where name in ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`;
  await tx.unsafe(`set lock_timeout = ${lockWaitMs}`);
  await endWithClient(tx);
}

async function cutPieces(lead: SingleConnection['tx'], tables: readonly BackupTable[]): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for (const table of tables) {
    const [size] = await lead<{ pages: number }[]>`
      select pg_relation_size(${quoteName(table.name)}::regclass) / current_setting('block_size')::integer as pages`;
    const { pages } = size!;
    // The last piece has no upper bound, so that the pieces cover the whole table.
    for (let from = 0; from === 0 || from < pages; from += piecePages)
      pieces.push({ table, from, to: from + piecePages < pages ? from + piecePages : null });
  }
  return pieces;
}

function copyStatement({ table: { name, columns }, from, to }: Piece): string {
  const until = to === null ? '' : ` and ctid < '(${to},0)'`;
  const where = from === 0 && to === null ? '' : ` where ctid >= '(${from},0)'${until}`;
  return `copy (select ${columns.map(quoteName).join(', ')} from ${quoteName(name)}${where}) to stdout`;
}

/**
 * Passes the rows on in blocks. Postgres sends them one at a time, and an iterator would cost more than
 * everything else here.
 */
async function copyPiece(
  stream: Readable,
  table: BackupTable,
  writer: BackupWriter,
): Promise<{ rows: number; bytes: number }> {
  let block: Buffer[] = [];
  let blockLength = 0;
  let rows = 0;
  let bytes = 0;
  const hand = () => {
    const full = block;
    bytes += blockLength;
    block = [];
    blockLength = 0;
    return writer.add(table, full);
  };
  stream.on('data', (row: Buffer) => {
    rows += 1;
    block.push(row);
    blockLength += row.length;
    if (blockLength < blockBytes) return;
    stream.pause();
    hand().then(
      () => stream.resume(),
      (error) => stream.destroy(error),
    );
  });
  await finished(stream, { writable: false });
  if (block.length > 0) await hand();
  return { rows, bytes };
}
