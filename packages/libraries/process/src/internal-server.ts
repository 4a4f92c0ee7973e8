import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from './log/describe-error.ts';
import { isOwnHost } from './settings/own-host.ts';
import type { Metrics } from './telemetry/metrics.ts';

/** `port`: the port that it listens on. */
export type InternalServer = { port: number; close(): Promise<void> };

/** The state of a process that can do its work. */
export type Readiness = {
  /** The work that it cannot do now, and the work that it still does. */
  degraded?: string | undefined;
  /** Further lines for the reader. */
  notes?: readonly string[];
};

export type InternalOptions = {
  /** Rejects with the reason when the process cannot serve. */
  checkReady: () => Promise<Readiness | undefined>;
  metrics: Metrics;
  /** Why it should get no new requests now: it is stopping or has just started. null: it should. */
  whyNotAccepting?: () => string | null;
  /** Further pages by path; each ends its response. */
  pages?: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> | undefined;
};

export type InternalSettings = {
  INTERNAL_PORT?: number | undefined;
  INTERNAL_HOST: string;
  INTERNAL_NAMES: readonly string[];
};

/**
 * Serves `/healthz` (the process is alive), `/readyz` (it can serve; otherwise 503 with the reason),
 * `/accepts` (it should get new requests; otherwise 503) and `/metrics` to operators; null if no port is set.
 * Never on the port for clients, and only for a `Host` that `isOwnHost` accepts. `/accepts` is for a proxy.
 * Unlike `/readyz` it does not ask Postgres: without Postgres, the process itself still gives the best
 * answers.
 */
export async function serveInternal(
  settings: InternalSettings,
  { checkReady, metrics, whyNotAccepting = () => null, pages = {} }: InternalOptions,
): Promise<InternalServer | null> {
  if (settings.INTERNAL_PORT === undefined) return null;
  const server = createServer(async (request, response) => {
    const answer = (status: number, text: string, type = 'text/plain; charset=utf-8') => {
      response.writeHead(status, { 'Content-Type': type });
      response.end(text);
    };
    if (!isOwnHost(request.headers.host, settings.INTERNAL_NAMES))
      return answer(403, 'ask by an address or a name of your own network, or see INTERNAL_NAMES\n');
    const path = request.url?.split('?', 1)[0] ?? '';
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (page !== undefined) page(request, response);
    else if (path === '/healthz') answer(200, 'ok\n');
    else if (path === '/accepts') {
      const reason = whyNotAccepting();
      if (reason === null) answer(200, 'ok\n');
      else answer(503, `${reason}\n`);
    } else if (path === '/readyz') {
      await checkReady().then(
        (readiness) => answer(200, readyText(readiness ?? {})),
        (error) => answer(503, `${messageOf(error)}\n`),
      );
    } else if (path === '/metrics') {
      await metrics.read().then(
        ({ text, type }) => answer(200, text, type),
        (error) => answer(500, `${messageOf(error)}\n`),
      );
    } else answer(404, 'not found\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.INTERNAL_PORT, settings.INTERNAL_HOST, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
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
