import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { medianOf } from './load.ts';

/** Resident memory of a process, MB. */
export function memoryOf({ pid }: ChildProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/**
 * The medians of a series in each quarter of its time; a moment before a garbage collection does not move
 * them.
 */
export function quartersOf(series: readonly number[]): number[] {
  return [0, 1, 2, 3].map((part) => {
    const from = Math.floor((series.length * part) / 4);
    return medianOf(series.slice(from, Math.floor((series.length * (part + 1)) / 4)));
  });
}

/**
 * Whether a series levels off: the last quarter is not above the second by more than a fifth and `noise`. The
 * first is the warm-up. A leak goes on for ever, so twice the time shows it.
 */
export function isFlat(series: readonly number[], noise: number): boolean {
  const quarters = quartersOf(series);
  return quarters[3]! <= quarters[1]! * 1.2 + noise;
}
