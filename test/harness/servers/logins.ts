import { randomBytes } from 'node:crypto';
import { ensureLogins, type Login, parts } from '@inventory/db/access/logins';
import type { Sql } from '@inventory/postgres/pool';
import { redisRulesOf } from '@inventory/queue/redis-rights';
import type { Redis } from 'ioredis';
import type { RedisLogins } from './redis-servers.ts';

/** Logins of this run alone, which a second run on the same servers does not remove. */
export function createLogins(): Login[] {
  const run = randomBytes(4).toString('hex');
  return parts.map((part) => ({
    part,
    name: `test_${run}_${part}`,
    password: randomBytes(16).toString('hex'),
  }));
}

/** Creates the logins on a Postgres whose template is migrated. Returns a function that removes them. */
export async function addLogins(sql: Sql, logins: readonly Login[]): Promise<() => Promise<void>> {
  await ensureLogins(sql, logins);
  return async () => {
    for (const { name } of logins) await sql.unsafe(`drop role if exists ${name}`);
  };
}

/**
 * Creates the logins on a Redis with their usual rights, except for the prefix, which differs between tests.
 * `redis` may do everything.
 */
export async function addRedisLogins(redis: Redis, logins: readonly Login[]): Promise<void> {
  for (const { part, name, password } of logins) {
    const user = part === 'operator' ? 'admin' : part;
    await redis.call('ACL', 'SETUSER', name, 'reset', 'on', `>${password}`, ...redisRulesOf(user, '*'));
  }
}

/** The refusals that these logins have met so far, by command or key. */
export async function findRefused(redis: Redis, logins: readonly Login[]): Promise<string[]> {
  const log = (await redis.call('ACL', 'LOG', '1000')) as (string | number)[][];
  return log.flatMap((entry) => {
    const fields = Object.fromEntries(
      entry.flatMap((value, at) => (at % 2 === 0 ? [[value, entry[at + 1]]] : [])),
    );
    const { username, reason, context, object } = fields as Record<string, string>;
    const login = logins.find(({ name }) => name === username);
    return login === undefined ? [] : [`${login.part}: ${reason} ${object} (${context})`];
  });
}

/** The same as the lines of an ACL file, with one more login that may do everything. */
export function redisLogins(logins: readonly Login[]): RedisLogins {
  const almighty = { user: 'almighty', password: randomBytes(16).toString('hex') };
  const lines = logins.map(({ part, name, password }) =>
    ['user', name, 'on', `>${password}`, ...redisRulesOf(part === 'operator' ? 'admin' : part, '*')].join(
      ' ',
    ),
  );
  const aclFile = [
    'user default off',
    ...lines,
    `user ${almighty.user} on >${almighty.password} ~* &* +@all`,
    '',
  ].join('\n');
  return { aclFile, almighty };
}
