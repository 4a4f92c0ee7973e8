import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
} from '@inventory/local/processes/process-identity';
import { lookEvery } from '@inventory/process/look-every';

const lookEveryMs = 500;

/**
 * Calls `onGone` once if one of the npx, npm or pnpm processes that started this one ends first. If a signal
 * ends npx, it does not pass the signal on, and the service would continue unnoticed. Linux only; elsewhere
 * it does nothing.
 */
export function watchLaunchers(onGone: () => void): void {
  const launchers = findLaunchers();
  if (launchers.length === 0) return;
  const stop = lookEvery(lookEveryMs, () => {
    if (launchers.every(isRunning)) return;
    stop();
    onGone();
  });
}

/**
 * The package managers above this process, and the shells between them. A shell above all of them belongs to
 * the user and may end.
 */
function findLaunchers(): ProcessIdentity[] {
  const found: ProcessIdentity[] = [];
  let count = 0;
  for (let pid = process.ppid; pid > 1; ) {
    const ancestor = readProcess(pid);
    const identity = identifyProcess(pid);
    if (ancestor === null || identity === null || ancestor.kind === 'other') break;
    found.push(identity);
    if (ancestor.kind === 'packageManager') count = found.length;
    pid = ancestor.parentPid;
  }
  return found.slice(0, count);
}

function readProcess(pid: number): { parentPid: number; kind: 'packageManager' | 'shell' | 'other' } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const parentPid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split(/[\0 ]+/);
    const [first = '', second = ''] = words.map((word) => basename(word));
    const program = first.startsWith('node') ? second : first;
    if (/^(npm|npx|pnpm|pnpx|corepack)\b/.test(program)) return { parentPid, kind: 'packageManager' };
    return { parentPid, kind: /^(sh|dash|bash|ash|busybox)$/.test(program) ? 'shell' : 'other' };
  } catch {
    return null;
  }
}
