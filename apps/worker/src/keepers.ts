import { auditSlice, readAuditState } from '@inventory/db/audit/audit-slice';
import type { Drift } from '@inventory/db/audit/compare-stock';
import { foldArrivals } from '@inventory/db/lists/fold-arrivals';
import { type CorrectedTime, correctTimes } from '@inventory/db/operator/stored-times';
import { removeOutdatedPiece } from '@inventory/db/requests/remove-outdated';
import { createRetentionClock } from '@inventory/db/requests/retention-clock';
import { isStatementTimeout, type Sql } from '@inventory/postgres/pool';
import type { Log } from '@inventory/process/log/log';
import type { Reporting } from '@inventory/process/reporting';
import { within } from '@inventory/process/within';
import { type AuditKeeper, startAuditKeeper } from './audit-keeper.ts';
import { type CountKeeper, createCountKeeper } from './count-keeper.ts';
import { usualFold, type WorkerDatabase } from './database.ts';
import { createRetentionKeeper, type RetentionKeeper } from './retention-keeper.ts';

// Arrivals that piled up while no worker ran may need more time than `usualFold`. So if Postgres itself
// reports a timeout, the fold gets more time.
const largeFold = { listMs: 60_000, allMs: 200_000 };
const stopFoldingWithinMs = 3000;

/** The work that nobody waits for: folding counts, removing what is outdated, and the audit. */
export type Keepers = {
  counts: CountKeeper;
  /** null: the background audit is off. */
  audit: AuditKeeper | null;
  stop(): Promise<void>;
};

/** Begins this work, on connections of its own. */
export function startKeepers(
  config: { IDEMPOTENCY_KEY_DAYS: number; BACKGROUND_AUDIT: 'on' | 'off' },
  database: WorkerDatabase,
  reporting: Reporting,
): Keepers {
  const counts = keepCounts(database, reporting);
  const retention = keepRetention(config.IDEMPOTENCY_KEY_DAYS, database, reporting);
  const audit = config.BACKGROUND_AUDIT === 'off' ? null : keepAudit(database, reporting);
  return {
    counts,
    audit,
    async stop() {
      const stopped = Promise.all([counts.stop(), retention.stop(), audit?.stop()]);
      await within(stopFoldingWithinMs, stopped).catch(() => {});
    },
  };
}

function keepCounts({ folds }: WorkerDatabase, { report }: Reporting): CountKeeper {
  const fold = ({ listMs, allMs }: typeof usualFold) => folds.run((sql) => foldArrivals(sql, listMs), allMs);
  return createCountKeeper(
    () =>
      fold(usualFold).catch((error) => {
        if (!isStatementTimeout(error)) throw error;
        return fold(largeFold);
      }),
    report,
  );
}

function keepRetention(
  keyDays: number,
  { folds }: WorkerDatabase,
  { log, report }: Reporting,
): RetentionKeeper {
  const moveRetention = createRetentionClock();
  return createRetentionKeeper(async () => {
    const remove = async (sql: Sql) => {
      for (const corrected of await correctTimes(sql)) tellCorrected(log, corrected);
      await moveRetention(sql);
      return removeOutdatedPiece(sql, keyDays);
    };
    // It waits behind a large fold for the only connection. A shorter limit would end that fold.
    return (await folds.run(remove, largeFold.allMs)).goesOn;
  }, report);
}

function keepAudit({ audits }: WorkerDatabase, { log, report }: Reporting): AuditKeeper {
  return startAuditKeeper(
    (pace) => audits.run((sql) => auditSlice(sql, pace)),
    () => audits.run(readAuditState),
    tellDrift(log),
    report,
  );
}

/** Logs stored times that lay in the future: the name of their column, and no value of a caller. */
function tellCorrected(log: Log, { place, count, latest }: CorrectedTime): void {
  log.warn(
    { place, count, latest: latest.toISOString() },
    'stored times were later than their rule allows, from a clock that was ahead; they were set to now',
  );
}

/** Logs a place that disagrees: numbers and fixed words only, no name of an item. */
function tellDrift(log: Log): (drift: Drift) => void {
  return ({ check, partNo, wid, recNo, expected, found }) => {
    const place = { partNo, wid, ...(recNo > 0 && { recNo }) };
    log.error({ check, ...place, expected, found }, 'stock does not agree with the ledger');
  };
}
