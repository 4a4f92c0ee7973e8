import type { Sql } from '@inventory/postgres/pool';
import type { StatementPool } from '@inventory/postgres/statement-pool';

type Waiting<In, Out> = { input: In; resolve: (output: Out) => void; reject: (error: unknown) => void };

// More than callers ask for at one moment, and few enough for one statement to end within milliseconds.
const inputsMax = 1000;

/**
 * Combines the inputs of one turn of the event loop, or all that arrive while every connection is busy, into
 * one call of `work`, at most 1,000. A statement for each request would cost as much as the rest of the
 * request. `work` returns one output for each input, in order.
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
        // Taken only now, so that requests that came while it waited for a connection are included.
        taken.push(...take());
        const inputs = taken.map(({ input }) => input);
        return inputs.length === 0 ? Promise.resolve([]) : work(sql, inputs);
      });
      for (const [index, { resolve }] of taken.entries()) resolve(outputs[index]!);
    } catch (error) {
      // If no connection was free in time, nothing has been taken yet.
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
