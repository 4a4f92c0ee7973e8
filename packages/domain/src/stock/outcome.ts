/**
 * What became of a request. `applied` and `refused` carry the JSON text of the answer's body or of the
 * refusal. `abandoned`: not applied and never will be, under this request id; `result` is a refusal if there
 * is one to give. `failed`: the same, by an error of ours. `pending`: the worker still tries, and tells
 * nobody what becomes of it. `isRepeat`: decided under an earlier send of the same Idempotency-Key.
 */
export type Outcome = {
  status: 'applied' | 'refused' | 'abandoned' | 'failed' | 'pending';
  result: string | null;
  isRepeat?: true;
};

/**
 * An outcome as Postgres has it. `under`: the request id it stands under there, when it is applied and its
 * answer was too large to be read along; `result` is null then.
 */
export type StoredOutcome = Outcome & { status: 'applied' | 'refused' | 'abandoned'; under?: string };
