import { createItemNames } from '@inventory/api/stock/batch-call/item-names';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { TooLateError } from '@inventory/process/within';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { useBatches } from '../harness/queue/batches.ts';
import { uniqueName } from '../harness/service/service.ts';

const batches = useBatches();

async function teach(alias: string, itemID: string) {
  await batches.sql`
    insert into item_alias (alias, part_no)
    select ${alias}, part_no from item where short_id = ${itemID}
    on conflict (alias) do update set part_no = excluded.part_no`;
}

/** An item with two aliases. */
async function named(): Promise<string[]> {
  const itemID = await batches.item();
  const aliases = [uniqueName('ALIAS'), uniqueName('ALIAS')];
  for (const alias of aliases) await teach(alias, itemID);
  return [itemID, ...aliases];
}

const step = fc.record({
  kind: fc.constantFrom('receive', 'receive', 'issue', 'move', 'count'),
  units: fc.integer({ min: 1, max: 5 }),
  spot: fc.constantFrom('A', 'B'),
  serial: fc.constantFrom(undefined, 'S'),
  name: fc.nat(2),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function requestOf({ kind, units, spot, serial }: Step, itemID: string) {
  const at = serial === undefined ? {} : { serial };
  const bodies = {
    receive: { itemID, units, wid: 1, spot, ...at },
    issue: { itemID, units, wid: 1, spot, ...at },
    move: { itemID, units, wid: 1, fromSpot: spot, toSpot: spot === 'A' ? 'B' : 'A', ...at },
    count: { itemID, counted: units, wid: 1, spot, ...at },
  };
  return batches.request(kind, bodies[kind]);
}

/** The decisions, without the names and numbers that differ between two items. */
function decided(outcomes: readonly StoredOutcome[]): unknown[] {
  const numbers = new Map<number, number>();
  const plain = (value: unknown, field = ''): unknown => {
    if (Array.isArray(value)) return value.map((each) => plain(each));
    if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value)
        .filter(([name]) => !['transactionNo', 'partNo', 'shortID', 'received'].includes(name))
        .map(([name, each]) => [name, plain(each, name)]);
      return Object.fromEntries(members);
    }
    if (!['recNo', 'fromRecNo'].includes(field) || value === null) return value;
    const known = numbers.get(value as number) ?? numbers.size;
    numbers.set(value as number, known);
    return known;
  };
  return outcomes.map(({ status, result }) => [status, plain(result === null ? null : JSON.parse(result))]);
}

test('a batch decides requests under several names of an item as if all had its ShortID', async () => {
  const worker = batches.worker();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 40 }), async (steps) => {
      const [one, many] = [await named(), await named()];
      const plain = await worker.apply(steps.map((each) => requestOf(each, one[0]!)));
      const mixed = await worker.apply(steps.map((each) => requestOf(each, many[each.name]!)));
      expect(decided(mixed)).toEqual(decided(plain));
    }),
    { numRuns: 40 },
  );
});

test('applied: a request under an alias that another item had when the worker last read it', async () => {
  const worker = batches.worker();
  const [[first, alias], [second]] = [await named(), await named()] as [string[], string[]];
  const itemOf = async () => {
    const [outcome] = await worker.apply([batches.request('receive', { itemID: alias, units: 1, wid: 1 })]);
    return outcome!.status === 'applied' ? JSON.parse(outcome!.result!).lot.shortID : outcome!.status;
  };
  expect(await itemOf()).toBe(first);
  await teach(alias!, second!);
  expect(await itemOf()).toBe(second);
  await batches.sql`delete from item_alias where alias = ${alias!}`;
  expect(await itemOf()).toBe('refused');
  await batches.sql`insert into item (short_id, created_by) values (${alias!}, 'tests')`;
  expect(await itemOf()).toBe(alias);
});

test('applied: workers under different names of one item, at once', async () => {
  const names = await named();
  const workers = names.map(() => batches.worker());
  const rounds = 20;
  const outcomes = await Promise.all(
    workers.map(async (worker, index) => {
      const decided = [];
      for (let round = 0; round < rounds; round++) {
        const receive = batches.request('receive', { itemID: names[index]!, units: 2, wid: 1 });
        const issue = batches.request('issue', { itemID: names[(index + 1) % 3]!, units: 1, wid: 1 });
        decided.push(...(await worker.apply([receive, issue])));
      }
      return decided;
    }),
  );
  expect(new Set(outcomes.flat().map(({ status }) => status))).toEqual(new Set(['applied']));
  const [level] = await batches.sql`
    select in_stock::integer as units from stock_level join item using (part_no) where short_id = ${names[0]!}`;
  expect(level).toEqual({ units: workers.length * rounds });
});

test('the ledger and an atomic batch know the item by its ShortID', async () => {
  const worker = batches.worker();
  const names = await named();
  const operations = names.map((itemID) => ({
    ...batches.request('receive', { itemID, units: 1, wid: 1 }),
    ownKey: null,
  }));
  const body = { mode: 'atomic', count: 3, digest: '' };
  const [outcome] = await worker.apply([batches.request('batch', body, { operations } as never)]);
  expect(outcome).toMatchObject({ status: 'applied' });
  const rows = await batches.sql`
    select distinct body->>'itemID' as item
    from stock_transaction
    where request_id = any(${operations.map(({ requestId }) => requestId)}::uuid[])`;
  expect([...rows]).toEqual([{ item: names[0] }]);
});

test('while Postgres does not answer, all names of a list count as one item, also those that are remembered', async () => {
  let isAway = false;
  const itemNames = createItemNames(async (names) => {
    if (isAway) throw new TooLateError('away');
    return names.map((name, partNo) => ({ name, shortId: name, partNo }));
  });
  await itemNames(new Set(['A', 'B']));
  isAway = true;
  const nameOf = await itemNames(new Set(['A', 'an alias of it']));
  expect(nameOf('A')).toBe(nameOf('an alias of it'));
});
