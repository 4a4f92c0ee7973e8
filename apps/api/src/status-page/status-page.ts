import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SeenServer } from '@inventory/postgres/servers/seen-servers';
import type { StatementPool } from '@inventory/postgres/statement-pool';
import { lookEvery } from '@inventory/process/look-every';
import type { Metrics } from '@inventory/process/telemetry/metrics';
import type { SeenWorker } from '@inventory/queue/submit/submit';
import { pageFiles } from './page-files.ts';
import { takeReading } from './reading.ts';
import { createSnapshots, pointFields, type Snapshot } from './snapshot.ts';
import { createStockView } from './stock-view.ts';
import { createViewers, eventText } from './viewers.ts';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** The pages of the internal port besides health and metrics, by path. */
export type StatusPage = { pages: Record<string, Serve>; stop(): void };

const everyMs = 1000;

/**
 * The operator's page at `/operations` and its one stream, `/operations/events`. The stream sends `history`
 * and `stock` first, then `now` every second, and `stock` again after each new read from Postgres. One
 * snapshot a second serves all viewers. Postgres is only queried while the page is open somewhere.
 */
export function startStatusPage(
  metrics: Pick<Metrics, 'samples'>,
  { operations, servers }: { operations: Pick<StatementPool, 'run'>; servers(): readonly SeenServer[] },
  seenWorkers: () => readonly SeenWorker[],
): StatusPage {
  const snapshots = createSnapshots();
  const stock = createStockView(operations);
  const viewers = createViewers();
  let last: Snapshot | null = null;
  const historyText = () => eventText('history', { fields: pointFields, points: snapshots.points() });
  const stockText = () => eventText('stock', stock.view());
  const nowText = () => (last === null ? '' : eventText('now', last));

  const stopSnapshots = lookEvery(everyMs, async () => {
    // A gauge that fails must not end the process. The page shows that no values arrive.
    const reading = await takeReading(metrics).catch(() => null);
    if (reading === null) return;
    last = snapshots.take(reading, { workers: seenWorkers(), servers: servers() }, stock);
    if (viewers.count() > 0) viewers.send(nowText());
  });
  const stopStock = lookEvery(everyMs, async () => {
    if (viewers.count() === 0 || last?.postgres === false) return;
    // If Postgres does not answer, the last values stay, with their time; the banner says that Postgres is
    // away.
    const isNew = await stock.look(performance.now()).catch(() => false);
    if (isNew) viewers.send(stockText());
  });

  const pages: Record<string, Serve> = {
    '/': (_request, response) => response.writeHead(307, { Location: 'operations' }).end(),
    ...pageFiles(),
    '/operations/events': (request, response) =>
      viewers.add(request, response, [historyText(), stockText(), nowText()]),
  };
  return {
    pages,
    stop() {
      stopSnapshots();
      stopStock();
    },
  };
}
