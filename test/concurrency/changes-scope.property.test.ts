import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ApiClient, createApiClient } from '../harness/service/api-client.ts';
import { useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';

const service = useService({ apis: 2 });

/** A change of the scope, before a call of the walk: warehouse 2 goes, comes, or goes and comes at once. */
const steps = fc.array(
  fc.record({ before: fc.nat(14), change: fc.constantFrom('narrow', 'widen', 'both' as const) }),
  { minLength: 1, maxLength: 4 },
);
// Which of the two apis answers each call, and whether some time passes before it.
const calls = fc.array(fc.record({ api: fc.nat(1), restMs: fc.constantFrom(0, 0, 0, 300) }), {
  minLength: 4,
  maxLength: 9,
});
const listedLots = 8;

test('a mirror is exact after every change of scope during its walk, whichever of two apis answers', async () => {
  const itemID = await service.item();
  const keeper = await service.client({ warehouses: [1, 2] });
  for (let lot = 0; lot < listedLots; lot++) await receiveLot(keeper, itemID, 1, { wid: 1 + (lot % 2) });
  let wide = 0;
  const run = await fc.check(
    fc.asyncProperty(steps, calls, fc.boolean(), async (changes, way, startsWide) => {
      const client = await service.client({ warehouses: startsWide ? [1, 2] : [1] });
      const { clientId } = client;
      const narrow = () =>
        service.sql`delete from client_warehouse where client_id = ${clientId} and wid = 2`;
      const widen = () => service.sql`
        insert into client_warehouse (client_id, wid) values (${clientId}, 2) on conflict do nothing`;
      let made = 0;
      // biome-ignore lint/suspicious/noExplicitAny: answers have their own names.
      async function call(path: string): Promise<any> {
        for (const { change } of changes.filter(({ before }) => before === made)) {
          if (change !== 'widen') await narrow();
          if (change !== 'narrow') await widen();
        }
        const { api, restMs } = way[made++ % way.length]!;
        await pause(restMs);
        const { status, body, text } = await at(client, api).get(path);
        expect(status, text).toBe(200);
        return body;
      }
      let lots = new Set<number>();
      async function walk(): Promise<string> {
        const { cursor } = await call('/Me');
        lots = new Set();
        for (let page = 1, hasMore = true; hasMore; page++) {
          const list = await call(`/Inventory?pageSize=3&page=${page}`);
          for (const { recNo } of list.value) lots.add(recNo);
          ({ hasMore } = list);
        }
        return cursor;
      }
      let cursor = await walk();
      // Until every change was made, and longer than an api keeps a client: nothing is left to be told.
      for (let quiet = 0; quiet < 3; ) {
        const page = await call(`/Changes?after=${cursor}&limit=2`);
        const types: string[] = page.value.map(({ type }: { type: string }) => type);
        cursor = types.includes('scope') ? await walk() : page.nextCursor;
        quiet = types.length === 0 && made >= 16 ? quiet + 1 : 0;
        if (quiet > 0) await pause(700);
      }
      const { body } = await client.get('/Inventory?pageSize=250');
      const listed = body.value.map(({ recNo }: { recNo: number }) => recNo);
      if (listed.length === listedLots) wide += 1;
      expect([...lots].sort()).toEqual(listed.sort());
    }),
    { numRuns: 12 },
  );
  if (run.failed) {
    console.error(fc.defaultReportMessage(run));
    throw run.errorInstance;
  }
  expect(wide).toBeGreaterThan(0);
});

/** The same client at one of the apis. */
function at({ clientId, token }: ApiClient, api: number): ApiClient {
  return createApiClient(service.baseUrls[api]!, clientId, token);
}
