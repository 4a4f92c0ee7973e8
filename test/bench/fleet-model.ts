import {
  emptyLane,
  isBusy,
  type Lane,
  maySend,
  noteAnswered,
  notePace,
  takeEnvelope,
} from '@inventory/queue/submit/lane';
import { createRandom } from '../faults/random.ts';
import { createClock } from './play-clock.ts';

/** Processor time, milliseconds: for each request, and once for each batch, however many requests it has. */
export type Cost = { each: number; batch: number };

/**
 * The costs of the parts of the service. `waitMs`: the time of a batch beside the processors: the disk, and
 * turns between processes.
 */
export type Costs = {
  load: Cost;
  api: Cost;
  redis: Cost;
  worker: Cost;
  postgres: Cost;
  waitMs: number;
};

export type Fleet = {
  apis: number;
  workers: number;
  /** The number of processors: of everything, if it runs on one machine; else of Postgres alone. */
  cores: number;
  isOneMachine: boolean;
  /** From a worker to Postgres and back, in each of the two turns of a batch. */
  turnMs: number;
  /** Callers that always send the next request when the last one is answered; or */
  callers?: number;
  /** requests a second at a moment (milliseconds from the beginning), whatever happens to earlier ones. */
  arrivals?: (atMs: number) => number;
  seconds: number;
  costs: Costs;
};

/** `busy`: the share of the time in which a part works, of one process, or of the processors of Postgres. */
export type Prediction = {
  rate: number;
  p50Ms: number;
  p99Ms: number;
  /** The share refused on arrival. */
  refused: number;
  batchSize: number;
  busy: { api: number; worker: number; postgres: number };
};

// The service's defaults.
const limits = { envelopeMax: 64, inFlightMax: 4 };
const batchMax = 256;
const concurrency = 4;
const measuredFrom = 0.25;

type Request = { arrivedAt: number; together: null; isAlone: false };
type Envelope = { requests: Request[]; api: Api; sent: Parameters<typeof noteAnswered>[1] };
type Api = { thread: Resource; lane: Lane<Request> };

/** Allows this many things at once; the others wait in order. */
class Resource {
  busyMs = 0;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  take(go: () => void): void {
    if (this.#free > 0) {
      this.#free -= 1;
      go();
    } else this.#waiting.push(go);
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/**
 * Plays a fleet: requests arrive, gather in the lanes of the apis by the service's own rules (lane.ts),
 * travel as envelopes, and are applied in batches, one at a time by each worker. Every piece of work takes a
 * processor for its cost. `seed` fixes the moments of arrival; the same seed gives the same answer.
 */
export function playFleet(fleet: Fleet, seed = 1): Prediction {
  const clock = createClock();
  const random = createRandom(seed);
  const { costs } = fleet;
  const endMs = fleet.seconds * 1000;
  const processors = new Resource(fleet.cores);
  const redis = new Resource(1);
  const load = new Resource(1);
  const apis: Api[] = Array.from({ length: fleet.apis }, () => ({
    thread: new Resource(1),
    lane: emptyLane<Request>(),
  }));
  const queue: Envelope[] = [];
  const idleWorkers: Resource[] = Array.from({ length: fleet.workers }, () => new Resource(1));
  const allWorkers = [...idleWorkers];
  let postgresMs = 0;
  let [came, refused, batches, inBatches] = [0, 0, 0, 0];
  const latencies: number[] = [];

  /** The work of one thread, on a processor of its machine. */
  function work(thread: Resource, ms: number, then: () => void) {
    thread.take(() => {
      const begin = () =>
        clock.after(ms, () => {
          thread.busyMs += ms;
          if (fleet.isOneMachine) processors.release();
          thread.release();
          then();
        });
      if (fleet.isOneMachine) processors.take(begin);
      else begin();
    });
  }

  function arrive(api: Api, request: Request) {
    if (clock.now() >= endMs * measuredFrom) came += 1;
    work(api.thread, costs.api.each, () => {
      if (isBusy(api.lane, limits, request.arrivedAt, clock.now())) {
        if (request.arrivedAt >= endMs * measuredFrom) refused += 1;
        return;
      }
      api.lane.waiting.push(request);
      clock.after(0, () => send(api));
    });
  }

  function send(api: Api) {
    const { lane } = api;
    const before = lane.waiting.length;
    while (maySend(lane, limits, clock.now())) {
      const requests = takeEnvelope(lane, limits.envelopeMax);
      const sent = {
        jobId: `${clock.next()}`,
        requestIds: [],
        unanswered: requests.length,
        sentAt: clock.now(),
        isDone: false,
      };
      lane.sent.set(sent.jobId, sent);
      const envelope = { requests, api, sent };
      work(api.thread, costs.api.batch, () =>
        work(redis, costs.redis.batch + costs.redis.each * requests.length, () => {
          queue.push(envelope);
          clock.after(0, takeBatch);
        }),
      );
    }
    if (before > lane.waiting.length) notePace(lane, before - lane.waiting.length, clock.now());
  }

  function takeBatch() {
    while (queue.length > 0 && idleWorkers.length > 0) {
      const worker = idleWorkers.shift()!;
      const taken = [queue.shift()!];
      let size = taken[0]!.requests.length;
      while (queue.length > 0 && taken.length < concurrency && size + queue[0]!.requests.length <= batchMax) {
        const next = queue.shift()!;
        taken.push(next);
        size += next.requests.length;
      }
      if (clock.now() >= endMs * measuredFrom) [batches, inBatches] = [batches + 1, inBatches + size];
      apply(worker, taken, size);
    }
  }

  function apply(worker: Resource, taken: readonly Envelope[], size: number) {
    const statementMs = costs.postgres.batch + costs.postgres.each * size;
    const inPostgres = (then: () => void) =>
      processors.take(() =>
        clock.after(statementMs, () => {
          postgresMs += statementMs;
          processors.release();
          then();
        }),
      );
    work(worker, costs.worker.batch + costs.worker.each * size, () =>
      clock.after(costs.waitMs + 2 * fleet.turnMs, () =>
        inPostgres(() => {
          idleWorkers.push(worker);
          for (const envelope of taken) answer(envelope);
          takeBatch();
        }),
      ),
    );
  }

  function answer({ requests, api, sent }: Envelope) {
    noteAnswered(api.lane, sent, clock.now());
    clock.after(0, () => send(api));
    for (const request of requests) {
      if (request.arrivedAt >= endMs * measuredFrom) latencies.push(clock.now() - request.arrivedAt);
      if (fleet.callers !== undefined) call();
    }
  }

  let turn = 0;
  const anyApi = () => apis[turn++ % apis.length]!;
  const request = (): Request => ({ arrivedAt: clock.now(), together: null, isAlone: false });
  function call() {
    const made = request();
    work(load, costs.load.each, () => arrive(anyApi(), made));
  }
  function comeNext() {
    const perSecond = fleet.arrivals!(clock.now());
    // No arrivals for a moment: look again then.
    if (perSecond <= 0) return clock.after(10, comeNext);
    clock.after((-Math.log(1 - random()) / perSecond) * 1000, () => {
      arrive(anyApi(), request());
      comeNext();
    });
  }
  for (let caller = 0; caller < (fleet.callers ?? 0); caller++) call();
  if (fleet.arrivals !== undefined) comeNext();
  clock.runUntil(endMs);

  const measuredMs = endMs * (1 - measuredFrom);
  latencies.sort((left, right) => left - right);
  const at = (part: number) => latencies[Math.floor(latencies.length * part)] ?? Number.NaN;
  const share = (resources: readonly { busyMs: number }[]) =>
    resources.reduce((sum, { busyMs }) => sum + busyMs, 0) / endMs / resources.length;
  return {
    rate: latencies.length / (measuredMs / 1000),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    refused: came === 0 ? 0 : refused / came,
    batchSize: inBatches / batches,
    busy: {
      api: share(apis.map(({ thread }) => thread)),
      worker: share(allWorkers),
      postgres: postgresMs / endMs / fleet.cores,
    },
  };
}

/** The costs of each part, from two loads: `cpu` in milliseconds per request, at this average batch size. */
export function fitCost(few: { cpu: number; size: number }, many: { cpu: number; size: number }): Cost {
  const each = Math.max(0, (many.cpu * many.size - few.cpu * few.size) / (many.size - few.size));
  return { each, batch: Math.max(0, (few.cpu - each) * few.size) };
}
