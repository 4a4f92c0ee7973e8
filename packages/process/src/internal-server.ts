import { createServer } from 'node:http';
import { collectDefaultMetrics, Registry } from 'prom-client';

export type InternalServer = { close(): Promise<void> };

/** The registry of this process, with Node's own figures. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/**
 * Serves `/healthz` (the process lives), `/readyz` (it can do its work; 503 with the reason when not) and `/metrics` for
 * those who run the service. Never on the port that clients reach.
 */
export async function serveInternal(options: {
  port: number;
  host: string;
  metrics: Registry;
  /** Resolves when the process can do its work; rejects with the reason when not. */
  checkReady: () => Promise<void>;
}): Promise<InternalServer> {
  const server = createServer(async (request, response) => {
    const answer = (status: number, text: string, type = 'text/plain; charset=utf-8') => {
      response.writeHead(status, { 'Content-Type': type });
      response.end(text);
    };
    if (request.url === '/healthz') answer(200, 'ok\n');
    else if (request.url === '/readyz') {
      await options.checkReady().then(
        () => answer(200, 'ok\n'),
        (error: Error) => answer(503, `${error.message}\n`),
      );
    } else if (request.url === '/metrics')
      answer(200, await options.metrics.metrics(), options.metrics.contentType);
    else answer(404, 'not found\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
