import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { type OpenBackup, openBackup } from '@inventory/db/backup/backup-file';
import { type Restored, restoreBackup } from '@inventory/db/backup/restore';
import type { Sql } from '@inventory/postgres/pool';
import { CommandError } from '../cli/command-error.ts';
import { print } from '../cli/print.ts';
import { createProgress, stepText } from '../cli/progress.ts';

/**
 * Restores a backup file into an empty database, as its owner. Fails with one line that gives the reason;
 * then nothing was changed.
 */
export async function restoreFile(
  sql: Sql,
  path: string,
  options: { exactNumbers: boolean; signal: AbortSignal },
): Promise<void> {
  await readBackup(path, async (backup, show) => {
    print(`a backup of ${backup.header.takenAt}, schema ${backup.header.schema}`);
    const { rows, identity } = await restoreBackup(sql, backup, { ...options, report: show });
    return `restored ${rowsOf(rows)}; the database is now ${identity}`;
  });
}

/** Reads a backup to its end, whatever is wrong with it, and prints its contents. */
export async function checkFile(path: string): Promise<void> {
  await readBackup(path, async (backup, show) => {
    const { header } = backup;
    for await (const _block of backup.blocks) show('rows', null);
    return `a complete backup of ${header.takenAt}, schema ${header.schema}: ${rowsOf(backup.end().rows)}`;
  });
}

/** Opens a backup file, and prints what `work` returns, when its progress is cleared. */
async function readBackup(
  path: string,
  work: (backup: OpenBackup, show: (step: string, done: number | null) => void) => Promise<string>,
): Promise<void> {
  const file = openFile(path);
  const progress = createProgress();
  try {
    const message = await work(await openBackup(file.stream), (step, done) =>
      progress.show(stepText(step, step.startsWith('rows') ? file.done() : done)),
    );
    progress.end();
    print(message);
  } catch (error) {
    throw explain(error, path);
  } finally {
    progress.end();
    // An open standard input would keep the process alive.
    file.stream.destroy();
  }
}

type BackupSource = {
  stream: Readable;
  /** The part that was read, 0 to 1; null if the length is unknown. */
  done(): number | null;
};

function openFile(path: string): BackupSource {
  if (path === '-') return { stream: process.stdin, done: () => null };
  const size = sizeOf(path);
  const stream = createReadStream(path);
  return { stream, done: () => (size === 0 ? 1 : Math.min(1, stream.bytesRead / size)) };
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    throw new CommandError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, 2);
  }
}

function rowsOf({ lot = 0, stock_transaction: transactions = 0 }: Restored['rows']): string {
  return `${lot} lots and ${transactions} transactions`;
}

function explain(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  const isOfFile = syscall === 'open' || (syscall === 'read' && code !== 'ECONNRESET');
  return isOfFile ? new CommandError(`${path} cannot be read (${code})`, 2) : error;
}
