import { join, resolve } from 'node:path';
import type { Stack } from '@inventory/local/stack';
import { startProxy } from '../faults/proxy.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { type CpuTime, readCpuOf } from './cpu-time.ts';
import { type LoadRequest, type LoadResult, quantiles, runLoad } from './load.ts';
import { makeDatabase, manyCallers } from './site.ts';

export type SeveralLoad = {
  /** Over all apis, evenly shared. */
  callers: number;
  seconds: number;
  /** Requests a second over all apis; as many as possible when not set. */
  pacePerSecond?: number;
  /** The number of apis that get requests; all by default. */
  asked?: number;
  next: () => LoadRequest;
};

export type SeveralResult = {
  rate: number;
  p50Ms: number;
  p99Ms: number;
  errors: number;
  /**
   * Microseconds per request, each part over all its processes; null where this system does not report it.
   */
  cpu: CpuTime | null;
  /** The use of the apis without requests, microseconds for each request of the others. */
  bystanders: number;
};

/** Several apis and workers on one Postgres and one Redis. */
export type Several = {
  apis: Started[];
  workers: Started[];
  run(load: SeveralLoad): Promise<SeveralResult>;
  stop(): Promise<void>;
};

/**
 * Starts this many apis and workers on their own database. `turnMs`: the additional time of each turn of a
 * worker with Postgres, as if it were elsewhere. `source`: the checkout whose code they run.
 */
export async function startSeveral(
  stack: Stack,
  options: {
    name: string;
    apis: number;
    workers: number;
    turnMs?: number;
    env?: Record<string, string>;
    source?: string;
  },
): Promise<Several> {
  const { name, turnMs = 0, source } = options;
  const root = resolve(source ?? join(import.meta.dirname, '../..'));
  const { url, sql, secret } = await makeDatabase(stack, name, { source: root });
  const proxy = turnMs === 0 ? null : await startProxy(Number(new URL(url).port), { turnMs });
  const env = { DATABASE_URL: url, REDIS_URL: stack.redisUrl, PORT: '0', QUEUE_PREFIX: name, ...manyCallers };
  const farUrl = new URL(url);
  if (proxy !== null) farUrl.port = String(proxy.port);
  const start = (part: 'api' | 'worker', extra: Record<string, string> = {}) =>
    startProcess(join(root, `apps/${part}/src/main.ts`), { ...env, ...extra, ...options.env });
  const workers = await Promise.all(
    Array.from({ length: options.workers }, () => start('worker', { DATABASE_URL: farUrl.href })),
  );
  const apis = await Promise.all(Array.from({ length: options.apis }, () => start('api')));
  const origins = apis.map(({ port }) => `http://127.0.0.1:${port}`);
  const form = { grant_type: 'client_credentials', client_id: 'bench', client_secret: secret };
  const answer = await fetch(`${origins[0]}/api/v1/Token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const pids = (parts: Started[]) => parts.map(({ child }) => child.pid!);

  return {
    apis,
    workers,
    async run({ callers, seconds, pacePerSecond, next, asked = apis.length }) {
      const others = pids(apis.slice(asked));
      const othersBefore = readCpuOf(others, []);
      const before = readCpuOf(pids(apis), pids(workers));
      const results: LoadResult[] = await Promise.all(
        origins.slice(0, asked).map((origin) =>
          runLoad({
            origin,
            token,
            callers: Math.max(1, Math.round(callers / asked)),
            seconds,
            warmUpSeconds: 0,
            next,
            ...(pacePerSecond === undefined ? {} : { pacePerSecond: pacePerSecond / asked }),
          }),
        ),
      );
      const after = readCpuOf(pids(apis), pids(workers));
      const othersAfter = readCpuOf(others, []);
      const sum = (read: (result: LoadResult) => number) =>
        results.reduce((total, result) => total + read(result), 0);
      const answered = sum((result) => result.answered);
      const each = (part: keyof CpuTime) => ((after![part] - before![part]) * 1000) / answered;
      return {
        bystanders: (((othersAfter?.api ?? 0) - (othersBefore?.api ?? 0)) * 1000) / answered,
        rate: sum((result) => result.rate),
        ...quantiles(results.flatMap((result) => result.latencies)),
        errors: sum((result) => result.errors),
        cpu:
          before === null || after === null
            ? null
            : { api: each('api'), worker: each('worker'), postgres: each('postgres'), redis: each('redis') },
      };
    },
    async stop() {
      await Promise.all(apis.map((api) => api.stop()));
      await Promise.all(workers.map((worker) => worker.stop()));
      proxy?.close();
      await sql.end();
    },
  };
}
