import type { RequestListener } from 'node:http';
import { createRateLimiter, type RateLimiter } from '@inventory/auth/rate-limit';
import type { StatementPool } from '@inventory/postgres/statement-pool';
import type { Log } from '@inventory/process/log/log';
import type { RedisConnection } from '@inventory/redis/redis-cluster';
import { type Authenticator, createAuthenticator } from './callers/authenticator.ts';
import { createGuessLimiter, type GuessLimiter } from './callers/guess-limit.ts';
import { createStrangers, type Strangers } from './callers/strangers.ts';
import { createStanding, type Standing } from './connections/caller-standing.ts';
import { type Listening, type ListenSettings, listen } from './connections/listen.ts';
import { type BodyRoom, createBodyRoom } from './reading/body-room.ts';
import { createUnreadAnswers, type UnreadAnswers } from './unread-answers.ts';

/** The callers of this process, their connections and the memory that they take. */
export type Http = {
  authenticator: Authenticator;
  rateLimiter: RateLimiter;
  guesses: GuessLimiter;
  strangers: Strangers;
  standing: Standing;
  bodyRoom: BodyRoom;
  answers: UnreadAnswers;
  /** Whether the process is about to stop. */
  isDraining(): boolean;
  /**
   * From now on every answer closes its connection. After that, the idle connections can be closed without
   * cutting off a request.
   */
  drain(): void;
  listen(handle: RequestListener): Promise<Listening>;
};

type Neighbours = {
  /** Reads clients and signing keys. */
  authentication: StatementPool;
  redis: RedisConnection;
  /** The clock of Postgres, in milliseconds since 1970. */
  now: () => number;
  log: Log;
};

/** Opens the way for callers. Fails if Postgres cannot be asked for the keys of tokens. */
export async function openHttp(
  config: ListenSettings & { QUEUE_PREFIX: string },
  { authentication, redis, now, log }: Neighbours,
): Promise<Http> {
  const { QUEUE_PREFIX: prefix } = config;
  let isDraining = false;
  const standing = createStanding();
  const strangers = createStrangers(() => isDraining, standing);
  return {
    authenticator: await createAuthenticator(authentication, now, log, strangers.isSpent),
    rateLimiter: createRateLimiter(redis, { prefix, what: 'requests' }),
    guesses: createGuessLimiter(redis, prefix),
    strangers,
    standing,
    bodyRoom: createBodyRoom(),
    answers: createUnreadAnswers(),
    isDraining: () => isDraining,
    drain() {
      isDraining = true;
    },
    listen: (handle) => listen(config, handle, { standing, log }),
  };
}
