import { apply, type Contents, type Entry, emptyContents, listsOf } from './contents.ts';
import { lockFile } from './file-lock.ts';
import { builtin } from './node.ts';
import { firstOf, type QueuedOperation, type QueueStorage } from './storage.ts';
import { storageFailed } from './storage-failed.ts';
import { openWhole, type WholeFile } from './whole-file.ts';

type Pending = { entry: Entry; resolve(): void; reject(error: unknown): void };

// A file longer than this with little in it is written anew.
const compactFromBytes = 256 * 1024;

/**
 * Keeps a queue in a file: each change is a line at its end, on the disk before the promise is kept. A
 * program that is killed at any moment leaves at most half a line, which counts as not written. One program
 * at a time; another one is refused.
 */
export function fileStorage(path: string): QueueStorage {
  const contents = emptyContents();
  let pending: Pending[] = [];
  let flushing: Promise<void> | null = null;
  let opening: Promise<Log> | null = null;

  const open = () => {
    opening ??= openLog(path, contents).catch((error) => {
      // The next call tries again: another program may have ended, or the folder be there by now.
      opening = null;
      throw error;
    });
    return opening;
  };

  /** Changes that come together are written together. */
  async function flush(): Promise<void> {
    const log = await open().catch((error) => {
      for (const { reject } of pending.splice(0)) reject(error);
      return null;
    });
    while (log !== null && pending.length > 0) {
      const some = pending;
      pending = [];
      try {
        await log.append(some.map(({ entry }) => entry));
        for (const { entry, resolve } of some) {
          apply(contents, entry);
          resolve();
        }
        await log.compact(contents);
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
  }

  function startFlush(): void {
    flushing ??= flush().finally(() => {
      flushing = null;
      // Something came when the last look was over.
      if (pending.length > 0) startFlush();
    });
  }

  function write(entry: Entry): Promise<void> {
    return new Promise((resolve, reject) => {
      pending.push({ entry, resolve, reject });
      startFlush();
    });
  }

  return {
    async load() {
      await open();
      return listsOf(contents);
    },
    async oldest(count) {
      await open();
      return firstOf(contents.waiting.values(), count);
    },
    async add(operation: QueuedOperation) {
      const log = await open();
      const seq = contents.lastSeq + 1;
      contents.lastSeq = seq;
      await write({ add: { seq, operation } });
      if (await log.isRemoved()) throw storageFailed(`${path} was removed`);
      return seq;
    },
    take: (seqs, refused) => write({ take: seqs, refused }),
    async close() {
      await flushing;
      const log = await opening?.catch(() => null);
      opening = null;
      await log?.close();
    },
  };
}

/** The entries that make the same contents. */
function entriesOf(contents: Contents): Entry[] {
  const { waiting, refused } = listsOf(contents);
  return [{ lastSeq: contents.lastSeq }, { take: [], refused }, ...waiting.map((add) => ({ add }))];
}

type Log = Pick<WholeFile, 'isRemoved'> & {
  /** Writes entries to the disk; all of them or, if this fails, none. */
  append(entries: readonly Entry[]): Promise<void>;
  /** Writes the file anew if most of it is past. If this fails, the file stays as it is. */
  compact(contents: Contents): Promise<void>;
  close(): Promise<void>;
};

const bytesOf = (entries: readonly Entry[]) =>
  new TextEncoder().encode(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));

/** Opens the file, reads it into `contents`, and cuts off what was not written whole. */
async function openLog(path: string, contents: Contents): Promise<Log> {
  const fs = builtin('node:fs/promises');
  // One file, by whatever name it is opened.
  await (await fs.open(path, 'a')).close();
  const place = await fs.realpath(path);
  if ((await fs.stat(place)).nlink > 1) throw new Error(`${place} has a second name (a hard link)`);
  const unlock = await lockFile(place);
  let file: WholeFile;
  try {
    const { entries, bytes } = readEntries(await fs.readFile(place), place);
    // Others may have changed it since an earlier opening.
    Object.assign(contents, emptyContents());
    for (const entry of entries) apply(contents, entry);
    file = await openWhole(place, bytes);
  } catch (error) {
    await unlock();
    throw error;
  }
  let compactAt = compactFromBytes;
  return {
    isRemoved: file.isRemoved,
    append: (entries) => file.append(bytesOf(entries)),
    async compact(contents) {
      if (file.length() < compactAt) return;
      const bytes = bytesOf(entriesOf(contents));
      const nextAt = Math.max(compactFromBytes, bytes.length * 4);
      const isWorthIt = file.length() >= nextAt;
      // One that fails is not tried again with each entry.
      const isDone = !isWorthIt || (await file.replace(bytes));
      compactAt = isDone ? nextAt : file.length() * 2;
    },
    close: () => file.close().finally(unlock),
  };
}

/** The whole entries of a file, and how many bytes they take. */
function readEntries(file: Uint8Array, place: string): { entries: Entry[]; bytes: number } {
  const entries: Entry[] = [];
  const decoder = new TextDecoder();
  let bytes = 0;
  for (let end = file.indexOf(10); end >= 0; end = file.indexOf(10, bytes)) {
    const line = decoder.decode(file.subarray(bytes, end));
    try {
      entries.push(JSON.parse(line));
    } catch (cause) {
      // The last line may have been lost with the power. Before it, nothing may be missing.
      if (end + 1 < file.length)
        throw new Error(`${place} is damaged at line ${entries.length + 1}`, { cause });
      break;
    }
    bytes = end + 1;
  }
  return { entries, bytes };
}
