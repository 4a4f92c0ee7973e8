import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';

/**
 * A process, identified by pid and start time, so that a later process with the same pid is not mistaken for
 * it.
 */
export type ProcessIdentity = { pid: number; started: string };

/** The identity of a living process; null if there is none with this pid, or only a zombie. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  if (process.platform !== 'linux') {
    try {
      const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
      return started === '' ? null : { pid, started };
    } catch {
      return null;
    }
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may contain spaces and brackets, so the fields are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    // Ticks count from boot. Without the boot id, a process from before a reboot could seem alive.
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { pid, started: `${boot}-${fields[19]}` };
  } catch {
    return null;
  }
}

/** Whether exactly this process is still running. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.started === identity.started;
}

/**
 * Whether the process has this working folder, which stays true when the folder is moved. Where that is not
 * visible, and outside Linux: whether its arguments contain the folder. Outside Linux, a Redis always counts,
 * because it hides its arguments.
 */
export function worksIn(pid: number, folder: string): boolean {
  try {
    if (process.platform === 'linux') {
      const place = readWorkFolder(pid);
      return place === null ? readArguments(pid).includes(folder) : place === realpathSync(folder);
    }
    const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes(folder) || /^\S*(redis|valkey)-server /.test(command);
  } catch {
    return false;
  }
}

/** Null: root in a container may not see it for another user's process. */
function readWorkFolder(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return null;
    throw error;
  }
}

const readArguments = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
