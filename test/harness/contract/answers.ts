import { expect } from 'vitest';
import type { ApiAnswer } from '../service/api-client.ts';

/** The contract's error object. */
export function errorObject(statusCode: number, error: string, message: string) {
  return { statusCode, error, message };
}

/** The error object of a 409. */
export function conflictObject(reason: string, figures: Record<string, number>, message: string) {
  return { ...errorObject(409, 'conflict', message), reason, figures };
}

/** The error object of a request with missing or invalid fields. */
export function validationError(details: Record<string, string[]>) {
  return {
    ...errorObject(400, 'validation_error', 'One or more fields failed validation.'),
    details,
  };
}

/** The same, with the words after each field's name: `{ units: 'must not be negative.' }`. */
export function invalid(fields: Record<string, string>) {
  return validationError(
    Object.fromEntries(Object.entries(fields).map(([field, said]) => [field, [`${field} ${said}`]])),
  );
}

/** The messages of `forbidden`, word for word from the contract. */
export const forbidden = {
  readOnly: errorObject(403, 'forbidden', 'Account is read-only.'),
  permission: errorObject(403, 'forbidden', 'Insufficient permissions.'),
  scope: errorObject(403, 'forbidden', "Warehouse is outside the client's authorized scope."),
};

/** Status and body in one comparison, so that a wrong status shows the body, too. */
export function expectAnswer(answer: ApiAnswer, status: number, body: unknown): void {
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
}

/** A datetime as every answer writes it: UTC, milliseconds, `Z`. */
export const dateTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** An item of which only the ShortID was given. */
export const plainItem = {
  ...{ partNo: expect.any(Number), description: '', category: 0, subCategory: 0, uOM: 'EA', putUp: '' },
  ...{ units: 1, dfltOwner: 0, created: dateTime, modified: dateTime, discontinued: false },
};

/** A lot in warehouse 1 of which only the item, the warehouse and the units were given. */
export const plainLot = {
  ...{ recNo: expect.any(Number), partNo: expect.any(Number), description: '', associate: '', wID: 1 },
  ...{ warehouse: 'Main', spot: '', received: dateTime, shipped: null, serial: '', serial2: null },
  ...{ rFIDTag: null, remark: '', hold: false, jobID: 0, jobName: null, active: true },
};

/** Calls `work` for 0 … count - 1, this many at once. */
export async function inChunks<T>(
  count: number,
  chunkSize: number,
  work: (index: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (let from = 0; from < count; from += chunkSize) {
    const chunk = Array.from({ length: Math.min(chunkSize, count - from) }, (_, index) => work(from + index));
    results.push(...(await Promise.all(chunk)));
  }
  return results;
}

/**
 * Sends again after a 503, as the answer asks, unless the outcome is unknown and no key settles it. For
 * tests that send many requests at once and need more than that none is lost: a slow machine may be too busy
 * for some of them.
 */
export async function untilTaken(
  send: () => Promise<ApiAnswer>,
  { isKeyed }: { isKeyed: boolean } = { isKeyed: false },
): Promise<ApiAnswer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
    if (!isKeyed) expect(answer.body.message).not.toContain('not known');
  }
}
