import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';

/**
 * A process by pid and moment of start, so that a later process that reuses the pid is never taken for it.
 */
export type ProcessIdentity = { pid: number; started: string };

/** The identity of a living process; null when there is none of this pid, or only its zombie. */
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
    // The name in brackets may itself hold spaces and brackets, so the fields are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    // Ticks count from boot, so without the boot's id a process of the last boot could look alive.
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { pid, started: `${boot}-${fields[19]}` };
  } catch {
    return null;
  }
}

/** Whether that very process still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.started === identity.started;
}

/**
 * Whether the process has this as its working folder, which stays true when the folder is moved. Where that
 * cannot be seen, and outside Linux: whether it is among its arguments; outside Linux a Redis counts always,
 * as it hides them.
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

/** Null: root in a container may not see it of another user's process. */
function readWorkFolder(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return null;
    throw error;
  }
}

const readArguments = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
