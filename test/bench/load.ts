import { Pool } from 'undici';

/** One request of the load: its path and body, and perhaps a key. */
export type LoadRequest = { path: string; body: object; headers?: Record<string, string> };

export type LoadResult = {
  /** Answers of status 2xx per second. */
  rate: number;
  p50Ms: number;
  p99Ms: number;
  succeeded: number;
  /** Answers that are no success and no refusal for lack of stock: anything here is an error. */
  errors: number;
  statuses: Record<number, number>;
};

/** Keeps `callers` requests under way for `seconds`, each caller on a connection of its own, after a warm-up. */
export async function runLoad(options: {
  origin: string;
  token: string;
  callers: number;
  seconds: number;
  warmUpSeconds: number;
  next: (caller: number) => LoadRequest;
}): Promise<LoadResult> {
  const pool = new Pool(options.origin, { connections: options.callers, pipelining: 1 });
  const authorization = `Bearer ${options.token}`;
  const statuses: Record<number, number> = {};
  const latencies: number[] = [];
  const measureFrom = performance.now() + options.warmUpSeconds * 1000;
  const endAt = measureFrom + options.seconds * 1000;

  async function call(caller: number) {
    for (;;) {
      const startedAt = performance.now();
      if (startedAt >= endAt) return;
      const { path, body, headers } = options.next(caller);
      const answer = await pool.request({
        method: 'POST',
        path: `/api/v1${path}`,
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      await answer.body.dump();
      const endedAt = performance.now();
      if (endedAt < measureFrom || endedAt > endAt) continue;
      statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
      latencies.push(endedAt - startedAt);
    }
  }
  await Promise.all(Array.from({ length: options.callers }, (_, caller) => call(caller)));
  await pool.close();

  latencies.sort((a, b) => a - b);
  const quantile = (q: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? Number.NaN;
  const succeeded = (statuses[200] ?? 0) + (statuses[201] ?? 0);
  return {
    rate: succeeded / options.seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    succeeded,
    errors: latencies.length - succeeded - (statuses[409] ?? 0),
    statuses,
  };
}
