import { once } from 'node:events';

/** What `neighbour.ts` sends it. */
export type NeighbourCaller = {
  baseUrl: string;
  headers: Record<string, string>;
  paths: string[];
  listsMax: number;
  together: number;
};

// In a process of its own: what it reads, megabytes a list, is not to hold up the clock of the other caller.
const [told] = (await once(process, 'message')) as [NeighbourCaller];
const { baseUrl, headers, paths, listsMax, together } = told;
const statuses = new Map<number | string, number>();
let sent = 0;

async function call() {
  while (sent < listsMax) {
    const path = paths[sent++ % paths.length]!;
    const status = await fetch(baseUrl + path, { headers })
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
