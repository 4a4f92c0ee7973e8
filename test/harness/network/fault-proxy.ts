import { onTestFinished } from 'vitest';
import { type Fault, type SeenRequest, startHttpFaults } from './http-faults.ts';

export type { Fault };

export type FaultProxy = {
  baseUrl: string;
  /** All requests so far. */
  seen: SeenRequest[];
  close(): void;
};

/** Stands between a caller and the api, for one test. `decide` is asked for each request. */
export async function startFaultProxy(
  baseUrl: string,
  decide: (request: SeenRequest, index: number) => Fault,
): Promise<FaultProxy> {
  const target = new URL(baseUrl);
  const seen: SeenRequest[] = [];
  const { port, close } = await startHttpFaults(
    () => target,
    (request) => decide(request, seen.push(request) - 1),
  );
  onTestFinished(close);
  return { baseUrl: `http://127.0.0.1:${port}${target.pathname}`, seen, close };
}
