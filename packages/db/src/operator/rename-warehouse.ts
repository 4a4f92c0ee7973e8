import type { Sql } from '../postgres/pool.ts';

// Few at a time, because receipts and issues there wait for each of these steps.
const lotsAtOnce = 500;

/**
 * Renames a warehouse and marks all of its lots as modified, because they show its name: so clients that ask
 * by `modifiedSince` get them. Works in steps, gate by gate. If it is interrupted, running it again completes
 * it. `report` gets the number of finished lots. Returns the old name; null if there is no such warehouse.
 */
export async function renameWarehouse(
  sql: Sql,
  { wid, name }: { wid: number; name: string },
  report: (lots: number) => void,
): Promise<string | null> {
  const before = await sql.begin(async (tx) => {
    const [found] = await tx<
      { name: string }[]
    >`select name from warehouse where wid = ${wid} for no key update`;
    if (found !== undefined) await tx`update warehouse set name = ${name} where wid = ${wid}`;
    return found?.name ?? null;
  });
  if (before === null) return null;
  // Lots that come from now on have the new name.
  const [last] = await sql<{ rec_no: number }[]>`select coalesce(max(rec_no), 0) as rec_no from lot`;
  const gates = await sql<{ part_no: number }[]>`
    select part_no
    from stock_level
    where wid = ${wid}
    order by part_no`;
  let done = 0;
  for (const { part_no: partNo } of gates) {
    let touched: Touched[] = [];
    do {
      touched = await touchLots(sql, { partNo, wid, until: last!.rec_no, after: touched.at(-1) ?? null });
      done += touched.length;
      report(done);
    } while (touched.length === lotsAtOnce);
  }
  return before;
}

type Touched = { rec_no: number; received: Date };

/** The next lots of a gate, newest first. */
async function touchLots(
  sql: Sql,
  gate: { partNo: number; wid: number; until: number; after: Touched | null },
): Promise<Touched[]> {
  const { partNo, wid, until, after } = gate;
  return sql.begin(async (tx) => {
    // Locks the gate, like the batches. Otherwise a batch and this could lock lots of an item in different
    // orders, and one of them would fail.
    await tx`select from stock_level where part_no = ${partNo} and wid = ${wid} for no key update`;
    const beyond = after === null ? tx`` : tx`and (received, rec_no) < (${after.received}, ${after.rec_no})`;
    const rows = await tx<Touched[]>`
      select rec_no, received
      from lot
      where part_no = ${partNo} and wid = ${wid} and rec_no <= ${until} ${beyond}
      order by received desc, rec_no desc
      limit ${lotsAtOnce}`;
    await tx`
      update lot
      set modified = moment.at
      from (select change_moment() as at) as moment
      where rec_no = any(${rows.map((row) => row.rec_no)}::bigint[])`;
    return [...rows];
  });
}
