import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { type Service, uniqueName } from '../service/service.ts';

/** The answer to one request. */
type Told = { reference: string; status: number; text: string };

/** Callers that write through every api until they are stopped. */
export type Load = {
  /** Waits until each api has applied a request for each item that was sent after this moment. */
  untilBack(since: number): Promise<void>;
  /** Stops, and compares each answer with Postgres. */
  stopAndCompare(): Promise<void>;
};

const callersPerItem = 1;
const backWithinMs = 60_000;

/** Starts callers that receive and issue items in different shards. */
export async function startLoad(service: Service, itemCount: number): Promise<Load> {
  const clients = await Promise.all(service.baseUrls.map((baseUrl) => service.client({ baseUrl })));
  const items = await Promise.all(Array.from({ length: itemCount }, () => service.item()));
  const told: Told[] = [];
  /** When the last applied request was sent, by api and item. */
  const appliedAt = new Map<string, number>();
  let running = true;
  let inDoubt = 0;
  onTestFinished(() => {
    running = false;
  });

  async function call(api: number, itemID: string) {
    for (let turn = 0; running; turn++) {
      const reference = uniqueName('load');
      const isIssue = turn % 4 === 3;
      const body = { itemID, units: isIssue ? 1 : 2, wid: 1, reasonCode: 0, reference };
      const at = performance.now();
      const send = () =>
        clients[api]!.post(`/Inventory/${isIssue ? 'Issue' : 'Receive'}`, body, {
          'Idempotency-Key': reference,
        });
      let { status, text } = await send();
      // If the machine is so busy that Postgres does not answer in time, a later answer is clear. A 503 after
      // a send in doubt is not: it speaks only of the send it answers.
      let isInDoubt = false;
      while (status === 503 && (isInDoubt || text.includes('is not known'))) {
        isInDoubt = true;
        inDoubt += 1;
        await wait(20);
        ({ status, text } = await send());
      }
      told.push({ reference, status, text });
      if (status < 300) appliedAt.set(`${api} ${itemID}`, at);
      // A scanner pauses, too; callers that are told to come later do so for longer.
      await wait(status >= 500 ? 100 : 40);
    }
  }
  const calls = clients.flatMap((_, api) =>
    items.flatMap((itemID) => Array.from({ length: callersPerItem }, () => call(api, itemID))),
  );
  // Reported where they are awaited, and not at all after a failed test.
  for (const each of calls) each.catch(() => {});

  return {
    async untilBack(since) {
      const missing = () =>
        clients.flatMap((_, api) => items.filter((itemID) => !(appliedAt.get(`${api} ${itemID}`)! >= since)))
          .length;
      await expect.poll(missing, { timeout: backWithinMs, interval: 20 }).toBe(0);
    },
    async stopAndCompare() {
      running = false;
      await Promise.all(calls);
      const applied = new Map<string, number>();
      const rows = await service.sql<{ reference: string; count: number }[]>`
        select body->>'reference' as reference, count(*)::int as count
        from stock_transaction
        where status = 'applied' and body->>'reference' like 'load-%'
        group by 1`;
      for (const { reference, count } of rows) applied.set(reference, count);
      const yes = told.filter(({ status }) => status < 300);
      expect(
        {
          lost: yes.filter(({ reference }) => !applied.has(reference)),
          doubled: [...applied].filter(([, count]) => count > 1),
          ghosts: told.filter(({ status, reference }) => status >= 300 && applied.has(reference)),
          // Postgres was up all the time.
          unclear: told.filter(
            ({ status, text }) => ![200, 201, 409, 503].includes(status) || text.includes('is not known'),
          ),
        },
        `${told.length} requests, ${yes.length} applied, ${inDoubt} sent again in doubt`,
      ).toEqual({ lost: [], doubled: [], ghosts: [], unclear: [] });
    },
  };
}
