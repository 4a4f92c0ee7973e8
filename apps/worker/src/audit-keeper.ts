import type { AuditPace, AuditSlice, AuditState } from '@inventory/db/audit/audit-slice';
import type { Drift } from '@inventory/db/audit/compare-stock';
import { isLockTimeout, isOutage } from '@inventory/postgres/pool';
import { runAgain } from '@inventory/process/look-every';

export type AuditKeeper = {
  /** The last state that was read: 0 places and 0 s until Postgres has answered once. */
  state(): AuditState;
  stop(): Promise<void>;
};

// The target time of a slice. Short slices free the connection soon and let Postgres remove old row versions.
const sliceMs = 20;
const rowsAtFirst = 100;
const rowsMost = 2000;
// The part of the time in which slices run, over all workers: a fiftieth of one core of Postgres.
const partOfTime = 0.02;
// A small stock is compared at once and does not need constant checks.
const restMs = 60_000;
// Workers share the slices: the first worker that looks when a slice is due compares it.
const waitMinMs = 250;
const waitMaxMs = 5000;
const waitAfterErrorMs = 10_000;

/**
 * Compares levels, lots and entries slice by slice, without end. `onDrift` is called when a place that
 * disagrees is first found. Outages and locked tables are not reported: the same slice is tried again.
 * `readState` reads earlier findings, even while slices fail.
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
      // Grows by at most a factor of two: the next lots may have a long history.
      if (slice.rows !== null && slice.rows > 0) {
        const fitting = Math.floor((slice.rows * sliceMs) / Math.max(slice.tookMs, 1));
        rowsMax = Math.max(1, Math.min(fitting, 2 * rowsMax, rowsMost));
      }
      return Math.min(Math.max(slice.dueInMs, waitMinMs), waitMaxMs);
    } catch (error) {
      rowsMax = Math.max(1, Math.floor(rowsMax / 4));
      if (!isOutage(error) && !isLockTimeout(error)) report(error as Error, 'the background audit');
      await readState().then(know, () => {});
      return waitAfterErrorMs;
    }
  }

  return {
    state: () => {
      const sinceMs = state.ageSeconds === 0 ? 0 : performance.now() - stateAt;
      return { driftCount: state.driftCount, ageSeconds: state.ageSeconds + sinceMs / 1000 };
    },
    stop: runAgain(0, look),
  };
}
