import { Pool } from 'undici';

/**
 * One request of the load: a POST of this body, or a GET. `operations`: the number it carries; without it, it
 * is a single one.
 */
export type LoadRequest = {
  path: string;
  body?: object;
  headers?: Record<string, string>;
  operations?: number;
};

export type LoadResult = {
  /** Answers 2xx per second; of batches, the applied operations. */
  rate: number;
  /** Of all answers except those in `unavailable`. */
  p50Ms: number;
  p99Ms: number;
  succeeded: number;
  /** All answers, including the warm-up's. */
  answered: number;
  /** Answers that are neither a success nor a refusal for lack of stock. */
  errors: number;
  /** Answers 503. */
  unavailable: { count: number; p50Ms: number; p99Ms: number; maxMs: number };
};

/**
 * Keeps `callers` requests under way, each caller on its own connection, for `seconds` after a warm-up. With
 * `pacePerSecond`, the callers together start that many requests a second instead, and a request's time
 * counts from when it was due.
 */
export async function runLoad(options: {
  origin: string;
  token: string;
  callers: number;
  seconds: number;
  warmUpSeconds: number;
  pacePerSecond?: number;
  next: () => LoadRequest;
}): Promise<LoadResult> {
  const pool = new Pool(options.origin, { connections: options.callers, pipelining: 1 });
  const headers = { authorization: `Bearer ${options.token}`, 'content-type': 'application/json' };
  const latencies: number[] = [];
  const unavailable: number[] = [];
  let others = 0;
  let succeeded = 0;
  let answered = 0;
  const startedAt = performance.now();
  const measureFrom = startedAt + options.warmUpSeconds * 1000;
  const endAt = measureFrom + options.seconds * 1000;
  let tickets = 0;

  async function dueAt(): Promise<number> {
    if (options.pacePerSecond === undefined) return performance.now();
    const due = startedAt + (tickets++ / options.pacePerSecond) * 1000;
    const wait = due - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    return due;
  }

  async function call() {
    for (;;) {
      const due = await dueAt();
      if (due >= endAt) return;
      const { path, body, headers: own, operations } = options.next();
      const answer = await pool.request({
        method: body === undefined ? 'GET' : 'POST',
        path: `/api/v1${path}`,
        headers: own === undefined ? headers : { ...headers, ...own },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const applied = operations === undefined ? null : appliedOf(await answer.body.text());
      if (applied === null) await answer.body.dump();
      const endedAt = performance.now();
      answered += operations ?? 1;
      if (endedAt < measureFrom || endedAt > endAt) continue;
      if (answer.statusCode === 503) {
        unavailable.push(endedAt - due);
        continue;
      }
      latencies.push(endedAt - due);
      if (answer.statusCode < 300) succeeded += applied ?? 1;
      else if (answer.statusCode !== 409) others += 1;
    }
  }
  await Promise.all(Array.from({ length: options.callers }, call));
  await pool.close();

  return {
    rate: succeeded / options.seconds,
    ...quantiles(latencies),
    succeeded,
    answered,
    errors: unavailable.length + others,
    unavailable: { count: unavailable.length, ...quantiles(unavailable), maxMs: Math.max(0, ...unavailable) },
  };
}

/** The number of applied operations of a batch, from the summary that ends its answer. */
function appliedOf(text: string): number {
  return Number(/"summary":\{"applied":(\d+)/.exec(text.slice(-200))?.[1] ?? 0);
}

/** Runs `work` this many times, one after the other. Returns its median time, milliseconds. */
export async function timed(work: () => Promise<unknown>, times = 30): Promise<number> {
  const took: number[] = [];
  for (let run = 0; run < times; run++) {
    const startedAt = performance.now();
    await work();
    took.push(performance.now() - startedAt);
  }
  return medianOf(took);
}

/** NaN if there are none. */
export function medianOf(values: readonly number[]): number {
  return quantiles([...values]).p50Ms;
}

/** Sorts the latencies, milliseconds; NaN if there are none. */
export function quantiles(latencies: number[]): { p50Ms: number; p99Ms: number } {
  latencies.sort((a, b) => a - b);
  const at = (q: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
