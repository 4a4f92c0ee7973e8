import type { ChildProcess } from 'node:child_process';
import { openSync, renameSync, rmSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const logBytesMax = 10_000_000;
const pausesMs = [100, 500, 1000, 2000, 5000];
// If a process was up for this long, its end counts as a new failure.
const settledAfterMs = 10_000;

/** A started process. */
export type Launched = {
  child: ChildProcess;
  /** Resolves when it is up; never if it ends before. */
  up: Promise<unknown>;
  /** Resolves to the reason of its end, once all of its output was read. */
  ended: Promise<string>;
};

export type KeepUpOptions<Process extends Launched> = {
  /** For report lines: 'Postgres', 'api'. */
  name: string;
  first: Process;
  /** Starts it again. Rejects if that fails. */
  launch: () => Process | Promise<Process>;
  onLaunched: (process: Process) => void;
  report: (line: string) => void;
  /** The longest pause before it is started again; by default it grows to 5 s. */
  pauseMaxMs?: number;
  /** When aborted, the process is not started again. */
  stopping: AbortSignal;
};

/**
 * Restarts a process whenever it ends: at once at first, with growing pauses if it keeps ending soon.
 * Resolves once `stopping` is aborted.
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

/** How to end a process: signals in order, each with the time to wait before the next. SIGKILL comes last. */
export type Ending = { signal: NodeJS.Signals; waitMs: number }[];

/** The signals of an ending, including SIGKILL. */
export function stepsOf(ending: Ending): Ending {
  return [...ending, { signal: 'SIGKILL', waitMs: 10_000 }];
}

/** Ends a child process and waits until it is gone. */
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

/** Opens a log for appending. A long log, or one of another user, is replaced. */
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
