import type { Conflict } from './conflict.ts';

/**
 * The codes of refusals, which the caller can correct: the contract's table of codes without those of
 * failures.
 */
export type RefusalCode = Refusal['code'];

/** The messages for each invalid field. */
export type FieldErrors = Record<string, string[]>;

/**
 * A refusal is a value: the caller's request cannot be done, nothing was changed, and the answer says why.
 * Only `validation_error` has `details`; a conflict has a reason and figures.
 */
export type Refusal =
  | {
      code:
        | 'bad_request'
        | 'validation_error'
        | 'unauthorized'
        | 'forbidden'
        | 'not_found'
        | 'not_implemented';
      message: string;
      details?: FieldErrors;
    }
  | Conflict;

/** A `validation_error` about one or more fields. Each message completes the sentence "<field> …". */
export function invalid(fields: FieldErrors): Refusal {
  const details = Object.fromEntries(
    Object.entries(fields).map(([field, messages]) => [
      field,
      [...new Set(messages)].map((message) => `${field} ${message}`),
    ]),
  );
  return { code: 'validation_error', message: 'One or more fields failed validation.', details };
}

/** The refusal for a transaction that was never applied or is not in the client's scope. */
export const noTransaction = {
  code: 'not_found',
  message: 'There is no such transaction.',
} as const satisfies Refusal;

export const noItem = { code: 'not_found', message: 'There is no such item.' } as const satisfies Refusal;

/** The refusal for a path in which the part number is something else, mostly a ShortID. */
export const noPartNo = {
  code: 'not_found',
  message:
    'A part number is an integer. To get an item by its ShortID, call GET /Item?key=<ShortID>&type=id.',
} as const satisfies Refusal;

/** The refusal for a lot that does not exist or is not in the client's scope. */
export const noLot = { code: 'not_found', message: 'There is no such lot.' } as const satisfies Refusal;

/** The four causes of `forbidden`, word for word from the contract. */
export const forbidden = {
  readOnly: { code: 'forbidden', message: 'Account is read-only.' },
  scope: { code: 'forbidden', message: "Warehouse is outside the client's authorized scope." },
  permission: { code: 'forbidden', message: 'Insufficient permissions.' },
  report: { code: 'forbidden', message: 'Report access denied.' },
} as const satisfies Record<string, Refusal>;
