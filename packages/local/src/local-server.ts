import type { RedisUser } from '@inventory/queue/redis-rights';

/** A running server: its URL, port and version, and a function that stops it and waits until it is gone. */
export type LocalServer = { url: string; port: number; version: string; stop(): Promise<void> };

/** A running Redis. `url`: for the user with the most rights. `urls`: for each part. */
export type LocalRedis = LocalServer & { urls: Record<RedisUser, string> };

export type ServerSettings = {
  /** The folder of the stack, without links in its path. */
  folder: string;
  /** The port of the last start, which is used again if it is free; otherwise any free one. */
  rememberedPort: number | undefined;
  throwAway: boolean;
  /** QUEUE_PREFIX: the keys that the parts may use in Redis. */
  queuePrefix: string;
  report: (line: string) => void;
  signal: AbortSignal;
};
