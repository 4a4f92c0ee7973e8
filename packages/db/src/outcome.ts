/**
 * What became of a request. `applied`: `result` is the JSON text of the answer's body. `refused`: of the refusal.
 * `abandoned`: not applied and never will be, under this request id; `result` of the refusal if there is one to give.
 * `isRepeat`: decided under an earlier send of the same Idempotency-Key.
 */
export type StoredOutcome = {
  status: 'applied' | 'refused' | 'abandoned';
  result: string | null;
  isRepeat?: true;
};
