import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder, type Site } from './site.ts';

/** Time of a processor, milliseconds. */
export type CpuTime = { api: number; worker: number; postgres: number; redis: number };

/** Whether this system tells how long its processes have run. */
export const canTellCpu = existsSync('/proc/self/stat');

// What /proc counts in, on every Linux.
const tickMs = 10;

/**
 * What each part has used so far; a difference of two is what it used in between. Null where there is no
 * /proc, or where Postgres or Redis are not processes that this one started.
 */
export function readCpu({ processes }: Pick<Site, 'processes'>): CpuTime | null {
  const { api, worker } = processes;
  return readCpuOf([api.child.pid!], worker === null ? [] : [worker.child.pid!]);
}

/** The same of several apis and workers together, by the numbers of their processes. */
export function readCpuOf(apis: readonly number[], workers: readonly number[]): CpuTime | null {
  const servers = ['postgres', 'redis'].map(readPid);
  if (!canTellCpu || servers.includes(null)) return null;
  const [postgres, redis] = servers as [number, number];
  const sumOf = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + ownTimeOf(pid), 0);
  return {
    api: sumOf(apis),
    worker: sumOf(workers),
    postgres: timeWithChildren(postgres),
    redis: ownTimeOf(redis),
  };
}

/** What a request used of each part, microseconds. */
export function cpuPerRequest(before: CpuTime, after: CpuTime, requests: number): CpuTime {
  const each = (part: keyof CpuTime) => ((after[part] - before[part]) * 1000) / requests;
  return { api: each('api'), worker: each('worker'), postgres: each('postgres'), redis: each('redis') };
}

function readPid(server: string): number | null {
  const file = join(benchFolder, `${server}.pid`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')).pid as number) : null;
}

/** The fields of a process's stat from the fourth on, its parent's number first; null when it has gone. */
function statOf(pid: number | string): number[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in parentheses, and may hold anything.
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

/** What a server has used so far with its children, those that have ended too; milliseconds. */
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
