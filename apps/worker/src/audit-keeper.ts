import type { AuditPace, AuditSlice, AuditState } from '@inventory/db/audit-slice';
import type { Drift } from '@inventory/db/compare-stock';
import { isLockTimeout, isOutage } from '@inventory/db/pool';
import { runAgain } from '@inventory/process/run-again';

export type AuditKeeper = {
  /** The state last read: 0 places and 0 s until Postgres was asked for the first time. */
  state(): AuditState;
  stop(): Promise<void>;
};

// A slice takes about this long, so that a connection is free again soon and old versions of rows are pruned.
const sliceMs = 20;
const rowsAtFirst = 100;
const rowsMost = 2000;
// Slices are under way for this part of the time, over all workers: a fiftieth of one processor of Postgres.
const partOfTime = 0.02;
// A small stock is compared in no time, and need not be all the time.
const restMs = 60_000;
// Workers take turns: whoever comes first when a slice is due looks at it.
const waitMinMs = 250;
const waitMaxMs = 5000;
const waitAfterErrorMs = 10_000;

/**
 * Has levels, lots and entries compared slice by slice, for ever; `onDrift` is told of each place that does
 * not agree when it is found first. An outage, or somebody who has locked a table, is no news: the same slice
 * is tried again. What was found before, and when, is read (`readState`) also while slices fail.
 */
export function startAuditKeeper(
  audit: (pace: AuditPace) => Promise<AuditSlice>,
  readState: () => Promise<AuditState>,
  onDrift: (drift: Drift) => void,
  report: (error: Error, what: string) => void,
): AuditKeeper {
  let state: AuditState = { driftCount: 0, ageSeconds: 0 };
  let stateAt = performance.now();
  let rowsMax = rowsAtFirst;

  function know({ driftCount, ageSeconds }: AuditState) {
    state = { driftCount, ageSeconds };
    stateAt = performance.now();
  }

  async function look(): Promise<number> {
    try {
      const slice = await audit({ rowsMax, partOfTime, restMs });
      know(slice);
      for (const drift of slice.found) onDrift(drift);
      // Twice as many at most: the next ones may be lots with a long history.
      if (slice.rows !== null && slice.rows > 0) {
        const fitting = Math.floor((slice.rows * sliceMs) / Math.max(slice.tookMs, 1));
        rowsMax = Math.max(1, Math.min(fitting, 2 * rowsMax, rowsMost));
      }
      return Math.min(Math.max(slice.dueInMs, waitMinMs), waitMaxMs);
    } catch (error) {
      rowsMax = Math.max(1, Math.floor(rowsMax / 4));
      if (!isOutage(error) && !isLockTimeout(error)) report(error as Error, 'the audit in the background');
      await readState().then(know, () => {});
      return waitAfterErrorMs;
    }
  }

  const looks = runAgain(0, look);
  return {
    state: () => {
      const sinceMs = state.ageSeconds === 0 ? 0 : performance.now() - stateAt;
      return { driftCount: state.driftCount, ageSeconds: state.ageSeconds + sinceMs / 1000 };
    },
    stop: looks.stop,
  };
}
