import type { Operation } from './read-operations.ts';

/** The key of an operation in mode each: its own, or that of its place in a list that has one. */
export function keyOfEach({ key, index }: Operation, listKey: string | undefined): string | undefined {
  // No key that is sent has a line break, so none is one of these.
  return key ?? (listKey === undefined ? undefined : `${listKey}\n${index}`);
}
