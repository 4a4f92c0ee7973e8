import type { QueuedRequest } from '@inventory/domain/request';
import { siteOf } from '../answer-streams.ts';
import type { EnvelopeKeys } from '../envelope-keys.ts';
import { createRefusals, type Refusals } from '../refusals.ts';
import { openEnvelope, type Place, type SignedEnvelope } from '../signature.ts';

/** The requests of a job. `later`: a later version of the api sent something this version does not know. */
export type Opened = QueuedRequest[] | 'later';

const foreignText =
  'refused: an api that uses another database signed them; a copy of this database is on the same Redis';
// An api of version 0.1.0 does not name its database, so its envelopes could be for a copy. They are applied
// while there may be such an api: until none has come for this long.
const unnamedForMs = 3_600_000;

/** Opens the jobs of a queue, and counts those that are not for this service. */
export class JobOpener {
  readonly #keys: EnvelopeKeys;
  readonly #refusals: Refusals;
  readonly #foreign: Refusals;
  #unnamedAt = performance.now();

  constructor(keys: EnvelopeKeys, report: (error: Error, what: string) => void) {
    this.#keys = keys;
    this.#refusals = createRefusals('envelopes', report);
    this.#foreign = createRefusals('envelopes', report, foreignText);
  }

  /**
   * Returns the requests of a job. If an api did not sign it for this job, returns none; such a job gets no
   * answer and is not tried again. `later`: a later version of the api sent it.
   */
  open(place: Place, data: unknown): Opened | Promise<Opened> {
    // A canary contains nothing that needs a signature.
    if (isCanary(data)) return [];
    const opened = openEnvelope(this.#keys, place, data);
    if (opened !== null && opened !== 'foreign') return this.#openHere(place, opened);
    return this.#keys.refresh().then(() => {
      const reopened = openEnvelope(this.#keys, place, data);
      if (reopened === null) this.#refusals.note();
      if (reopened === 'foreign') this.#foreign.note();
      return reopened === null || reopened === 'foreign' ? [] : this.#openHere(place, reopened);
    });
  }

  /** Leaves out an envelope that does not name its database, once no api is left that would send one. */
  #openHere({ jobId }: Place, opened: Opened): Opened {
    if (siteOf(jobId) !== null) return opened;
    const now = performance.now();
    if (now - this.#unnamedAt > unnamedForMs) {
      this.#foreign.note();
      return [];
    }
    this.#unnamedAt = now;
    return opened;
  }

  /** The number of jobs that were not envelopes of this service. */
  refusedCount(): number {
    return this.#refusals.count() + this.#foreign.count();
  }
}

function isCanary(data: unknown): boolean {
  const requests = (data as Partial<SignedEnvelope> | null)?.requests;
  return Array.isArray(requests) && requests.length === 0;
}
