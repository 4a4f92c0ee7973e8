import { setTimeout } from 'node:timers/promises';
import {
  type AliasToTeach,
  findAliasUnits,
  forgetAlias,
  type Taught,
  teachAlias,
} from '@inventory/db/catalog/aliases';
import { createItem, drawPartNo, hasItemFields, readCreated, updateItem } from '@inventory/db/catalog/items';
import { type MinimumToSet, readMinimum, setMinimum } from '@inventory/db/catalog/minimums';
import type { ItemFields } from '@inventory/domain/contract/item';
import { mayBeApplied } from '@inventory/postgres/lost-answer';
import { isLockTimeout, isUnanswered } from '@inventory/postgres/pool';
import type { Wait } from '@inventory/postgres/statement-pool';
import { within } from '@inventory/process/within';
import { type Database, itemWriteLimitMs } from './database.ts';
import { Failed, messages, soonAgain, unknownOutcome } from './http/errors.ts';

// A statement may still run after its connection broke. So its effect is looked for at this interval, for
// this long.
const lookEveryMs = 100;
const lookForMs = 1500;
const lookWithinMs = 3000;
// Spare time between the last look and the moment at which the caller stops waiting.
const spareMs = 500;

/** Creates an item and returns its JSON text. Fails like `createItem`, or with Failed. */
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

/** Changes the given fields. Returns false if there is no such item. Throws Failed. */
export function changeItem(
  { items, verdicts }: Database,
  shortId: string,
  fields: ItemFields,
  wait: Wait,
): Promise<boolean> {
  return writeItem({
    wait,
    write: (writeWait) => items.run((sql) => updateItem(sql, shortId, fields), writeWait),
    // If another caller wrote the same values, the item still is as requested.
    readBack: async () => (await verdicts.run((sql) => hasItemFields(sql, shortId, fields))) || null,
  });
}

/**
 * Gives an item an alias, or other units to one that it has. 'tooMany': it has as many as it may. Throws
 * Failed.
 */
export function addAliasOf(
  { items, verdicts }: Database,
  taught: AliasToTeach,
  wait: Wait,
): Promise<Taught | 'tooMany'> {
  const { partNo } = taught;
  return writeItem({
    wait,
    write: (writeWait) => items.run((sql) => teachAlias(sql, taught), writeWait),
    // The item has the name, even if another call gave it.
    readBack: async () => {
      const units = await verdicts.run((sql) => findAliasUnits(sql, taught));
      return units === null ? null : { partNo, isNew: true, isChanged: false, isShortId: false, units };
    },
  });
}

/** Takes an alias from an item. Returns false if it had none of this name. Throws Failed. */
export function removeAliasOf(
  { items, verdicts }: Database,
  partNo: number,
  alias: string,
  wait: Wait,
): Promise<boolean> {
  const forgotten = { alias, partNo, units: null };
  return writeItem({
    wait,
    write: (writeWait) => items.run((sql) => forgetAlias(sql, alias, partNo), writeWait),
    readBack: async () =>
      (await verdicts.run((sql) => findAliasUnits(sql, forgotten))) === null ? true : null,
  });
}

/**
 * Sets the minimum of an item in a warehouse, and returns its JSON text; null: there is no such item. Throws
 * Failed.
 */
export function setMinimumOf(
  { items, verdicts }: Database,
  minimum: MinimumToSet,
  wait: Wait,
): Promise<string | null> {
  return writeItem({
    wait,
    write: (writeWait) => items.run((sql) => setMinimum(sql, minimum), writeWait),
    readBack: () => verdicts.run((sql) => readMinimum(sql, minimum)),
  });
}

type ItemWrite<T> = {
  wait: Wait;
  /** One statement. It begins only if enough time is left. */
  write: (wait: Wait) => Promise<T>;
  /**
   * Reads the item back: null if it does not have the requested values. Null instead of a function if a lost
   * write harms nobody.
   */
  readBack: (() => Promise<T | null>) | null;
};

/**
 * Writes an item with the same promise as a transaction: an error means that the write was not applied and
 * never will be. A write that cannot begin in time does not begin. If its answer is lost, the item is read
 * back. If that does not show the write, the caller is told that the outcome is unknown.
 */
async function writeItem<T>({ wait, write, readBack }: ItemWrite<T>): Promise<T> {
  // Once begun, the write is awaited: the caller is not answered while it may still be applied.
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
  const isBusy = isUnanswered(error) || isLockTimeout(error);
  return isBusy ? new Failed(503, messages.unavailable, soonAgain) : error;
}
