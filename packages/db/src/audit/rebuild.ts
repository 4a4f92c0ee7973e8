import type { Tx } from '@inventory/postgres/pool';

/** A dropped object, and the statement that creates it again. */
type Dropped = { name: string; make: string };

/**
 * Drops keys, indexes and foreign keys, to be created again in the order of the list when all rows are there:
 * much faster than maintaining them row by row. In the same transaction, so that no rows commit that they
 * would refuse. Checks of single rows stay. `keptUnique`: keeps primary and unique keys, for rows that are
 * added to a filled table.
 */
export async function dropKeysAndIndexes(
  tx: Tx,
  tables: readonly string[],
  { keptUnique }: { keptUnique: boolean },
): Promise<Dropped[]> {
  const of = tables as string[];
  const kinds = keptUnique ? ['f'] : ['p', 'u', 'f'];
  const keys = await tx<(Dropped & { drop: string; kind: string })[]>`
    select conname as name, contype::text as kind,
      format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
    from pg_constraint
    where contype = any(${kinds}::text[]::"char"[])
      and (
        conrelid = any(${of}::text[]::regclass[])
        -- also a reference from another table, if the key that it needs is dropped
        or not ${keptUnique} and contype = 'f' and confrelid = any(${of}::text[]::regclass[])
      )
    order by contype <> 'f', conrelid::regclass::text, conname`;
  const indexes = await tx<(Dropped & { drop: string })[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as make,
      format('drop index %s', indexrelid::regclass) as drop
    from pg_index
    where indrelid = any(${of}::text[]::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)
    order by indrelid::regclass::text, 1`;
  // A reference is dropped before the key that it needs, and created after it.
  for (const { drop } of [...keys, ...indexes]) await tx.unsafe(drop);
  const isReference = ({ kind }: { kind: string }) => kind === 'f';
  return [...keys.filter((key) => !isReference(key)), ...indexes, ...keys.filter(isReference)].map(
    ({ name, make }) => ({ name, make }),
  );
}

/** Creates the dropped objects again, in the same transaction. `report`: progress, 0 to 1. */
export async function makeAgain(
  tx: Tx,
  dropped: readonly Dropped[],
  report: (step: string, done: number) => void,
): Promise<void> {
  for (const [index, { name, make }] of dropped.entries()) {
    report(`keys and indexes (${name})`, index / dropped.length);
    await tx.unsafe(make);
  }
  report('keys and indexes', 1);
}
