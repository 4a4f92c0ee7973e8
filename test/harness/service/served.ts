import { test } from 'vitest';
import type { ApiAnswer } from './api-client.ts';

/** The service refused a request as busy, in a test that is not about that. */
class BusyError extends Error {}

const triesMax = 5;

/**
 * A test that starts again when the machine was too slow for it: when an answer passed to {@link notBusy} is
 * a 503. Any other error fails it at once.
 */
export function served(name: string, run: () => Promise<void>): void {
  test(name, async () => {
    for (let tries = 1; ; tries++) {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof BusyError) || tries === triesMax) throw error;
      }
    }
  });
}

/** The answer of a single call, or of a batch without an operation refused as busy. */
export function notBusy(answer: ApiAnswer): ApiAnswer {
  const results: { statusCode: number }[] = answer.body?.results ?? [];
  if (answer.status === 503 || results.some(({ statusCode }) => statusCode === 503)) {
    throw new BusyError(`503: ${answer.text.slice(0, 300)}`);
  }
  return answer;
}
