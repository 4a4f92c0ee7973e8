import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Site } from './site.ts';
import { benchFolder } from './stack.ts';

/** CPU time in milliseconds. */
export type CpuTime = { api: number; worker: number; postgres: number; redis: number };

/** Whether this system reports the CPU time of its processes. */
export const canTellCpu = existsSync('/proc/self/stat');

// The clock tick of /proc on every Linux.
const tickMs = 10;

/**
 * The CPU time of each part so far; the difference of two is the time in between. Null without /proc, or if
 * Postgres or Redis are not processes that this one started.
 */
export function readCpu({ processes }: Pick<Site, 'processes'>): CpuTime | null {
  const servers = ['postgres', 'redis'].map(readPid);
  if (!canTellCpu || servers.includes(null)) return null;
  const [postgres, redis] = servers as [number, number];
  return {
    api: ownTimeOf(processes.api.child.pid!),
    worker: processes.worker === null ? 0 : ownTimeOf(processes.worker.child.pid!),
    postgres: timeWithChildren(postgres),
    redis: ownTimeOf(redis),
  };
}

/** The CPU time of each part per request, in microseconds. */
export function cpuPerRequest(before: CpuTime, after: CpuTime, requests: number): CpuTime {
  const each = (part: keyof CpuTime) => ((after[part] - before[part]) * 1000) / requests;
  return { api: each('api'), worker: each('worker'), postgres: each('postgres'), redis: each('redis') };
}

function readPid(server: string): number | null {
  const file = join(benchFolder, `${server}.pid`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')).pid as number) : null;
}

/** The fields of a process's stat from the fourth on, which is its parent's id; null if it is gone. */
function statOf(pid: number | string): number[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name is in parentheses and may contain anything.
    return stat
      .slice(stat.lastIndexOf(')') + 4)
      .split(' ')
      .map(Number);
  } catch {
    return null;
  }
}

function ownTimeOf(pid: number): number {
  const stat = statOf(pid);
  return stat === null ? 0 : (stat[10]! + stat[11]!) * tickMs;
}

/** The CPU time of a server and its children so far, including those that have ended, in milliseconds. */
export function timeWithChildren(pid: number): number {
  const server = statOf(pid);
  if (server === null) return 0;
  let ticks = server[10]! + server[11]! + server[12]! + server[13]!;
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(name) : null;
    if (stat?.[0] === pid) ticks += stat[10]! + stat[11]!;
  }
  return ticks * tickMs;
}
