type Buckets = readonly { bound: number; count: number }[];

/**
 * The latency in milliseconds below which this part of the requests stayed between two readings: with 0.95,
 * the 95th percentile. Interpolated within a bucket. Null if there were no requests.
 */
export function latencyMs(before: Buckets, after: Buckets, part: number): number | null {
  const earlier = new Map(before.map(({ bound, count }) => [bound, count]));
  const added = after.map(({ bound, count }) => ({ bound, count: count - (earlier.get(bound) ?? 0) }));
  const total = added.at(-1)?.count ?? 0;
  if (total <= 0) return null;
  const rank = part * total;
  let below = { bound: 0, count: 0 };
  for (const bucket of added) {
    if (bucket.count >= rank) {
      // The last bucket has no upper bound.
      if (bucket.bound === Number.POSITIVE_INFINITY) return below.bound * 1000;
      const within = (rank - below.count) / (bucket.count - below.count);
      return (below.bound + within * (bucket.bound - below.bound)) * 1000;
    }
    below = bucket;
  }
  return below.bound * 1000;
}
