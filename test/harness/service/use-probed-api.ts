import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, inject } from 'vitest';
import { type ProbedApi, startProbedApi } from './probed-api.ts';
import { type Service, useService } from './service.ts';

/**
 * A service for one test file, and a further api on its database and queue, which runs in a process of its
 * own beside the one of the tests. `more`: settings of that api. `env`: what it shares with the service.
 */
export function useProbedApi(more: Record<string, string> = {}): {
  service: Service;
  api: ProbedApi;
  env: Record<string, string>;
} {
  const env = { QUEUE_PREFIX: `test-${randomBytes(6).toString('hex')}`, RATE_LIMIT: '1000000' };
  const service = useService({ env });
  const api = {} as ProbedApi;
  let started: ProbedApi | undefined;
  beforeAll(async () => {
    const { databaseUrl: DATABASE_URL } = service;
    started = await startProbedApi({ DATABASE_URL, REDIS_URL: inject('redisUrl'), ...env, ...more });
    Object.assign(api, started);
  });
  afterAll(() => started?.stop());
  return { service, api, env };
}
