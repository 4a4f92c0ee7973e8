import { isLockTimeout, type Sql, type Tx } from '@inventory/postgres/pool';
import { PlainError } from '@inventory/process/plain-error';
import type { Imported, RefusedRow, Take } from './import-items.ts';

/** A minimum in a file. `line`: for messages; `minimum`: decimal text; null: none. */
export type GivenMinimum = { line: number; shortId: string; wid: number; minimum: string | null };

type ImportedMinimums = Omit<Imported, 'added'>;

type Judged = { line: number; partNo: number; wid: number; minimum: string | null };

// Gates are locked together, and batches of stock wait for them.
const gatesAtOnce = 100;
const lockTimeoutMs = 300;
// A gate may be held by somebody's open transaction.
const triesOfOne = 20;
const judgedAtOnce = 5000;

/**
 * Sets minimums. No two rows may have the same item and warehouse. All are checked before any is set, and
 * then they are set in small transactions, so that no stock is held up. `take`: what to do with the good rows
 * if others are refused; 'none' only reports them. `report` gets the number of finished rows. Throws
 * PlainError if stock is locked for long.
 */
export async function importMinimums(
  sql: Sql,
  given: readonly GivenMinimum[],
  { take, report }: { take: Take; report: (rows: number) => void },
): Promise<ImportedMinimums> {
  const refused: RefusedRow[] = [];
  const good: Judged[] = [];
  for (let from = 0; from < given.length; from += judgedAtOnce) {
    const judged = await judge(sql, given.slice(from, from + judgedAtOnce));
    refused.push(...judged.refused);
    good.push(...judged.good);
  }
  const sum: ImportedMinimums = { changed: 0, unchanged: 0, refused };
  if (take === 'none' || (refused.length > 0 && take === 'all')) return sum;
  // In the order in which batches lock them.
  good.sort((one, other) => one.partNo - other.partNo || one.wid - other.wid);
  for (let from = 0; from < good.length; from += gatesAtOnce) {
    const chunk = good.slice(from, from + gatesAtOnce);
    const changed = await set(sql, chunk);
    sum.changed += changed;
    sum.unchanged += chunk.length - changed;
    report(from + chunk.length);
  }
  return sum;
}

async function judge(
  sql: Sql,
  given: readonly GivenMinimum[],
): Promise<{ good: Judged[]; refused: RefusedRow[] }> {
  const items = await sql<{ part_no: number; short_id: string }[]>`
    select part_no, short_id from item where short_id = any(${given.map(({ shortId }) => shortId)}::text[])`;
  const warehouses = await sql<{ wid: number }[]>`
    select wid from warehouse where wid = any(${given.map(({ wid }) => wid)}::integer[])`;
  const partNos = new Map(items.map((item) => [item.short_id, item.part_no]));
  const wids = new Set(warehouses.map(({ wid }) => wid));
  const good: Judged[] = [];
  const refused: RefusedRow[] = [];
  for (const { line, shortId, wid, minimum } of given) {
    const partNo = partNos.get(shortId);
    if (partNo === undefined) refused.push({ line, message: 'item: there is no item of this shortID.' });
    else if (!wids.has(wid)) refused.push({ line, message: 'warehouse: there is no warehouse of this id.' });
    else good.push({ line, partNo, wid, minimum });
  }
  return { good, refused };
}

/**
 * Sets these in one transaction, or in several if a gate is held for long: the others must not stay locked
 * meanwhile. Returns how many had another minimum before. Throws PlainError if a gate stays held.
 */
async function set(sql: Sql, minimums: readonly Judged[], tries = triesOfOne): Promise<number> {
  try {
    return await setAtOnce(sql, minimums);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
  }
  if (minimums.length > 1) {
    const half = Math.ceil(minimums.length / 2);
    return (await set(sql, minimums.slice(0, half))) + (await set(sql, minimums.slice(half)));
  }
  if (tries > 1) return set(sql, minimums, tries - 1);
  const seconds = (triesOfOne * lockTimeoutMs) / 1000;
  throw new PlainError(
    `line ${minimums[0]!.line}: another transaction has locked this stock for more than ${seconds} s. Some rows are set already; run the import again.`,
  );
}

function setAtOnce(sql: Sql, minimums: readonly Judged[]): Promise<number> {
  const partNos = minimums.map(({ partNo }) => partNo);
  const wids = minimums.map(({ wid }) => wid);
  return sql.begin(async (tx) => {
    await tx`select set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`;
    // Before the time of the change is taken, which followers of changes wait for.
    await tx`
      select
      from stock_level
      join unnest(${partNos}::integer[], ${wids}::integer[]) as given (part_no, wid) using (part_no, wid)
      order by part_no, wid
      for no key update of stock_level`;
    return change(tx, minimums);
  });
}

/** Returns how many had another minimum before. */
async function change(sql: Tx, minimums: readonly Judged[]): Promise<number> {
  const rows = await sql`
    insert into stock_level (part_no, wid, minimum, used)
    select part_no, wid, minimum, minimum is not null
    from unnest(${minimums.map(({ partNo }) => partNo)}::integer[], ${minimums.map(({ wid }) => wid)}::integer[],
      ${minimums.map(({ minimum }) => minimum)}::numeric[]) as given (part_no, wid, minimum)
    where minimum is not null
      or exists (select from stock_level as level where level.part_no = given.part_no and level.wid = given.wid)
    order by part_no, wid
    on conflict (part_no, wid) do update
    set minimum = excluded.minimum, used = stock_level.used or excluded.used, modified = change_moment()
    where stock_level.minimum is distinct from excluded.minimum
    returning part_no`;
  return rows.length;
}
