import { createHash } from 'node:crypto';

/** The users of Redis: the two processes, and an operator, who sees how Redis is and changes nothing. */
export type RedisUser = 'api' | 'worker' | 'admin';

export const redisUsers: readonly RedisUser[] = ['api', 'worker', 'admin'];

// Commands that every connection sends; those in the second line only to a Redis Cluster.
const connection =
  'ping info client|setname ' + 'cluster|info cluster|slots cluster|keyslot asking readonly readwrite';

// Commands of BullMQ's scripts that add and remove a job, and of all processes to keep the streams of events
// short.
const queueing =
  'eval evalsha multi exec time del exists get set hget hgetall hmget hmset hset incr llen lpush lrange lrem persist pttl rpush sadd ' +
  'scard smembers srem xadd xtrim zadd zrange zrem zrevrangebyscore zscore';

const commands: Record<RedisUser, string> = {
  // It also reads the events, and counts requests and wrong secrets.
  api: `${connection} ${queueing} xread xrevrange expire incrby pexpire`,
  // Also the commands of BullMQ's scripts that take a job, keep it, end it and retry it.
  worker:
    `${connection} ${queueing} bzpopmin hdel hexists hincrby lindex ltrim pexpire rpop rpoplpush zcard zcount zpopmin ` +
    'zrangebyscore zremrangebyrank zremrangebyscore zrevrange',
  // For `doctor`: connections, clock, holders of shards, waiting and last finished jobs. It changes nothing,
  // but can make Redis reload its users, which a new version may have changed.
  admin: `${connection} acl|load client|list hgetall llen time xrevrange zcard`,
};

// Patterns for the keys of the queues and limiters. No channels.
const keys: Record<RedisUser, (prefix: string) => string[]> = {
  api: (prefix) => [`~${prefix}:*`],
  worker: (prefix) => [`~${prefix}:{stock-*`],
  admin: (prefix) => [`~${prefix}:{stock-*`],
};

/**
 * The rights of a user of Redis, as rules for `ACL SETUSER` or for a line of an ACL file after the password:
 * these commands on the keys of this service, and nothing else. `prefix`: QUEUE_PREFIX, or a glob pattern.
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
 * An ACL file with these users and nobody else: without a name and a password nobody gets in. It holds
 * digests of the passwords. `more`: users with rules of their own.
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
