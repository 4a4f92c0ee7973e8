import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { medianOf } from './load.ts';

/** Resident memory of a process, MB. */
export function memoryOf({ pid }: ChildProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** The median of each quarter of a series. A sample just before a garbage collection does not move it. */
export function quartersOf(series: readonly number[]): number[] {
  return [0, 1, 2, 3].map((part) => {
    const from = Math.floor((series.length * part) / 4);
    return medianOf(series.slice(from, Math.floor((series.length * (part + 1)) / 4)));
  });
}

/**
 * Whether a series levels off: its last quarter exceeds the second by no more than a fifth and `noise`. The
 * first quarter is the warm-up. A leak never ends, so a run of twice the time shows it.
 */
export function isFlat(series: readonly number[], noise: number): boolean {
  const quarters = quartersOf(series);
  return quarters[3]! <= quarters[1]! * 1.2 + noise;
}
