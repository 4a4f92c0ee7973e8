import type { Reason } from '@inventory/domain/contract/reason';
import type { Sql, Tx } from '@inventory/postgres/pool';
import type { Imported, RefusedRow, Take } from './import-items.ts';

/** The most reasons that can be listed: each page counts them all. */
export const reasonsMax = 1000;

/** All reasons, by code. */
export async function listReasons(sql: Sql | Tx): Promise<Reason[]> {
  const rows = await sql<Reason[]>`
    select reason_code as "reasonCode", name, operations from reason order by reason_code`;
  return [...rows];
}

/** Since when reasons that are not listed are refused; null: they are taken. */
export async function readEnforcement(sql: Sql): Promise<Date | null> {
  const [row] = await sql<{ since: Date }[]>`select since from reason_enforcement`;
  return row?.since ?? null;
}

/** Refuses reasons that are not listed, or takes them. Returns whether that is new. */
export async function enforceReasons(sql: Sql, isOn: boolean): Promise<boolean> {
  const { count } = isOn
    ? await sql`insert into reason_enforcement default values on conflict do nothing`
    : await sql`delete from reason_enforcement`;
  return count > 0;
}

/** Adds a reason. */
export async function addReason(sql: Sql, reason: Reason): Promise<'added' | 'taken' | 'tooMany'> {
  return sql.begin(async (tx) => {
    const room = await roomFor(tx);
    const known = await tx`select from reason where reason_code = ${reason.reasonCode}`;
    if (known.length > 0) return 'taken';
    if (room < 1) return 'tooMany';
    await insert(tx, [reason]);
    return 'added';
  });
}

/** Changes the given fields of a reason. Returns whether there is such a reason. */
export async function changeReason(
  sql: Sql | Tx,
  { reasonCode, name, operations }: Pick<Reason, 'reasonCode'> & Partial<Reason>,
): Promise<boolean> {
  const { count } = await sql`
    update reason
    set name = coalesce(${name ?? null}, name), operations = coalesce(${operations ?? null}::text[], operations)
    where reason_code = ${reasonCode}`;
  return count > 0;
}

/** Removes a reason. Returns its name; null if there is no such reason. */
export async function removeReason(sql: Sql, reasonCode: number): Promise<string | null> {
  const [row] = await sql<{ name: string }[]>`
    delete from reason where reason_code = ${reasonCode} returning name`;
  return row?.name ?? null;
}

/** A reason in a file. `line`: for messages; `operations`: null if the file does not name them. */
export type GivenReason = {
  line: number;
  reasonCode: number;
  name: string;
  operations: Reason['operations'] | null;
};

/**
 * Adds new reasons and changes those that there are, in one transaction. No two rows may have the same code.
 * `take`: what to do with the good rows if others are refused. `byDefault`: the operations of a new reason
 * that names none.
 */
export async function importReasons(
  sql: Sql,
  given: readonly GivenReason[],
  { take, byDefault }: { take: Take; byDefault: Reason['operations'] },
): Promise<Imported> {
  return sql.begin(async (tx) => {
    let room = await roomFor(tx);
    const known = new Map((await listReasons(tx)).map((reason) => [reason.reasonCode, reason]));
    const added: Reason[] = [];
    const changed: Reason[] = [];
    const refused: RefusedRow[] = [];
    let unchanged = 0;
    for (const { line, ...each } of given) {
      const before = known.get(each.reasonCode);
      const reason = { ...each, operations: each.operations ?? before?.operations ?? byDefault };
      if (before === undefined && room-- < 1) refused.push({ line, message: `reasonCode: ${tooMany}` });
      else if (before === undefined) added.push(reason);
      else if (isSame(before, reason)) unchanged += 1;
      else changed.push(reason);
    }
    if (take === 'none' || (refused.length > 0 && take === 'all'))
      return { added: 0, changed: 0, unchanged: 0, refused };
    await insert(tx, added);
    for (const reason of changed) await changeReason(tx, reason);
    return { added: added.length, changed: changed.length, unchanged, refused };
  });
}

const tooMany = `there are ${reasonsMax} reasons, the most that there may be.`;

function isSame(one: Reason, other: Reason): boolean {
  return one.name === other.name && one.operations.join() === other.operations.join();
}

// Any number that nothing else on this database uses.
const reasonsKey = 7_316_023;

/** How many reasons may be added. Others who add some wait until this transaction ends. */
async function roomFor(tx: Tx): Promise<number> {
  await tx`select pg_advisory_xact_lock(${reasonsKey}::bigint)`;
  const [row] = await tx<{ count: number }[]>`select count(*)::integer as count from reason`;
  return reasonsMax - row!.count;
}

async function insert(tx: Tx, reasons: readonly Reason[]): Promise<void> {
  await tx`
    insert into reason (reason_code, name, operations)
    select given."reasonCode", given.name, given.operations
    from jsonb_to_recordset(${tx.json(reasons)}) as given ("reasonCode" integer, name text, operations text[])`;
}
