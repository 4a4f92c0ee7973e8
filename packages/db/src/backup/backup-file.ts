import { createHash, type Hash } from 'node:crypto';
import { pipeline, type Readable, type Writable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { PlainError } from '@inventory/process/plain-error';
import { type BackupTable, quoteName } from './backup-tables.ts';

// A backup is gzip with one member for each block, so that several cores can compress at once. Unpacked it is
// text: a header line, blocks of rows in the format of COPY, and a last line with the expected contents.
//
//   -- inventory backup {"version":1,"schema":16,…}
//   COPY "lot" ("rec_no","part_no",…) FROM stdin;
//   1     1       …
//   \.
//   …
//   -- end {"rows":{"lot":1,…},"sequences":{…},"sha256":"…"}

/** The header of a backup, before its rows. */
export type BackupHeader = {
  version: number;
  /** The version of the database's tables. */
  schema: number;
  /**
   * Everything that was acknowledged before this moment, by the clock of Postgres, is in the backup. ISO
   * 8601.
   */
  takenAt: string;
  /** The identity of the database. */
  database: string;
  /** The version of Postgres. */
  postgres: string;
};

/** The end of a backup, after its rows. */
export type BackupEnd = {
  /** The number of rows of each table. */
  rows: Record<string, number>;
  /** The last number that each sequence had given out when the rows were copied, as decimal text. */
  sequences: Record<string, string>;
  /** When those numbers were read, by the clock of Postgres. ISO 8601. */
  numbersAt: string;
};

/** Rows of one table, as text for COPY. */
export type BackupBlock = { table: string; columns: string[]; rows: Buffer };

/** The file is not a backup, or not a complete one. The message is one line for the operator. */
export class DamagedBackupError extends PlainError {}

const formatVersion = 1;
const beginning = '-- inventory backup ';
const ending = '-- end ';
const terminator = '\n\\.\n';
const gzipped = promisify(gzip);
// Level 1 reaches most of the compression in a third of the time of the default level.
const level = 1;
// The most blocks in memory that wait to be compressed or written.
const blocksMax = 8;
/** The approximate size of a block of rows in bytes. */
export const blockBytes = 1024 * 1024;
// Our blocks are far smaller.
const blockBytesMax = 64 * 1024 * 1024;

export type BackupWriter = {
  /**
   * Adds a block. Resolves when there is room for the next one. Rejects if an earlier one could not be
   * written.
   */
  add(table: BackupTable, rows: readonly Buffer[]): Promise<void>;
  /**
   * Writes the last line. Resolves when everything has been handed to `output`, which stays open. Returns the
   * file's size.
   */
  end(end: BackupEnd): Promise<number>;
};

/** Writes a backup to `output`. Its memory use does not grow with the backup. */
export function createBackupWriter(output: Writable, header: Omit<BackupHeader, 'version'>): BackupWriter {
  const hash = createHash('sha256');
  let waiting = 0;
  let bytes = 0;
  let failure: unknown = null;
  let written: Promise<void> = Promise.resolve();
  const roomFor: (() => void)[] = [];
  output.on('error', (error) => {
    failure ??= error;
  });

  function write(text: Buffer): void {
    hash.update(text);
    waiting += 1;
    const packing = gzipped(text, { level });
    written = Promise.all([packing, written])
      .then(([packed]) => {
        bytes += packed.length;
        if (failure !== null) throw failure;
        return new Promise<void>((resolve, reject) => {
          output.write(packed, (error) => (error == null ? resolve() : reject(error)));
        });
      })
      .catch((error) => {
        failure ??= error;
      })
      .finally(() => {
        waiting -= 1;
        for (const tell of roomFor.splice(0)) tell();
      });
  }

  write(Buffer.from(`${beginning}${JSON.stringify({ version: formatVersion, ...header })}\n`));
  return {
    async add({ name, columns }, rows) {
      const head = `COPY ${quoteName(name)} (${columns.map(quoteName).join(',')}) FROM stdin;\n`;
      write(Buffer.concat([Buffer.from(head), ...rows, Buffer.from(terminator.slice(1))]));
      while (waiting >= blocksMax && failure === null)
        await new Promise<void>((resolve) => roomFor.push(resolve));
      if (failure !== null) throw failure;
    },
    async end(end) {
      const sha256 = hash.copy().digest('hex');
      write(Buffer.from(`${ending}${JSON.stringify({ ...end, sha256 })}\n`));
      await written;
      if (failure !== null) throw failure;
      return bytes;
    },
  };
}

export type OpenBackup = {
  header: BackupHeader;
  /**
   * The blocks in the order of the file. Must be read once, to the end; then `end` is available. Fails with
   * DamagedBackupError.
   */
  blocks: AsyncIterable<BackupBlock>;
  /** The last line, once everything before it was read and verified. */
  end(): BackupEnd;
};

/** Opens a backup for reading. Fails with DamagedBackupError if it is not a backup or has a later format. */
export async function openBackup(packed: Readable): Promise<OpenBackup> {
  const reader = createReader(unpack(packed));
  const hash = createHash('sha256');
  const first = await reader.line().then(String, (error) => {
    throw error instanceof DamagedBackupError
      ? new DamagedBackupError('this is not a backup of the service')
      : error;
  });
  if (!first.startsWith(beginning)) throw new DamagedBackupError('this is not a backup of the service');
  hash.update(first);
  const header = parse<BackupHeader>(first.slice(beginning.length));
  if (header.version !== formatVersion)
    throw new DamagedBackupError(
      `this backup has the format ${header.version}, and this version of the service reads ${formatVersion}`,
    );
  let end: BackupEnd | null = null;

  async function* blocks(): AsyncGenerator<BackupBlock> {
    for (;;) {
      const line = (await reader.line()).toString();
      if (line.startsWith(ending)) {
        end = checkEnd(line, hash);
        await reader.finish();
        return;
      }
      const [, table, columns] = /^COPY "([^"]+)" \(((?:"[^"]+",?)+)\) FROM stdin;\n$/.exec(line) ?? [];
      if (table === undefined) throw damaged();
      const rows = await reader.rows();
      hash.update(line).update(rows);
      yield {
        table,
        columns: columns!.split(',').map((name) => name.slice(1, -1)),
        rows: rows.subarray(0, rows.length - terminator.length + 1),
      };
    }
  }

  return {
    header,
    blocks: blocks(),
    end() {
      if (end === null) throw damaged();
      return end;
    },
  };
}

function checkEnd(line: string, hash: Hash): BackupEnd {
  const { sha256, ...end } = parse<BackupEnd & { sha256: string }>(line.slice(ending.length));
  if (hash.digest('hex') !== sha256) throw damaged();
  return end;
}

function parse<T>(json: string): T {
  try {
    return JSON.parse(json) as T;
  } catch {
    throw damaged();
  }
}

function damaged(): DamagedBackupError {
  return new DamagedBackupError('the backup is damaged or incomplete');
}

/** The unpacked text, in pieces. An error of gzip means damage. */
async function* unpack(packed: Readable): AsyncGenerator<Buffer> {
  try {
    // Errors of both streams surface in the last one.
    yield* pipeline(packed, createGunzip({ chunkSize: blockBytes }), () => {});
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('Z_')) throw damaged();
    throw error;
  }
}

type TextReader = {
  /** The next line, including its end. */
  line(): Promise<Buffer>;
  /** Everything up to and including the line that ends the rows. */
  rows(): Promise<Buffer>;
  /** Fails if there is more. */
  finish(): Promise<void>;
};

function createReader(pieces: AsyncGenerator<Buffer>): TextReader {
  let text: Buffer = Buffer.alloc(0);

  /** Returns false at the end. */
  async function readPiece(): Promise<boolean> {
    const { value, done } = await pieces.next();
    if (done === true) return false;
    text = text.length === 0 ? value : Buffer.concat([text, value]);
    return true;
  }

  function take(length: number): Buffer {
    const taken = text.subarray(0, length);
    text = text.subarray(length);
    return taken;
  }

  /** Reads up to and including the first `mark`. */
  async function readTo(mark: string): Promise<Buffer> {
    for (let from = 0; ; ) {
      const at = text.indexOf(mark, from);
      if (at !== -1) return take(at + mark.length);
      from = Math.max(0, text.length - mark.length + 1);
      if (text.length > blockBytesMax || !(await readPiece())) throw damaged();
    }
  }

  return {
    line: () => readTo('\n'),
    // No row can look like that line, because COPY doubles backslashes.
    rows: () => readTo(terminator),
    async finish() {
      if (text.length > 0 || (await readPiece())) throw damaged();
    },
  };
}
