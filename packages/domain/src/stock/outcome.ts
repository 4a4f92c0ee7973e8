/**
 * The outcome of a request. `applied` and `refused`: `result` is the JSON text of the answer's body or of the
 * refusal. `abandoned`: not applied, and never will be under this request id; `result` is a refusal if there
 * is one. `failed`: the same, because of a bug. `pending`: the worker still tries and will not report the
 * outcome. `isRepeat`: decided by an earlier send of the same Idempotency-Key. `under`: the request id under
 * which Postgres stores the answer, if it was applied and the answer was too large to be read along; `result`
 * is null then.
 */
export type Outcome = {
  status: 'applied' | 'refused' | 'abandoned' | 'failed' | 'pending';
  result: string | null;
  isRepeat?: true;
  under?: string;
};

/** An outcome as stored in Postgres. */
export type StoredOutcome = Outcome & { status: 'applied' | 'refused' | 'abandoned' };
