import type { Sql } from '@inventory/db/pool';
import type { StatementPool } from '@inventory/db/statement-pool';

type Waiting<In, Out> = { input: In; resolve: (output: Out) => void; reject: (error: unknown) => void };

// More than callers ask in a moment, and few enough for a statement that ends in some milliseconds.
const inputsMax = 1000;

/**
 * Makes one piece of work of all that is asked in one turn of the event loop, or while every connection is
 * busy, of 1,000 inputs at most: a statement of its own would cost a request as much as all the rest of it.
 * `work` returns an output for each input, in their order.
 */
export function gather<In, Out>(
  pool: StatementPool,
  work: (sql: Sql, inputs: readonly In[]) => Promise<Out[]>,
): (input: In) => Promise<Out> {
  const waiting: Waiting<In, Out>[] = [];
  let scheduled = false;

  function take(): Waiting<In, Out>[] {
    const taken = waiting.splice(0, inputsMax);
    scheduled = waiting.length > 0;
    if (scheduled) setImmediate(run);
    return taken;
  }

  async function run() {
    const taken: Waiting<In, Out>[] = [];
    try {
      const outputs = await pool.run((sql) => {
        // Not before it runs: a request that came while it waited for a connection goes along.
        taken.push(...take());
        const inputs = taken.map(({ input }) => input);
        return inputs.length === 0 ? Promise.resolve([]) : work(sql, inputs);
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
