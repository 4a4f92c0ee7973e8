import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StatementPool } from '@inventory/db/statement-pool';
import { lookEvery } from '@inventory/process/look-every';
import type { Metrics } from '@inventory/process/metrics';
import type { SeenWorker } from '@inventory/queue/submit';
import { pageFiles } from './page-files.ts';
import { takeReading } from './reading.ts';
import { createSnapshots, pointFields, type Snapshot } from './snapshot.ts';
import { createStockView } from './stock-view.ts';
import { createViewers, eventText } from './viewers.ts';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** The pages of the internal port beside health and metrics, by path. */
export type StatusPage = { pages: Record<string, Serve>; stop(): void };

const everyMs = 1000;

/**
 * The page of those who run the service, at `/operations`, and its one stream, `/operations/events`:
 * `history` and `stock` at first, `now` each second, `stock` when Postgres was asked again. One snapshot is
 * made a second, whoever looks; Postgres is asked only while somebody does.
 */
export function startStatusPage(
  metrics: Pick<Metrics, 'samples'>,
  pool: Pick<StatementPool, 'run'>,
  seenWorkers: () => readonly SeenWorker[],
): StatusPage {
  const snapshots = createSnapshots();
  const stock = createStockView(pool);
  const viewers = createViewers();
  let last: Snapshot | null = null;
  const historyText = () => eventText('history', { fields: pointFields, points: snapshots.points() });
  const stockText = () => eventText('stock', stock.view());
  const nowText = () => (last === null ? '' : eventText('now', last));

  const stopSnapshots = lookEvery(everyMs, async () => {
    // A gauge that fails must not end the process; the page says that nothing comes.
    const reading = await takeReading(metrics).catch(() => null);
    if (reading === null) return;
    last = snapshots.take(reading, seenWorkers(), stock.driftPlaces());
    if (viewers.count() > 0) viewers.send(nowText());
  });
  const stopStock = lookEvery(everyMs, async () => {
    if (viewers.count() === 0 || last?.postgres === false) return;
    // What Postgres does not answer now stays as it was, with its time; the first sentence says that it is
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
