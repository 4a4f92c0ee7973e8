import { expect } from 'vitest';

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
// Values that a write draws: different each time.
const drawn = ['recNo', 'transactionNo', 'fromRecNo'];
// A list holds more than the one record of its example.
const paging = ['totalCount', 'pageCount', 'hasMore', 'nextCursor', 'cursor', 'cursors'];
const keys = ['recNo', 'transactionNo', 'partNo', 'webhookID'];

/**
 * Makes an example into a matcher of a real answer: the same fields and values, except for moments and, in a
 * write, drawn numbers.
 */
export function likeExample(example: unknown, { isWrite }: { isWrite: boolean }): unknown {
  if (Array.isArray(example)) return example.map((each) => likeExample(each, { isWrite }));
  if (typeof example === 'string' && dateTime.test(example)) return expect.stringMatching(dateTime);
  if (typeof example !== 'object' || example === null) return example;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => {
      const isOpen = paging.includes(name) || (isWrite && drawn.includes(name) && typeof value === 'number');
      return [name, isOpen ? expect.anything() : likeExample(value, { isWrite })];
    }),
  );
}

/** The answer with only those records of a list that the example shows. */
// biome-ignore lint/suspicious/noExplicitAny: answers have their own names.
export function shownIn(example: any, answer: any): any {
  const records = (shown: object[], come: object[]) =>
    shown.map((each) => come.find((other) => sameRecord(each, other)) ?? null);
  if (Array.isArray(example)) return records(example, answer);
  if (!Array.isArray(example?.value)) return answer;
  return { ...answer, value: records(example.value, answer.value) };
}

function sameRecord(one: object, other: object): boolean {
  const key = keys.find((name) => name in one)!;
  return Reflect.get(one, key) === Reflect.get(other, key);
}
