import type { Sql } from '@inventory/db/client';
import type { StatementPool } from '@inventory/db/statement-pool';

type Waiting<In, Out> = { input: In; resolve: (output: Out) => void; reject: (error: unknown) => void };

/**
 * Makes one piece of work of all that is asked in one turn of the event loop, or while every connection is
 * busy: a statement of its own would cost a request as much as all the rest of it. `work` returns an output
 * for each input, in their order.
 */
export function gather<In, Out>(
  pool: StatementPool,
  work: (sql: Sql, inputs: readonly In[]) => Promise<Out[]>,
): (input: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = [];
  let scheduled = false;

  function take(): Waiting<In, Out>[] {
    const taken = waiting;
    waiting = [];
    scheduled = false;
    return taken;
  }

  async function run() {
    const taken: Waiting<In, Out>[] = [];
    try {
      const outputs = await pool.run((sql) => {
        // Not before it runs: a request that came while it waited for a connection goes along.
        taken.push(...take());
        return work(
          sql,
          taken.map(({ input }) => input),
        );
      });
      for (const [index, { resolve }] of taken.entries()) resolve(outputs[index]!);
    } catch (error) {
      // Nothing is taken when no connection was free in time.
      for (const { reject } of taken.length > 0 ? taken : take()) reject(error);
    }
  }

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      if (scheduled) return;
      scheduled = true;
      setImmediate(run);
    });
}
