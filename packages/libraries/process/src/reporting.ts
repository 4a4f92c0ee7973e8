import { createFoldedLog, type FoldedLog } from './log/folded-log.ts';
import type { Log } from './log/log.ts';
import { createPresence, type Presence } from './presence.ts';
import { createReport, type Report } from './report.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { openTracing } from './telemetry/open-tracing.ts';
import type { Tracing } from './telemetry/tracing.ts';
import { createUnwritable, type Unwritable } from './unwritable.ts';

/** The reports of a process about itself: lines of the log, metrics and traces. */
export type Reporting = {
  log: Log;
  folded: FoldedLog;
  /** The parts that are away, as this process notes them. */
  presence: Presence;
  report: Report;
  /** Whether Postgres refuses work, as the statements of this process show. */
  unwritable: Unwritable;
  metrics: Metrics;
  /** null: traces are off. */
  tracing: Tracing | null;
  /** Sends the last spans and writes the lines that were held back. */
  end(): Promise<void>;
};

/**
 * Opens the reports of a process. `part`: its name in traces. `level`: that of errors that no caller waits
 * for.
 */
export async function openReporting(
  config: { OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined },
  { part, level }: { part: string; level: 'warn' | 'error' },
  log: Log,
): Promise<Reporting> {
  const folded = createFoldedLog(log);
  const presence = createPresence(folded);
  const report = createReport(folded, presence, level);
  const metrics = createMetrics();
  const tracing = await openTracing(config.OTEL_EXPORTER_OTLP_ENDPOINT, part);
  return {
    ...{ log, folded, presence, report, metrics, tracing },
    unwritable: createUnwritable(),
    async end() {
      await tracing?.end();
      folded.end();
    },
  };
}
