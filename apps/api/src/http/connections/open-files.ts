import { readFileSync } from 'node:fs';

// Where the system does not say, the least that is usual.
const usualOpenFiles = 1024;
// Files for Postgres, Redis and modules, and some to spare.
const otherFiles = 124;
const connectionsMax = 10_000;

/** How many connections of callers this process can hold: each is an open file. */
export function defaultConnectionsMax(): number {
  return Math.max(1, Math.min(connectionsMax, openFilesMax() - otherFiles));
}

function openFilesMax(): number {
  try {
    // Node has raised the soft limit to the hard one.
    const found = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return Number(found?.[1] ?? usualOpenFiles);
  } catch {
    return usualOpenFiles;
  }
}
