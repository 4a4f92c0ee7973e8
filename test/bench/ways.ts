import { basename, join, resolve } from 'node:path';

/** A way of writing, and its two processes. */
export type Way = {
  name: string;
  api: string;
  worker: string | null;
  env: Record<string, string>;
  /** The checkout whose tables these processes use, if not this one. */
  source?: string;
  /** The command that runs them, if not this Node. */
  command?: readonly string[];
};

const api = 'apps/api/src/main.ts';
const worker = 'apps/worker/src/main.ts';

/**
 * The api and the worker of another checkout of the service, with its own libraries and tables. `command`:
 * runs them; empty: this Node does.
 */
export function wayOf(source: string, command: readonly string[] = []): Way {
  const checkout = resolve(source);
  return {
    name: `the service in ${basename(checkout)}`,
    api: join(checkout, api),
    worker: join(checkout, worker),
    env: {},
    source: checkout,
    ...(command.length > 0 && { command }),
  };
}

/** The ways that one run compares. */
export const ways = {
  ours: { name: 'ours: envelopes and batches', api, worker, env: {} },
  single: {
    name: 'ours, one request per envelope and batch',
    api,
    worker,
    env: { ENVELOPE_MAX: '1', BATCH_MAX: '1', ENVELOPES_IN_FLIGHT: '128', WORKER_CONCURRENCY: '8' },
  },
  plain: {
    name: 'plain: one transaction per request, no queue',
    api: 'test/bench/plain-server.ts',
    worker: null,
    env: {},
  },
} satisfies Record<string, Way>;
