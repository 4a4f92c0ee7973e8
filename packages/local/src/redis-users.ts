import { randomBytes } from 'node:crypto';
import { type RedisUser, redisAclFile, redisUsers } from '@inventory/queue/redis-rights';

/** The users of a Redis that this stack starts. Each start draws new passwords. */
export type LocalRedisUsers = {
  /** The content of its ACL file. */
  aclFile: string;
  /** The address for each user on a port of this host. */
  urlsOn(host: string, port: number): Record<RedisUser, string>;
  /** The address for a user with all rights, for tests; otherwise that of the admin. */
  widestUrlOn(host: string, port: number): string;
  adminPassword: string;
};

// Only in stacks of tests, which empty, fill and slow down their Redis.
const almighty = 'tests';

const drawPassword = () => randomBytes(24).toString('base64url');

/** `prefix`: QUEUE_PREFIX. */
export function createRedisUsers(prefix: string, forTests: boolean): LocalRedisUsers {
  const passwords = { api: drawPassword(), worker: drawPassword(), admin: drawPassword() };
  const widest = forTests ? [{ user: almighty, password: drawPassword(), rules: ['~*', '&*', '+@all'] }] : [];
  const urlOf = (user: string, password: string, host: string, port: number) =>
    `redis://${user}:${password}@${host}:${port}`;
  return {
    aclFile: redisAclFile(passwords, prefix, widest),
    urlsOn: (host, port) =>
      Object.fromEntries(
        redisUsers.map((user) => [user, urlOf(user, passwords[user], host, port)]),
      ) as Record<RedisUser, string>,
    widestUrlOn(host, port) {
      const { user, password } = widest[0] ?? { user: 'admin', password: passwords.admin };
      return urlOf(user, password, host, port);
    },
    adminPassword: passwords.admin,
  };
}
