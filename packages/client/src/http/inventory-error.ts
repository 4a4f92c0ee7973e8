// Known to every copy of this package.
const brand = Symbol.for('@inventory/client/InventoryError');

/** Whether a call was surely not applied, or may have been. */
export type Outcome = 'notApplied' | 'unknown';

/** The fields of an error, as far as they are known. */
export type InventoryErrorFields = {
  message: string;
  status: number;
  code: string;
  outcome: Outcome;
  reason?: string | null;
  figures?: Readonly<Record<string, number | string>> | null;
  details?: Readonly<Record<string, readonly string[]>> | null;
  requestId?: string | null;
  results?: readonly unknown[] | null;
  retryAfterMs?: number | null;
  cause?: unknown;
};

const unknown = {
  ...{ reason: null, figures: null, details: null, requestId: null, results: null, retryAfterMs: null },
};

/** A call that did not succeed: refused by the service, or without an answer. */
export class InventoryError extends Error {
  /** The HTTP status; 0 without an answer. */
  declare readonly status: number;
  /**
   * The service's code, such as `conflict`. Ours: `connection_lost`, `aborted`, `unexpected_answer` (from
   * something between us and the service), `storage_failed` (of a queue), `invalid_signature` (of a webhook).
   */
  declare readonly code: string;
  /** The cause of a `conflict`: `insufficientStock`, `onHold`, … */
  declare readonly reason: string | null;
  /** The figures for the reason. Quantities are texts in an exact client. */
  declare readonly figures: Readonly<Record<string, number | string>> | null;
  /** Every offending field with its messages, with `validation_error`. */
  declare readonly details: Readonly<Record<string, readonly string[]>> | null;
  /** The service's id of the request, for its operators. */
  declare readonly requestId: string | null;
  /**
   * `notApplied`: nothing was applied and never will be. `unknown`: send it again with the same
   * `idempotencyKey` to find out.
   */
  declare readonly outcome: Outcome;
  /** The known outcomes of the operations of a batch. */
  declare readonly results: readonly unknown[] | null;
  /** How long the answer asks to wait before the next call, in milliseconds; null if it does not. */
  declare readonly retryAfterMs: number | null;

  constructor({ message, cause, ...fields }: InventoryErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    // Callers that abort look for the name that `fetch` gives.
    const isAborted = fields.code === 'aborted' && cause instanceof Error;
    Object.assign(this, unknown, fields, { name: isAborted ? cause.name : 'InventoryError' });
    Object.defineProperty(this, brand, { value: true });
  }

  /** An error of another copy of this package is one, too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // A class made from this one has its own rule.
    // biome-ignore lint/complexity/noThisInStatic: the class on the right of `instanceof`.
    if (this !== InventoryError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && brand in value;
  }

  /** The same error with some fields changed. */
  with(changed: Partial<InventoryErrorFields>): InventoryError {
    // An error hides these two from a spread.
    const { message, cause } = this;
    return new InventoryError({ ...this, message, cause, ...changed });
  }
}

/** The error of a call, or of work for it, that has no answer of the service. */
export function unanswered(
  code: string,
  message: string,
  isUnsure: boolean,
  cause?: unknown,
): InventoryError {
  return new InventoryError({
    ...{ status: 0, code, message, outcome: isUnsure ? 'unknown' : 'notApplied', cause },
  });
}
