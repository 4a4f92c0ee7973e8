import { once } from 'node:events';

/** The message from `neighbour.ts`. */
export type NeighbourCaller = {
  baseUrl: string;
  headers: Record<string, string>;
  /** Lists; with a body, transactions. */
  calls: { path: string; body?: object }[];
  callsMax: number;
  together: number;
};

// A process of its own: reading megabytes of lists must not disturb the other caller's timing.
const [told] = (await once(process, 'message')) as [NeighbourCaller];
const { baseUrl, headers, calls, callsMax, together } = told;
const statuses = new Map<number | string, number>();
let sent = 0;

async function call() {
  while (sent < callsMax) {
    const { path, body } = calls[sent++ % calls.length]!;
    const asked = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const status = await fetch(baseUrl + path, { headers, ...asked })
      .then(async (answer) => {
        for await (const _chunk of answer.body!);
        return answer.status;
      })
      .catch((error: Error) => error.name);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
}

await Promise.all(Array.from({ length: together }, call));
process.send!([...statuses], () => process.disconnect());
