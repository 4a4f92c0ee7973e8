import type { Tx } from '../pool.ts';

/** What was taken from a table, and the statement that makes it again. */
type Dropped = { name: string; make: string };

/**
 * Takes keys, indexes and checks between tables away, to be made again, in the order of the list, when all
 * rows are there: many times faster than row by row. In the same transaction, so that nothing commits which
 * they refuse. Checks of single rows stay; `keptUnique`: primary and unique keys too, which rows beside
 * others that are there need not make anew.
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
    where contype = any(${kinds}::text[]::"char"[]) and conrelid = any(${of}::text[]::regclass[])
    order by contype <> 'f', conrelid::regclass::text, conname`;
  const indexes = await tx<(Dropped & { drop: string })[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as make,
      format('drop index %s', indexrelid::regclass) as drop
    from pg_index
    where indrelid = any(${of}::text[]::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)
    order by indrelid::regclass::text, 1`;
  // What refers to a key goes before it, and comes after it.
  for (const { drop } of [...keys, ...indexes]) await tx.unsafe(drop);
  const isReference = ({ kind }: { kind: string }) => kind === 'f';
  return [...keys.filter((key) => !isReference(key)), ...indexes, ...keys.filter(isReference)].map(
    ({ name, make }) => ({ name, make }),
  );
}

/** Makes what was taken away again, in the same transaction. `report`: how far it is, 0 … 1. */
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
