import { readEnvelopeKeys } from '@inventory/db/access/envelope-keys';
import { readOutcomes, settle } from '@inventory/db/requests/settle';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import type { DatabaseClock } from '@inventory/postgres/database-clock';
import { NeverBegunError } from '@inventory/postgres/statement-pool';
import type { Reporting } from '@inventory/process/reporting';
import { openEnvelopeKeys } from '@inventory/queue/envelope-keys';
import { type EnvelopeObserver, Submitter } from '@inventory/queue/submit/submit';
import { soon } from '@inventory/turns/soon';
import type { Database } from './database.ts';
import { type Needs, watchNeeds } from './watch-needs.ts';

// Looks for lost answers are frequent and may wait for the next round. They must not delay verdicts.
const lookWithinMs = 100;

type QueueSettings = {
  REDIS_URL: string;
  QUEUE_PREFIX: string;
  ENVELOPE_MAX: number;
  ENVELOPES_IN_FLIGHT: number;
};

type Neighbours = {
  database: Database;
  clock: DatabaseClock;
  reporting: Reporting;
  /** Measures the envelopes. */
  envelopes: EnvelopeObserver;
};

/** The api's side of the queue, and a watch on all that answers depend on. */
export type ApiQueue = { submitter: Submitter; needs: Needs; stop(): Promise<void> };

/** Opens the api's side of the queue. Fails if Postgres cannot be asked for the keys of envelopes. */
export async function openApiQueue(
  config: QueueSettings,
  { database, clock, reporting, envelopes }: Neighbours,
): Promise<ApiQueue> {
  const { authentication, verdicts } = database;
  const { presence, report, unwritable } = reporting;
  const keys = await openEnvelopeKeys(() => authentication.run(readEnvelopeKeys));
  let needs: Needs | undefined;
  const submitter = await Submitter.open({
    redisUrl: config.REDIS_URL,
    prefix: config.QUEUE_PREFIX,
    keys,
    envelopeMax: config.ENVELOPE_MAX,
    inFlightMax: config.ENVELOPES_IN_FLIGHT,
    readOutcomes: (requests) =>
      verdicts.run((sql) => readOutcomes(sql, requests), soon(lookWithinMs)).catch(foundNothing),
    settle: (requests) => verdicts.run((sql) => settle(sql, requests)),
    report,
    // The clock of Postgres was changed, or another server took over.
    refusedEarly: clock.doubt,
    observer: observing(envelopes, (error) => needs?.sendFailed(error)),
  });
  const watched = watchNeeds(presence, submitter, database, unwritable);
  needs = watched;
  return {
    submitter,
    needs: watched,
    async stop() {
      watched.stop();
      await submitter.close();
      keys.stop();
    },
  };
}

/** A look that found no free connection is not a failure. */
function foundNothing(error: unknown) {
  if (error instanceof NeverBegunError) return new Map<string, StoredOutcome>();
  throw error;
}

/** Counts envelopes, and tells of those that Redis did not take. */
function observing(envelopes: EnvelopeObserver, onSendFailed: (error: unknown) => void): EnvelopeObserver {
  return {
    ...envelopes,
    sendFailed(error) {
      envelopes.sendFailed(error);
      onSendFailed(error);
    },
  };
}
