import { reach } from '@inventory/postgres/pool';
import { lookEvery } from '@inventory/process/look-every';
import { PlainError } from '@inventory/process/plain-error';
import type { Reporting } from '@inventory/process/reporting';
import { noteWrites } from '@inventory/process/unwritable';
import type { Consumer } from '@inventory/queue/consume/consume';
import type { WorkerDatabase } from './database.ts';

// How often the worker checks for Redis and Postgres.
const lookEveryMs = 1000;

/** A watch on Redis and Postgres, which a worker needs. */
export type Needs = {
  /** Rejects with the reason when the worker cannot work now. */
  checkReady(): Promise<undefined>;
  stop(): void;
};

/** Keeps checking that Redis and Postgres are there, and tells the apis if Postgres refuses to write. */
export function watchNeeds(
  { statements }: WorkerDatabase,
  consumer: Consumer,
  { presence, unwritable }: Reporting,
): Needs {
  const stop = lookEvery(lookEveryMs, async () => {
    presence.note('redis', consumer.isOpen());
    const isThere = await statements.run(reach).then(
      () => true,
      () => false,
    );
    presence.note('postgres', isThere);
    const reason = unwritable.now();
    noteWrites(presence, reason);
    if (reason !== null) consumer.tellUnwritable(reason);
  });
  return {
    async checkReady() {
      await statements.run(reach);
      if (!consumer.isOpen()) throw new PlainError('Redis is away');
      return undefined;
    },
    stop,
  };
}
