import type { FileHandle } from 'node:fs/promises';
import { pause, pauseMs } from '../http/pauses.ts';
import { builtin } from './node.ts';
import { storageFailed } from './storage-failed.ts';

/** A file that grows by whole pieces. */
export type WholeFile = {
  length(): number;
  /** Whether somebody has removed it, so that nothing of it is left once this program ends. */
  isRemoved(): Promise<boolean>;
  /**
   * Adds bytes, on the disk once the promise is kept. If this fails, none of them is there, also after a
   * restart. Throws InventoryError, outcome `unknown`, if the disk does not take them back either.
   */
  append(bytes: Uint8Array): Promise<void>;
  /** Puts these bytes in place of all. Returns whether it did; otherwise the file is as it was. */
  replace(bytes: Uint8Array): Promise<boolean>;
  close(): Promise<void>;
};

// A disk that fails once may do better a moment later.
const cutTriesMax = 4;

/** Opens a file, and cuts off what is behind `length`. */
export async function openWhole(place: string, length: number): Promise<WholeFile> {
  const fs = builtin('node:fs/promises');
  let handle: FileHandle | null = null;
  let isTorn = true;

  const open = async () => {
    handle ??= await fs.open(place, 'a+');
    return handle;
  };
  const close = async () => {
    const last = handle;
    handle = null;
    await last?.close();
  };
  const cut = async () => {
    if (!isTorn) return;
    const file = await open();
    await file.truncate(length);
    await file.datasync();
    isTorn = false;
  };

  async function insistOnCut(cause: unknown): Promise<void> {
    for (let tries = 0; isTorn && tries < cutTriesMax; tries++) {
      if (tries > 0) await pause(pauseMs(tries));
      await cut().catch(() => {});
    }
    if (isTorn) throw storageFailed(`${place} could be neither written nor put back`, cause);
  }

  try {
    await cut();
    await syncFolder(place);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    length: () => length,
    isRemoved: async () => (await handle?.stat())?.nlink === 0,
    async append(bytes) {
      // The torn end of an earlier one is cut off first, or this one would follow it.
      await cut();
      isTorn = true;
      try {
        const file = await open();
        await file.appendFile(bytes);
        await file.datasync();
      } catch (error) {
        await insistOnCut(error);
        throw error;
      }
      length += bytes.length;
      isTorn = false;
    },
    async replace(bytes) {
      try {
        await writeFile(`${place}.new`, bytes);
        // Windows renames over no open file.
        await close();
        await fs.rename(`${place}.new`, place);
      } catch {
        await fs.rm(`${place}.new`, { force: true }).catch(() => {});
        return false;
      }
      length = bytes.length;
      // Held at once: a file that is removed later is known by that.
      await open().catch(() => {});
      await syncFolder(place);
      return true;
    },
    async close() {
      await cut().catch(() => {});
      await close();
    },
  };
}

async function writeFile(path: string, bytes: Uint8Array): Promise<void> {
  const file = await builtin('node:fs/promises').open(path, 'w');
  try {
    await file.appendFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Puts the name of a file on the disk, too, where folders can be synced. */
async function syncFolder(place: string): Promise<void> {
  const fs = builtin('node:fs/promises');
  const folder = await fs.open(builtin('node:path').dirname(place), 'r').catch(() => null);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
