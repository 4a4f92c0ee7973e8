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
  cause?: unknown;
};

/** A call that did not succeed: refused by the service, or without an answer. */
export class InventoryError extends Error {
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  /**
   * The service's code, such as `conflict`. Ours: `connection_lost`, `aborted`, `unexpected_answer` (from
   * something between us and the service), `storage_failed` (of a queue), `invalid_signature` (of a webhook).
   */
  readonly code: string;
  /** The cause of a `conflict`: `insufficientStock`, `onHold`, … */
  readonly reason: string | null;
  /** The figures for the reason. Quantities are texts in an exact client. */
  readonly figures: Readonly<Record<string, number | string>> | null;
  /** Every offending field with its messages, with `validation_error`. */
  readonly details: Readonly<Record<string, readonly string[]>> | null;
  /** The service's id of the request, for its operators. */
  readonly requestId: string | null;
  /**
   * `notApplied`: nothing was applied and never will be. `unknown`: send it again with the same
   * `idempotencyKey` to find out.
   */
  readonly outcome: Outcome;
  /** The known outcomes of the operations of a batch. */
  readonly results: readonly unknown[] | null;

  constructor({ message, cause, ...fields }: InventoryErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = nameOf(fields.code, cause);
    this.status = fields.status;
    this.code = fields.code;
    this.outcome = fields.outcome;
    this.reason = fields.reason ?? null;
    this.figures = fields.figures ?? null;
    this.details = fields.details ?? null;
    this.requestId = fields.requestId ?? null;
    this.results = fields.results ?? null;
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
    const { message, cause, status, code, reason, figures, details, requestId, outcome, results } = this;
    const fields = { message, cause, status, code, reason, figures, details, requestId, outcome, results };
    return new InventoryError({ ...fields, ...changed });
  }
}

/** Callers that abort look for the name that `fetch` gives. */
function nameOf(code: string, cause: unknown): string {
  return code === 'aborted' && cause instanceof Error ? cause.name : 'InventoryError';
}
