/**
 * What became of a request. `applied` and `refused` carry the JSON text of the answer's body or of the
 * refusal. `abandoned`: not applied and never will be, under this request id; `result` is a refusal if there
 * is one to give. `failed`: the same, by an error of ours. `pending`: the worker still tries, and tells
 * nobody what becomes of it. `isRepeat`: decided under an earlier send of the same Idempotency-Key. `under`:
 * the request id under which Postgres has the answer, when it is applied and the answer was too large to be
 * read along; `result` is null then.
 */
export type Outcome = {
  status: 'applied' | 'refused' | 'abandoned' | 'failed' | 'pending';
  result: string | null;
  isRepeat?: true;
  under?: string;
};

/** An outcome as Postgres has it. */
export type StoredOutcome = Outcome & { status: 'applied' | 'refused' | 'abandoned' };
