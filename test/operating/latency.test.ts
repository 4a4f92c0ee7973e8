import { createApiMetrics } from '@inventory/api/metrics';
import { latencyMs } from '@inventory/api/status-page/latency';
import { takeReading } from '@inventory/api/status-page/reading';
import { createMetrics, durationBuckets } from '@inventory/process/telemetry/metrics';
import fc from 'fast-check';
import { expect, test } from 'vitest';

/** The latencies the page shows for requests that took this long, through the metric and back. */
async function shownOf(durationsMs: readonly number[]): Promise<(number | null)[]> {
  const metrics = createMetrics();
  const { answered } = createApiMetrics(metrics);
  const before = await takeReading(metrics);
  for (const [index, ms] of durationsMs.entries())
    answered(index % 2 ? 'GET' : 'POST', '/Inventory/Receive', 200, ms);
  const after = await takeReading(metrics);
  return [0.5, 0.95, 0.99].map((part) => latencyMs(before.durations, after.durations, part));
}

// A request that waits in vain is answered after 2.5 s, a little later on a busy machine.
test.each([2501, 2520, 2550, 2600])(
  'the median, p95 and p99 are right to a tenth of a second when all requests took %i ms',
  async (tookMs) => {
    for (const shown of await shownOf(Array.from({ length: 200 }, () => tookMs)))
      expect(Math.abs(shown! - tookMs)).toBeLessThanOrEqual(100);
  },
);

test('the percentiles lie in the bucket of the true value, for any durations', async () => {
  const bounds = [0, ...durationBuckets].map((seconds) => seconds * 1000);
  const durations = fc.array(fc.double({ min: 0.01, max: 9999, noNaN: true }), {
    minLength: 1,
    maxLength: 300,
  });
  await fc.assert(
    fc.asyncProperty(durations, async (given) => {
      const sorted = [...given].sort((one, other) => one - other);
      const shown = await shownOf(given);
      [0.5, 0.95, 0.99].forEach((part, index) => {
        const exact = sorted[Math.ceil(part * sorted.length) - 1]!;
        const upper = bounds.findIndex((bound) => exact <= bound);
        expect(shown[index]).toBeGreaterThanOrEqual(bounds[upper - 1]!);
        expect(shown[index]).toBeLessThanOrEqual(bounds[upper]!);
      });
    }),
    { numRuns: 50 },
  );
});
