import { makeChecks } from '@inventory/admin/doctor/check';
import { postgresChecks } from '@inventory/admin/doctor/postgres-checks';
import { queueChecks } from '@inventory/admin/doctor/queue-checks';
import type { Sql } from '@inventory/postgres/pool';
import { watchQueues } from '@inventory/queue/health';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import { runHere } from './command-line.ts';

export type Check = { id: string; state: string; found: string; wanted: string; remedy: string | null };

/** The findings of `doctor`. `failed`: the ids of the checks that fail. */
export type Examined = { code: number | null; checks: Record<string, Check>; failed: string[] };

/** A list of checks as tests look at it. */
export function toExamined(list: readonly Check[], code: number | null = null): Examined {
  return {
    code,
    checks: Object.fromEntries(list.map((check) => [check.id, check])),
    failed: list.filter(({ state }) => state === 'fail').map(({ id }) => id),
  };
}

/** Runs `doctor` in this process, with the operator's settings in `env`. */
export async function examine(env: Record<string, string>, args: readonly string[] = []): Promise<Examined> {
  const { code, stdout, stderr } = await runHere(['doctor', '--json', ...args], env);
  expect(stderr).toBe('');
  return toExamined(JSON.parse(stdout), code);
}

/** Doctor's checks of Postgres, by the login of `sql`. */
export async function examinePostgres(sql: Sql): Promise<Examined> {
  return toExamined(await makeChecks(sql, postgresChecks));
}

/** Doctor's checks of the queues with this prefix, watched for so long. */
export async function examineQueues(redis: Redis, prefix: string, watchMs: number): Promise<Examined> {
  const health = await watchQueues(redis, { prefix, watchMs, untilFinished: true });
  return toExamined(await makeChecks({ health }, queueChecks));
}
