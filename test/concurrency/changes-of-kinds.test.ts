import { readChanges } from '@inventory/db/changes/read-changes';
import { beforeAll, expect, test } from 'vitest';
import { useBatches } from '../harness/queue/batches.ts';
import { countRowsRead } from '../harness/watch/rows-read.ts';

const batches = useBatches();

beforeAll(async () => {
  const { sql } = batches;
  await sql`
    insert into item (short_id, created_by)
    select 'OTHER-' || n, 'tests' from generate_series(1, 2000) as n`;
  await sql`insert into stock_level (part_no, wid, on_order) select part_no, 1, 1 from item`;
  await sql`insert into stock_level (part_no, wid, on_order) select min(part_no), 2, 1 from item`;
});

/** How many of the first changes of these kinds there are, and how many rows were read to find them. */
async function readOfKinds(kinds: readonly string[], wid: number) {
  const asked = { wids: [wid], after: 0, until: Number.MAX_SAFE_INTEGER, limit: 10, kinds };
  const of = { tables: ['change'], without: ['seqscan'] };
  const { result, rows } = await countRowsRead(batches.sql, of, (sql) => readChanges(sql, asked));
  return { count: result.changes.length, rows };
}

test.each([
  [['stock'], 1, 0],
  [['hold', 'level', 'low', 'warehouse'], 2, 1],
  [['stock', 'hold'], 2, 0],
  [['item'], 1, 10],
])(
  'the changes of the kinds %j in warehouse %i, without reading those of another source',
  async (kinds, wid, count) => {
    const found = await readOfKinds(kinds, wid);
    expect(found.count).toBe(count);
    expect(found.rows).toBeLessThan(50);
  },
);
