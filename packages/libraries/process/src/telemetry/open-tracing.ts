import type { Tracing } from './tracing.ts';

/**
 * Opens tracing if there is an endpoint. Otherwise returns null, and nothing is loaded. `part`: the
 * `service.name` of the process unless OTEL_SERVICE_NAME is set.
 */
export async function openTracing(endpoint: string | undefined, part: string): Promise<Tracing | null> {
  if (endpoint === undefined) return null;
  const { startTracing } = await import('./open-telemetry.ts');
  return startTracing(endpoint, part);
}
