import { createHash, randomBytes } from 'node:crypto';
import { type RedisUser, redisRulesOf, redisUsers } from '@inventory/queue/redis-rights';

/** The users of a Redis that this stack starts, each with a password drawn for this start. */
export type LocalRedisUsers = {
  /** The content of its ACL file; it has digests of the passwords only. */
  aclFile: string;
  /** The address of each on a port of this host. */
  urlsOn(host: string, port: number): Record<RedisUser, string>;
  /** The address of one that may do everything, for tests; of the admin where there is none. */
  widestUrlOn(host: string, port: number): string;
  adminPassword: string;
};

// Only in stacks of tests, which empty, fill and slow their Redis.
const almighty = 'tests';

/** `prefix`: QUEUE_PREFIX. Without a name nobody gets in: the user `default` is off. */
export function createRedisUsers(prefix: string, forTests: boolean): LocalRedisUsers {
  const passwords = Object.fromEntries(
    [...redisUsers, almighty].map((user) => [user, randomBytes(24).toString('base64url')]),
  );
  const line = (user: string, rules: readonly string[]) =>
    ['user', user, 'on', `#${digest(passwords[user]!)}`, ...rules].join(' ');
  const urlOf = (user: string, host: string, port: number) =>
    `redis://${user}:${passwords[user]}@${host}:${port}`;
  return {
    aclFile: [
      'user default off resetchannels -@all',
      ...redisUsers.map((user) => line(user, redisRulesOf(user, prefix))),
      ...(forTests ? [line(almighty, ['~*', '&*', '+@all'])] : []),
      '',
    ].join('\n'),
    urlsOn: (host, port) =>
      Object.fromEntries(redisUsers.map((user) => [user, urlOf(user, host, port)])) as Record<
        RedisUser,
        string
      >,
    widestUrlOn: (host, port) => urlOf(forTests ? almighty : 'admin', host, port),
    adminPassword: passwords.admin!,
  };
}

function digest(password: string): string {
  return createHash('sha256').update(password, 'utf8').digest('hex');
}
