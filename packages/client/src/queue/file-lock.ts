import { builtin } from './node.ts';

const held = new Set<string>();

/**
 * Takes a file for this process alone. Returns the function that gives it back. A lock of a process that was killed is
 * taken over.
 */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  const fs = builtin('node:fs/promises');
  if (held.has(path)) throw new Error(`${path} is open in this program already`);
  held.add(path);
  try {
    await fs.writeFile(path, await nameOf(process.pid), { flag: 'wx' }).catch(async (error) => {
      if (error.code !== 'EEXIST') throw error;
      const name = await fs.readFile(path, 'utf8');
      const pid = Number.parseInt(name, 10);
      // A number of a process is used again, so the time of its start counts, too.
      if (pid !== process.pid && isAlive(pid) && name === (await nameOf(pid)))
        throw new Error(`process ${pid} uses this queue; ${path} says so`);
      await fs.writeFile(path, await nameOf(process.pid));
    });
  } catch (error) {
    held.delete(path);
    throw error;
  }
  return async () => {
    held.delete(path);
    await fs.rm(path, { force: true });
  };
}

function isAlive(pid: number): boolean {
  try {
    return Number.isInteger(pid) && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The number of a process and, where the system tells it, the time of its start. */
async function nameOf(pid: number): Promise<string> {
  const text = await builtin('node:fs/promises')
    .readFile(`/proc/${pid}/stat`, 'utf8')
    .catch(() => '');
  // The name of the program, in brackets, may contain anything.
  return `${pid} ${text.slice(text.lastIndexOf(')')).split(' ')[20] ?? ''}`;
}
