import type { Batch } from './batch.ts';
import { count } from './count.ts';
import type { Decision } from './decision.ts';
import { issue } from './issue.ts';
import { move } from './move.ts';
import { receive } from './receive.ts';
import { itemIdOf, type SingleRequest } from './request.ts';
import { reverse } from './reverse.ts';

/** Decides one transaction. If it is applied, changes the batch. */
export function decide(batch: Batch, request: SingleRequest): Decision {
  const decision = decideUnderShortId(batch, request);
  // The answer to a receipt has the whole lot.
  const isTold = request.sentName === undefined || request.kind === 'receive';
  if (isTold || decision.status !== 'applied') return decision;
  const shortID = itemIdOf(request);
  return { ...decision, answer: (transactionNo) => ({ ...decision.answer(transactionNo), shortID }) };
}

function decideUnderShortId(batch: Batch, request: SingleRequest): Decision {
  switch (request.kind) {
    case 'receive':
      return receive(batch, request.body);
    case 'move':
      return move(batch, request.body);
    case 'issue':
      return issue(batch, request.body);
    case 'count':
      return count(batch, request.body);
    case 'reverse':
      return reverse(batch, request.body, request.of);
  }
}
