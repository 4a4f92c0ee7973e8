import type { NamedItem } from '@inventory/db/catalog/named-items';
import { whenUnanswered } from '@inventory/turns/ask-again';

/** Finds the items of names. */
export type FindNamedItems = (names: readonly string[]) => Promise<readonly NamedItem[]>;

/** Returns a function that tells for each of these names under which one its item goes. */
export type ItemNames = (names: ReadonlySet<string>) => Promise<(name: string) => string>;

const rememberedMax = 200_000;
// No item can have it.
const anyItem = '';

/**
 * Tells which names of a list mean the same item, so that its operations keep their order under any names.
 * ShortIDs are remembered: they never become the name of another item. If Postgres does not answer, all names
 * count as one item: one that is not remembered may mean any of the others.
 */
export function createItemNames(find: FindNamedItems): ItemNames {
  const shortIds = new Set<string>();
  return async (names) => {
    const open = [...names].filter((name) => !shortIds.has(name));
    if (names.size < 2 || open.length === 0) return (name) => name;
    const found = await find(open).catch(whenUnanswered(null));
    if (found === null) return () => anyItem;
    if (shortIds.size > rememberedMax) shortIds.clear();
    for (const { shortId } of found) shortIds.add(shortId);
    const shortIdOf = new Map(found.map(({ name, shortId }) => [name, shortId]));
    return (name) => shortIdOf.get(name) ?? name;
  };
}
