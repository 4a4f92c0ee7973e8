import type { DatabaseClock } from '@inventory/postgres/database-clock';
import { reach } from '@inventory/postgres/pool';
import { type InternalSettings, serveInternal } from '@inventory/process/internal-server';
import { PlainError } from '@inventory/process/plain-error';
import type { Reporting } from '@inventory/process/reporting';
import type { Changes } from './changes/changes.ts';
import type { Database } from './database.ts';
import type { Listening } from './http/connections/listen.ts';
import type { Http } from './http/http.ts';
import { addApiReadings } from './metrics.ts';
import type { ApiQueue } from './queue.ts';
import { startStatusPage } from './status-page/status-page.ts';
import { startWatches } from './watches.ts';

type Neighbours = {
  reporting: Reporting;
  database: Database;
  clock: DatabaseClock;
  queue: ApiQueue;
  http: Http;
  listening: Listening;
  changes: Changes;
};

/** The port for operators. `port`: undefined if there is none. */
export type InternalPort = { port: number | undefined; close(): Promise<void> };

/** Serves health, metrics and the status page, if INTERNAL_PORT is set. */
export async function openInternalPort(
  config: InternalSettings & { CERTIFICATE_URL?: string | undefined },
  neighbours: Neighbours,
): Promise<InternalPort> {
  const { reporting, database, queue, http } = neighbours;
  const { metrics } = reporting;
  const isSeen = config.INTERNAL_PORT !== undefined;
  const watches = isSeen ? startWatches(config, database) : null;
  addApiReadings(metrics, { ...neighbours, watches });
  const statusPage = isSeen ? startStatusPage(metrics, database, () => queue.needs.sight().seen) : null;
  const internal = await serveInternal(config, {
    checkReady: () => readiness(neighbours),
    metrics,
    whyNotAccepting() {
      if (http.isDraining()) return 'stopping';
      return queue.needs.awaitsWorker() ? 'no worker was seen yet' : null;
    },
    pages: statusPage?.pages,
  });
  return {
    port: internal?.port,
    async close() {
      statusPage?.stop();
      watches?.stop();
      await internal?.close();
    },
  };
}

/**
 * Whether the api is ready. It uses connections that write nothing, so hanging commits do not block it. An
 * api that is not ready would get no reads either.
 */
async function readiness({ database, queue, http, clock }: Neighbours) {
  await database.authentication.run(reach);
  if (http.isDraining()) throw new PlainError('stopping');
  return {
    degraded: whatIsLost(queue),
    notes: [`the clock of Postgres is ahead of this one by ${clock.differenceSeconds().toFixed(3)} s`],
  };
}

/** Names what an api cannot do now although it still serves reads. */
function whatIsLost({
  submitter,
  needs: { presence, unwritable, hangingCommits },
}: ApiQueue): string | undefined {
  const instead = 'reads are served, transactions are refused';
  if (!submitter.isOpen()) return `Redis is away: ${instead}`;
  if (!presence.isThere('redis')) return `Redis takes no work: ${instead}`;
  if (!presence.isThere('worker')) return `no worker takes work: ${instead}`;
  if (unwritable() !== null) return `Postgres refuses to write: ${instead}`;
  return hangingCommits() > 0 ? 'commits wait for a standby: reads are served' : undefined;
}
