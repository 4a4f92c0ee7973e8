import { itemList } from '@inventory/db/lists/list-items';
import { lotList } from '@inventory/db/lists/list-lots';
import { listTransactions, transactionPage } from '@inventory/db/lists/list-transactions';
import { orderBy } from '@inventory/db/lists/sort-columns';
import type { PageQuery } from '@inventory/paging/page-query';
import { expect, test } from 'vitest';
import { receiveLots, useBatches } from '../harness/batches.ts';

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

test('transactions of lots without a serial, or of one lot, are found among those that the other filters lead to', async () => {
  const worker = batches.worker();
  const common = await receiveLots(batches, 500, { serial: 'COMMON' }, worker);
  await receiveLots(batches, 500, {}, worker);
  const itemID = await batches.item();
  const [outcome] = await worker.apply([
    {
      ...batches.request('receive', { itemID, units: 1, wid: 1 }),
      evidence: { capturedAt: null, correctedAt: null, deviceId: 'D', deviceSeq: null },
    },
  ]);
  const { recNo, transactionNo } = JSON.parse(outcome!.result!);
  const [applied] = await batches.sql<{ at: Date }[]>`
    select at from stock_transaction where transaction_no = ${transactionNo}`;
  const { at } = applied!;
  const query: PageQuery = { page: 1, pageSize: 25, sort: undefined, direction: 'asc' };
  const ways = [
    [query, { recNo: common.recNos[0]!, serial: 'COMMON' }],
    [query, { recNo, serial: '' }],
    [query, { itemID, serial: '' }],
    [query, { deviceID: 'D', serial: '' }],
    [query, { startDate: at, serial: '' }],
    [{ ...query, modifiedSince: at }, { serial: '' }],
  ] as const;
  for (const [page, filters] of ways) {
    const { cost } = transactionPage(page, [1, 2], filters);
    expect(cost).toBe('matches');
    await batches.sql.begin('read only', async (tx) => {
      // The tables are small here: whatever reads all of one would be cheaper.
      await tx`set local enable_seqscan = off`;
      await tx`set local enable_hashjoin = off`;
      await tx`set local enable_mergejoin = off`;
      const { totalCount, records } = await listTransactions(tx as never, page, [1, 2], filters);
      const found = filters.serial === '' ? `"transactionNo":${transactionNo}` : `"recNo":${filters.recNo}`;
      expect([totalCount, records]).toEqual([1, expect.stringContaining(found)]);
      const [read] = await tx<{ rows: number }[]>`
        select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows
        from pg_stat_xact_user_tables
        where relname in ('lot', 'stock_entry')`;
      expect(read!.rows, JSON.stringify(filters)).toBeLessThan(50);
    });
  }
});
