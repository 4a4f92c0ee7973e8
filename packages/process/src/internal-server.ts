import { createServer } from 'node:http';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { messageOf } from './describe-error.ts';

export type InternalServer = { close(): Promise<void> };

/** The state of a process that can do its work. */
export type Readiness = {
  /** The work it cannot do now, and the work it does all the same. */
  degraded?: string | undefined;
  /** Lines for who looks. */
  notes?: readonly string[];
};

/** A number that is asked for when the metrics are read. */
export type Measured = { name: string; help: string; read: () => number };

/**
 * Serves `/healthz` (the process lives), `/readyz` (it can serve; 503 with the reason when not) and `/metrics` for those who run the
 * service; null when no port is set. Never on the port that clients reach. `checkReady` rejects with the reason.
 */
export async function serveInternal(
  settings: { INTERNAL_PORT?: number | undefined; INTERNAL_HOST: string },
  checkReady: () => Promise<Readiness | undefined>,
  measured: readonly Measured[] = [],
): Promise<InternalServer | null> {
  if (settings.INTERNAL_PORT === undefined) return null;
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  for (const { name, help, read } of measured) {
    new Gauge({
      name,
      help,
      registers: [metrics],
      collect() {
        this.set(read());
      },
    });
  }
  const server = createServer(async (request, response) => {
    const answer = (status: number, text: string, type = 'text/plain; charset=utf-8') => {
      response.writeHead(status, { 'Content-Type': type });
      response.end(text);
    };
    if (request.url === '/healthz') answer(200, 'ok\n');
    else if (request.url === '/readyz') {
      await checkReady().then(
        (readiness) => answer(200, readyText(readiness ?? {})),
        (error) => answer(503, `${messageOf(error)}\n`),
      );
    } else if (request.url === '/metrics') answer(200, await metrics.metrics(), metrics.contentType);
    else answer(404, 'not found\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.INTERNAL_PORT, settings.INTERNAL_HOST, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readyText({ degraded, notes = [] }: Readiness): string {
  const state = degraded === undefined ? 'ok' : `degraded: ${degraded}`;
  return [state, ...notes].map((line) => `${line}\n`).join('');
}
