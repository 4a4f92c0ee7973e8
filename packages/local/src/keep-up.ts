import type { ChildProcess } from 'node:child_process';
import { openSync, renameSync, rmSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const logBytesMax = 10_000_000;
const pausesMs = [100, 500, 1000, 2000, 5000];
// A process that was up this long did not fail for the same reason again.
const settledAfterMs = 10_000;

/** A process that was started. */
export type Launched = {
  child: ChildProcess;
  /** Resolves when it is up; never when it ends before. */
  up: Promise<unknown>;
  /** Resolves to how it ended, when nothing of it is left to read. */
  ended: Promise<string>;
};

export type KeepUpOptions<Process extends Launched> = {
  /** For report lines: 'Postgres', 'api'. */
  name: string;
  first: Process;
  /** Starts it once more; rejects when that fails. */
  launch: () => Process | Promise<Process>;
  onLaunched: (process: Process) => void;
  report: (line: string) => void;
  /** The longest pause before it is started again; by default it grows to 5 s. */
  pauseMaxMs?: number;
  /** Aborted: it is left as it is. */
  stopping: AbortSignal;
};

/**
 * Starts a process again whenever it ends, sooner at first and later when it ends soon again. Resolves once
 * `stopping` is aborted.
 */
export async function keepUp<Process extends Launched>(options: KeepUpOptions<Process>): Promise<void> {
  const { name, launch, onLaunched, report, stopping, pauseMaxMs = pausesMs.at(-1)! } = options;
  let current: Process | null = options.first;
  for (let failures = 0; ; failures += 1) {
    if (current !== null) {
      const since = Date.now();
      const ending: string = await current.ended;
      if (stopping.aborted) return;
      if (Date.now() - since > settledAfterMs) failures = 0;
      report(`${name} ended (${ending}); starting it again`);
    }
    const pauseMs = Math.min(pausesMs[failures] ?? pausesMs.at(-1)!, pauseMaxMs);
    await wait(pauseMs, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
    try {
      current = await launch();
      onLaunched(current);
      void current.up.then(() => !stopping.aborted && report(`${name} is up again`));
    } catch (error) {
      if (stopping.aborted) return;
      current = null;
      if (failures === pausesMs.length) report((error as Error).message);
    }
  }
}

/**
 * How a process is asked to end: each signal in turn, with the time it has before the next. SIGKILL follows
 * the last.
 */
export type Ending = { signal: NodeJS.Signals; waitMs: number }[];

/** The signals of an ending, the last resort too. */
export function stepsOf(ending: Ending): Ending {
  return [...ending, { signal: 'SIGKILL', waitMs: 10_000 }];
}

/** Ends a child of ours and waits until it is gone. */
export async function endChild(
  { child, ended }: Pick<Launched, 'child' | 'ended'>,
  ending: Ending,
): Promise<void> {
  for (const { signal, waitMs } of stepsOf(ending)) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    child.kill(signal);
    const timeout = new AbortController();
    await Promise.race([ended, wait(waitMs, undefined, { signal: timeout.signal }).catch(() => {})]);
    timeout.abort();
  }
}

/** Opens a log to append; a long one, or one that another user has written, makes way. */
export function openLog(path: string): number {
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > logBytesMax) renameSync(path, `${path}.old`);
    return openSync(path, 'a', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') rmSync(path);
    return openSync(path, 'a', 0o600);
  }
}
