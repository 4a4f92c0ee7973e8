import { createHash } from 'node:crypto';

/** The users of Redis: the two processes, and an operator, who sees how Redis is and changes nothing. */
export type RedisUser = 'api' | 'worker' | 'admin';

export const redisUsers: readonly RedisUser[] = ['api', 'worker', 'admin'];

// Commands that every connection sends by itself; those in the second line only to a Redis Cluster.
const connection =
  'ping info client|setname ' + 'cluster|info cluster|slots cluster|keyslot asking readonly readwrite';

// What BullMQ's scripts for adding and removing a job do, and what all processes do beside them: keep the
// streams of events short.
const queueing =
  'eval evalsha multi exec time del exists get set hget hgetall hmget hmset hset incr llen lpush lrange lrem persist pttl rpush sadd ' +
  'scard smembers srem xadd xtrim zadd zrange zrem zrevrangebyscore zscore';

const commands: Record<RedisUser, string> = {
  // And it reads the events, and counts requests and guesses.
  api: `${connection} ${queueing} xread xrevrange expire incrby pexpire`,
  // And what BullMQ's scripts do to take a job, keep it, end it and try it again.
  worker:
    `${connection} ${queueing} bzpopmin hdel hexists hincrby lindex ltrim pexpire rpop rpoplpush zcard zcount zpopmin ` +
    'zrangebyscore zremrangebyrank zremrangebyscore zrevrange',
  // And `doctor` looks at who is connected, the clock, who holds which shard, what
  // waits in the queues and what was finished last.
  // It changes nothing but that Redis reads its users anew, which a new version may have written.
  admin: `${connection} acl|load client|list hgetall llen time xrevrange zcard`,
};

// As the queues and the limiters name their keys. No channels.
const keys: Record<RedisUser, (prefix: string) => string[]> = {
  api: (prefix) => [`~${prefix}:*`],
  worker: (prefix) => [`~${prefix}:{stock-*`],
  admin: (prefix) => [`~${prefix}:{stock-*`],
};

/**
 * What a user of Redis may do, as the rules of `ACL SETUSER` or of a line of an ACL file after the user's
 * password: these commands on the keys of this service, and nothing else. `prefix`: QUEUE_PREFIX, or a glob
 * pattern.
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
