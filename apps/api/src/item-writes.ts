import { setTimeout } from 'node:timers/promises';
import { createItem, drawPartNo, hasItemFields, readCreated, updateItem } from '@inventory/db/items';
import { mayBeApplied } from '@inventory/db/lost-answer';
import { isUnanswered } from '@inventory/db/pool';
import type { Wait } from '@inventory/db/statement-pool';
import type { ItemFields } from '@inventory/domain/contract/item';
import { within } from '@inventory/process/within';
import { type Database, itemWriteLimitMs } from './database.ts';
import { Failed, messages, soonAgain, unknownOutcome } from './errors.ts';

// A statement whose connection broke may still run: it is looked for so often, so long.
const lookEveryMs = 100;
const lookForMs = 1500;
const lookWithinMs = 3000;
// Between all this and the time after which nobody waits.
const spareMs = 500;

/** Creates an item and returns its JSON text; fails as `createItem` does, or with Failed. */
export async function addItem(
  { items, verdicts }: Database,
  shortId: string,
  fields: ItemFields,
  createdBy: string,
  wait: Wait,
): Promise<string> {
  const partNo = await writeItem({
    wait,
    write: (writeWait) => items.run(drawPartNo, writeWait),
    readBack: null,
  });
  return writeItem({
    wait,
    write: (writeWait) => items.run((sql) => createItem(sql, partNo, shortId, fields, createdBy), writeWait),
    readBack: () => verdicts.run((sql) => readCreated(sql, partNo)),
  });
}

/** Changes the fields given; false when there is no such item. Fails with Failed. */
export function changeItem(
  { items, verdicts }: Database,
  shortId: string,
  fields: ItemFields,
  wait: Wait,
): Promise<boolean> {
  return writeItem({
    wait,
    write: (writeWait) => items.run((sql) => updateItem(sql, shortId, fields), writeWait),
    // Whoever wrote these fields: they are the ones that were asked for.
    readBack: async () => (await verdicts.run((sql) => hasItemFields(sql, shortId, fields))) || null,
  });
}

type ItemWrite<T> = {
  wait: Wait;
  /** One statement; begun only in the time that is left for it. */
  write: (wait: Wait) => Promise<T>;
  /**
   * The item as it stands now, null when it is not as it was to be written. Null for a write that concerns
   * nobody.
   */
  readBack: (() => Promise<T | null>) | null;
};

/**
 * A write of an item keeps what the transactions promise: an error means that it was not applied and never
 * will be. One that cannot be begun in time is not begun at all; one whose answer is lost is looked for; and
 * when it is not found, the caller is told that the outcome is not known.
 */
async function writeItem<T>({ wait, write, readBack }: ItemWrite<T>): Promise<T> {
  // Once begun it is waited for: nobody is answered while it may still be applied.
  const until = wait.until - itemWriteLimitMs - lookWithinMs - spareMs;
  try {
    return await write({ ...wait, until });
  } catch (error) {
    if (readBack === null || !mayBeApplied(error)) throw asNotApplied(error);
    const found = await within(lookWithinMs, lookFor(readBack)).catch(() => null);
    if (found === null) throw unknownOutcome();
    return found;
  }
}

async function lookFor<T>(readBack: () => Promise<T | null>): Promise<T | null> {
  const until = performance.now() + lookForMs;
  for (;;) {
    const found = await readBack().catch(() => null);
    if (found !== null || performance.now() >= until) return found;
    await setTimeout(lookEveryMs);
  }
}

function asNotApplied(error: unknown): unknown {
  return isUnanswered(error) ? new Failed(503, messages.unavailable, soonAgain) : error;
}
