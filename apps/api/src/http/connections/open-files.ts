import { readFileSync } from 'node:fs';

// The usual minimum, for systems that do not tell.
const usualOpenFiles = 1024;
// For Postgres, Redis and modules, with some to spare.
const otherFiles = 124;
const connectionsMax = 10_000;

/** The number of callers' connections this process can hold; each takes an open file. */
export function defaultConnectionsMax(): number {
  return Math.max(1, Math.min(connectionsMax, openFilesMax() - otherFiles));
}

function openFilesMax(): number {
  try {
    // Node raises its soft limit to the hard one.
    const found = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return Number(found?.[1] ?? usualOpenFiles);
  } catch {
    return usualOpenFiles;
  }
}
