import type { IncomingMessage, ServerResponse } from 'node:http';

/** The browsers that show the page. Each event is made once for all of them. */
export type Viewers = {
  /** Answers with the stream. `first`: the events that bring a new viewer up to date. */
  add(request: IncomingMessage, response: ServerResponse, first: readonly string[]): void;
  send(event: string): void;
  count(): number;
};

const viewersMax = 64;
// A viewer that was closed to make room retries later than one whose connection broke.
const awayMs = 10_000;
// A browser that does not read its stream is disconnected, and reconnects when it reads again.
const unreadMax = 256 * 1024;

/** The text of one event, as browsers expect it. */
export function eventText(name: string, value: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
}

export function createViewers(): Viewers {
  const viewers = new Set<ServerResponse>();

  function makeWay(viewer: ServerResponse) {
    viewers.delete(viewer);
    if (viewer.writableLength > 0) viewer.destroy();
    else viewer.end(`retry: ${awayMs}\n\n`);
  }

  return {
    add(request, response, first) {
      if (request.method !== 'GET') {
        response.writeHead(405, { Allow: 'GET' }).end();
        return;
      }
      // A page of another origin, such as another port of this machine, must not take up places.
      const from = request.headers['sec-fetch-site'] ?? 'none';
      if (from !== 'none' && from !== 'same-origin') {
        response.writeHead(403, { 'Content-Type': 'text/plain' }).end('not from a page of another origin\n');
        return;
      }
      const [oldest] = viewers;
      if (oldest !== undefined && viewers.size >= viewersMax) makeWay(oldest);
      response.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'Cross-Origin-Resource-Policy': 'same-origin',
        // A proxy would buffer the events.
        'X-Accel-Buffering': 'no',
      });
      viewers.add(response);
      response.on('close', () => viewers.delete(response));
      response.on('error', () => viewers.delete(response));
      response.write(`retry: 2000\n\n${first.join('')}`);
    },
    send(event) {
      const bytes = Buffer.from(event);
      for (const viewer of viewers) {
        if (viewer.writableLength > unreadMax) viewer.destroy();
        else viewer.write(bytes);
      }
    },
    count: () => viewers.size,
  };
}
