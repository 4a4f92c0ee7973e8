import { existsSync, lstatSync } from 'node:fs';
import { type FileHandle, link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { CommandError } from './command-error.ts';

// The file contains data of the database.
const ours = 0o600;
const oursFolder = 0o700;
// Some file systems, such as FAT and some network shares, have no hard links.
const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV'];

/**
 * The file to write. `what`: its name in errors. `replaces`: it may replace a file of that name. `isText`: it
 * may be shown on a terminal. `makesFolder`: a missing folder is made for it.
 */
export type Target = { what: string; replaces: boolean; isText: boolean; makesFolder?: boolean };

/**
 * Lets `work` write a file that only our user may read. It gets its name once all of it is on the disk, so a
 * file with that name is complete. `-` is standard output.
 * Throws CommandError if the name is taken or the file cannot be written, and then leaves no file behind.
 */
export async function writeTarget<T>(
  path: string,
  { what, replaces, isText, makesFolder = false }: Target,
  work: (output: Writable) => Promise<T>,
): Promise<T> {
  if (path === '-') {
    if (process.stdout.isTTY && !isText)
      throw new CommandError(`a ${what} cannot be shown on a terminal: name a file`, 2);
    return explained('standard output', what, () => work(process.stdout));
  }
  refuseOther(path, what, replaces);
  return explained(path, what, async () => {
    // If that fails, the file cannot be opened, and that error says why.
    if (makesFolder) await mkdir(dirname(path), { recursive: true, mode: oursFolder }).catch(() => {});
    const part = `${path}.part-${process.pid}`;
    // An earlier process may have had the same number.
    await rm(part, { force: true }).catch(() => {});
    const file = await open(part, 'wx', ours);
    try {
      const result = await writeWhole(file, work);
      await nameFile(part, path, what, replaces);
      await syncFolder(dirname(path));
      return result;
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  });
}

function refuseOther(path: string, what: string, replaces: boolean): void {
  // A path that cannot be checked cannot be written either, and that error says why.
  if (!existsSync(path)) return;
  if (!replaces) throw nameTaken(path, what);
  // Otherwise a device, or a link such as /dev/stdout, would be replaced by a file.
  if (!lstatSync(path).isFile()) throw new CommandError(`${path} is not a file`, 2);
}

function nameTaken(path: string, what: string): CommandError {
  return new CommandError(`${path} already exists: choose another name for the ${what}`);
}

/** Gives the written file its name. Unless it `replaces`, a file that got this name meanwhile stays. */
async function nameFile(part: string, path: string, what: string, replaces: boolean): Promise<void> {
  if (replaces) return rename(part, path);
  try {
    // Unlike `rename`, it refuses a name that is taken.
    await link(part, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw nameTaken(path, what);
    if (!noLinks.includes(code)) throw error;
    refuseOther(path, what, replaces);
    return rename(part, path);
  }
  // The file has its name, even if it keeps the other one as well.
  await rm(part, { force: true }).catch(() => {});
}

async function writeWhole<T>(file: FileHandle, work: (output: Writable) => Promise<T>): Promise<T> {
  const stream = file.createWriteStream({ autoClose: false });
  try {
    const result = await work(stream);
    await file.sync();
    return result;
  } finally {
    stream.destroy();
    await file.close();
  }
}

/** So that the name survives a power failure. Some systems do not support this. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

async function explained<T>(path: string, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    // Other system errors are the connection's.
    if (syscall === undefined || !['open', 'write', 'fsync', 'link', 'rename'].includes(syscall)) throw error;
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG')
      throw new CommandError(`${path}: no room (${code}): no ${what} was made`);
    throw new CommandError(`${path} cannot be written (${code}): no ${what} was made`);
  }
}
