import type { Operation } from './read-operations.ts';

/** The key of an operation in mode each: its own, or that of its place in a list that has one. */
export function keyOfEach({ key, index }: Operation, listKey: string | undefined): string | undefined {
  return key ?? (listKey === undefined ? undefined : keyOfPlace(listKey, index));
}

/** The key of a place in a list of mode each. */
export function keyOfPlace(listKey: string, index: number): string {
  // No key that is sent has a line break, so none is one of these.
  return `${listKey}\n${index}`;
}
