import type { Tracing } from './tracing.ts';

/**
 * Opens tracing when there is an endpoint to send to; else null, and nothing is loaded. `part`: the process,
 * as `service.name` has it unless OTEL_SERVICE_NAME is set.
 */
export async function openTracing(endpoint: string | undefined, part: string): Promise<Tracing | null> {
  if (endpoint === undefined) return null;
  const { startTracing } = await import('./open-telemetry.ts');
  return startTracing(endpoint, part);
}
