import type { RedisUser } from '@inventory/queue/redis-rights';

/**
 * A server that runs: its URL, its port, its version for people, and how to stop it and wait until it is
 * gone.
 */
export type LocalServer = { url: string; port: number; version: string; stop(): Promise<void> };

/** A Redis that runs. `url`: of the user that may do most; `urls`: of each part's. */
export type LocalRedis = LocalServer & { urls: Record<RedisUser, string> };

export type ServerSettings = {
  /** The folder of the stack, without links in its path. */
  folder: string;
  /** The one to use or fail; without it the remembered one if it is free, else any. */
  port: number | undefined;
  rememberedPort: number | undefined;
  throwAway: boolean;
  /** QUEUE_PREFIX: whose keys the parts may touch in Redis. */
  queuePrefix: string;
  report: (line: string) => void;
  signal: AbortSignal;
};
