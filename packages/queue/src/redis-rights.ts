import { createHash } from 'node:crypto';

/**
 * The Redis users: the two processes, and an operator, who can read the state of Redis but change nothing.
 */
export type RedisUser = 'api' | 'worker' | 'admin';

export const redisUsers: readonly RedisUser[] = ['api', 'worker', 'admin'];

// Commands that every connection sends. The second line is for a Redis Cluster.
const connection =
  'ping info client|setname ' + 'cluster|info cluster|slots cluster|keyslot asking readonly readwrite';

// Commands of BullMQ's scripts that add and remove a job, and commands of all processes that trim the event
// streams.
const queueing =
  'eval evalsha multi exec time del exists get set hget hgetall hmget hmset hset incr llen lpush lrange lrem persist pttl rpush sadd ' +
  'scard smembers srem xadd xtrim zadd zrange zrem zrevrangebyscore zscore';

const commands: Record<RedisUser, string> = {
  // The api also reads events and counts requests and wrong secrets.
  api: `${connection} ${queueing} xread xrevrange expire incrby pexpire`,
  // The worker also runs BullMQ's scripts that take, extend, end and retry a job.
  worker:
    `${connection} ${queueing} bzpopmin hdel hexists hincrby lindex ltrim pexpire rpop rpoplpush zcard zcount zpopmin ` +
    'zrangebyscore zremrangebyrank zremrangebyscore zrevrange',
  // For `doctor`: connections, clock, holders of shards, waiting and last finished jobs. It changes nothing,
  // except that it can make Redis reload its users, whose rights a new version may have changed.
  admin: `${connection} acl|load client|list hgetall llen time xrevrange zcard`,
};

// Patterns for the keys of the queues and limiters. No channels.
const keys: Record<RedisUser, (prefix: string) => string[]> = {
  api: (prefix) => [`~${prefix}:*`],
  worker: (prefix) => [`~${prefix}:{stock-*`, `~${prefix}:{webhooks}*`],
  admin: (prefix) => [`~${prefix}:{stock-*`],
};

/**
 * The rights of a Redis user, as rules for `ACL SETUSER` or for a line of an ACL file after the password:
 * only these commands, only on keys of this service. `prefix`: QUEUE_PREFIX, or a glob pattern.
 */
export function redisRulesOf(user: RedisUser, prefix: string): string[] {
  return [
    ...keys[user](prefix),
    'resetchannels',
    '-@all',
    ...commands[user].split(' ').map((command) => `+${command}`),
  ];
}

/**
 * An ACL file with these users and no others. Access needs a name and a password; the file holds digests of
 * the passwords. `more`: users with rules of their own.
 */
export function redisAclFile(
  passwords: Record<RedisUser, string>,
  prefix: string,
  more: readonly { user: string; password: string; rules: readonly string[] }[] = [],
): string {
  const users = redisUsers.map((user) => ({
    user,
    password: passwords[user],
    rules: redisRulesOf(user, prefix),
  }));
  const lines = [...users, ...more].map(({ user, password, rules }) => {
    const digest = createHash('sha256').update(password, 'utf8').digest('hex');
    return ['user', user, 'on', `#${digest}`, ...rules].join(' ');
  });
  return ['user default off resetchannels -@all', ...lines, ''].join('\n');
}
