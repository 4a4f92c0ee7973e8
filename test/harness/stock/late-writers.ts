import { addAlias } from '@inventory/db/catalog/aliases';
import { createItem, drawPartNo, updateItem } from '@inventory/db/catalog/items';
import { holdLot, releaseLot } from '@inventory/db/operator/holds';
import { removeAlias } from '@inventory/db/operator/manage-aliases';
import { setOrderQuantities } from '@inventory/db/operator/order-quantities';
import { renameWarehouse } from '@inventory/db/operator/rename-warehouse';
import { isLockTimeout, type Sql } from '@inventory/postgres/pool';
import fc from 'fast-check';
import { meanwhile } from '../meanwhile.ts';
import { applyHeld, holdOpen } from '../network/held-open.ts';
import type { Batches } from '../queue/batches.ts';
import { uniqueName } from '../service/service.ts';

const writes = fc.record({
  kind: fc.constantFrom(
    ...([
      'receive',
      'receive',
      'issue',
      'move',
      'describe',
      'describe',
      'recategorize',
      'discontinue',
    ] as const),
    ...(['create', 'hold', 'release', 'order', 'two', 'alias', 'unalias', 'rename'] as const),
    ...(['minimum', 'minimum', 'commit to orders'] as const),
  ),
  item: fc.nat(3),
  wid: fc.integer({ min: 1, max: 2 }),
  units: fc.integer({ min: 1, max: 3 }),
});
type Write = typeof writes extends fc.Arbitrary<infer T> ? T : never;

/**
 * The steps of a run: a write begins and stays open, the oldest or the newest open one commits, a reader
 * walks, and between its pages writers commit or not.
 */
export function lateSteps(readers: number) {
  return fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ write: writes }) },
      { weight: 2, arbitrary: fc.record({ commit: fc.constantFrom('oldest' as const, 'newest' as const) }) },
      { weight: 2, arbitrary: fc.record({ walk: fc.nat(readers - 1), commits: fc.boolean() }) },
    ),
    { minLength: 5, maxLength: 25 },
  );
}
type Steps = ReturnType<typeof lateSteps> extends fc.Arbitrary<infer T> ? T : never;

export type LateWriters = {
  /** Runs the steps; at the end every writer has committed. */
  run(steps: Steps): Promise<void>;
  /** Writers that committed after a reader had walked while they were open. */
  lateCommits(): number;
};

/**
 * Writers of every kind that commit late and in any order. `pool` has many connections.
 * `walk`: a reader reads, and calls the function between its pages.
 */
export function createLateWriters(
  batches: Batches,
  pool: Sql,
  items: readonly string[],
  walk: (reader: number, betweenPages: () => Promise<void>) => Promise<void>,
): LateWriters {
  const { sql } = batches;
  let lateCommits = 0;

  const write = createWrite(batches, pool, items);

  async function run(steps: Steps) {
    const open: { committed: Promise<() => Promise<void>>; isWritten: boolean; walked: boolean }[] = [];
    const commit = async (which: 'oldest' | 'newest') => {
      // A writer that waits for another's lock can commit only after it.
      const written = open.filter(({ isWritten }) => isWritten);
      const next = which === 'oldest' ? written[0] : written.at(-1);
      if (next === undefined) return;
      open.splice(open.indexOf(next), 1);
      if (next.walked) lateCommits += 1;
      await (await next.committed)();
    };
    for (const step of steps) {
      if ('commit' in step) await commit(step.commit);
      else if ('walk' in step) {
        for (const each of open) each.walked = true;
        await walk(step.walk, step.commits ? () => commit('oldest') : async () => {});
      } else if (open.length < 10) {
        const committed = meanwhile(holdOpen(pool, (own) => write(step.write, own)));
        const entry = { committed, isWritten: false, walked: false };
        open.push(entry);
        void committed.then(
          () => {
            entry.isWritten = true;
          },
          () => {},
        );
        await Promise.race([committed, untilBlocked(sql, open.length)]);
      }
    }
    while (open.length > 0) {
      await Promise.race(open.map(({ committed }) => committed));
      await commit('oldest');
    }
  }

  return { run, lateCommits: () => lateCommits };
}

/** Does a write through a connection that is held open. */
function createWrite(batches: Batches, pool: Sql, items: readonly string[]) {
  const { sql } = batches;
  return async ({ kind, item, wid, units }: Write, own: Sql): Promise<unknown> => {
    const shortId = items[item]!;
    const lot = async () => {
      const [row] = await sql<{ rec_no: number }[]>`
        select rec_no
        from lot
        join item using (part_no)
        where short_id = ${shortId} and wid = ${wid} and active
        order by rec_no desc
        limit 1`;
      return row?.rec_no ?? 0;
    };
    const request = (of: 'receive' | 'issue' | 'move', itemID: string, body: object = {}) =>
      batches.request(of, { itemID, units, wid, ...body });
    switch (kind) {
      case 'receive':
      case 'issue':
        return applyHeld(pool, own, [request(kind, shortId)]);
      case 'move':
        return applyHeld(pool, own, [request(kind, shortId, { shipToWid: 3 - wid })]);
      // Two gates: the second one may be held by a writer that began later.
      case 'two':
        return applyHeld(pool, own, [request('receive', shortId), request('issue', items[(item + 1) % 4]!)]);
      case 'describe':
        return updateItem(own, shortId, { description: uniqueName('text') });
      case 'recategorize':
        return updateItem(own, shortId, { category: units });
      case 'discontinue':
        return updateItem(own, shortId, { discontinued: units === 1 });
      case 'create':
        return createItem(own, await drawPartNo(own), uniqueName('NEW'), {}, 'tests');
      case 'hold':
        return holdLot(own, { recNo: await lot(), reason: 'inspection' });
      case 'release':
        return releaseLot(own, await lot());
      case 'order':
        return setOrderQuantities(own, { shortId, wid }, { onOrder: String(units) });
      // Of the few units that there are.
      case 'minimum':
        return setOrderQuantities(own, { shortId, wid }, { minimum: units === 3 ? null : String(3 * units) });
      case 'commit to orders':
        return setOrderQuantities(own, { shortId, wid }, { committed: String(units) });
      // Locks more than a row, so it must not stay open.
      case 'alias':
        return untilUnlocked(() => addAlias(sql, { alias: uniqueName('ALIAS'), shortId }));
      case 'unalias': {
        const [found] = await sql<{ alias: string }[]>`select alias from item_alias limit 1`;
        return removeAlias(own, found?.alias ?? '');
      }
      case 'rename':
        return renameWarehouse(own, { wid, name: uniqueName('warehouse') });
    }
  };
}

/** A machine may be slow for longer than a statement waits for a lock. */
async function untilUnlocked<T>(write: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
  }
}

/** Waits until a writer waits for a lock that another holds. */
async function untilBlocked(sql: Sql, openCount: number): Promise<void> {
  if (openCount < 2) return new Promise(() => {});
  for (const until = performance.now() + 60_000; performance.now() < until; ) {
    const [row] = await sql<{ waiting: number }[]>`
      select count(*) as waiting
      from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    if (row!.waiting > 0) return;
  }
}
