/** Outcomes in the order of their requests; null is left to the next batch. */
export function inOrder<T>(
  requests: readonly { requestId: string }[],
  outcomes: ReadonlyMap<string, T>,
): (T | null)[] {
  return requests.map(({ requestId }) => outcomes.get(requestId) ?? null);
}

/** The answers of a worker that applies everything. */
export function allApplied(
  requests: readonly { requestId: string }[],
  result = '{}',
): Map<string, { status: 'applied'; result: string }> {
  return new Map(requests.map(({ requestId }) => [requestId, { status: 'applied', result }]));
}
