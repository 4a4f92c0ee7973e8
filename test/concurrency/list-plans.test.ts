import { itemList } from '@inventory/db/lists/list-items';
import { lotList } from '@inventory/db/lists/list-lots';
import { orderBy } from '@inventory/db/lists/sort-columns';
import { expect, test } from 'vitest';
import { useBatches } from '../harness/batches.ts';

const batches = useBatches();

type Plan = { 'Node Type': string; Plans?: Plan[] };

const nodesOf = (plan: Plan): string[] => [plan['Node Type'], ...(plan.Plans ?? []).flatMap(nodesOf)];

test.each([
  ['lot', lotList, 'recNo'],
  ['lot', lotList, 'partNo'],
  ['item', itemList, 'partNo'],
  ['item', itemList, 'modified'],
  ['item', itemList, 'shortID'],
] as const)(
  '%s: an index gives the order by %3$s either way, so a page is not a sort of all',
  async (table, list, field) => {
    const { tieBreaker, sortColumns } = list;
    const column = (sortColumns as Record<string, { by: string; emptyLast: boolean }>)[field]!;
    for (const direction of ['asc', 'desc'] as const) {
      const order = orderBy(column, direction, tieBreaker);
      const plan = await batches.sql.begin(async (tx) => {
        // The tables are small here: whatever else there is would be cheaper.
        await tx`set local enable_seqscan = off`;
        await tx`set local enable_sort = off`;
        const [row] = await tx.unsafe(
          `explain (format json) select ${tieBreaker} from ${table} order by ${order} limit 25`,
        );
        return (row!['QUERY PLAN'] as { Plan: Plan }[])[0]!.Plan;
      });
      // An incremental sort only orders neighbours that are alike in the column.
      expect(nodesOf(plan), direction).not.toContain('Sort');
      expect(nodesOf(plan).join(), direction).toMatch(/Index/);
    }
  },
);
