/**
 * A list of transactions, the newest first, after a change: with the new one, if `isMeant`, and with the one
 * that it undid marked as undone.
 */
export function transactionsAfter(known, change, isMeant) {
  if (change.type !== 'stock') return known;
  const { transactionNo, reverses } = change;
  const isUndone = (each) => reverses !== null && each.transactionNo === reverses;
  const before = known.map((each) => (isUndone(each) ? { ...each, reversedBy: transactionNo } : each));
  if (!isMeant(change) || known.some((each) => each.transactionNo === transactionNo)) return before;
  return [change, ...before].sort((one, other) => other.transactionNo - one.transactionNo);
}
