import {
  createServer,
  request as forward,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** The fate of a request. */
export type Fault =
  | 'pass'
  /** The connection ends before the service sees the request. */
  | 'drop'
  /** The service carries it out, and the connection ends instead of an answer. */
  | 'lose'
  /** The same, in the middle of the answer. */
  | 'cut'
  /** The service carries it out, and the answer of a proxy that has lost the service comes instead. */
  | { instead: number; body?: string }
  /** An answer without the service having seen the request. */
  | { refuse: number; retryAfter?: string; body?: string }
  | { delayMs: number };

export type SeenRequest = { method: string; path: string; body: string; headers: IncomingHttpHeaders };

export type HttpFaults = { port: number; close(): void };

/**
 * Stands between callers and the apis. Both are asked for each request: `target` for the api it goes to, null
 * when none is up.
 */
export async function startHttpFaults(
  target: () => URL | null,
  decide: (request: SeenRequest) => Fault,
): Promise<HttpFaults> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('error', () => {});
    incoming.on('end', async () => {
      const body = Buffer.concat(chunks);
      const { method = '', url: path = '', headers } = incoming;
      const request = { method, path, body: body.toString(), headers };
      const fault = decide(request);
      const cut = () => outgoing.socket?.destroy();
      if (fault === 'drop') return cut();
      if (typeof fault === 'object' && 'refuse' in fault) return refuse(outgoing, fault);
      if (typeof fault === 'object' && 'delayMs' in fault) await setTimeout(fault.delayMs);
      const answer = await passOn(target(), request, body).catch(() => null);
      if (answer === null || fault === 'lose') return cut();
      if (typeof fault === 'object' && 'instead' in fault)
        return refuse(outgoing, { ...fault, refuse: fault.instead });
      outgoing.writeHead(answer.status, answer.headers);
      if (fault !== 'cut') return outgoing.end(answer.body);
      outgoing.write(answer.body.subarray(0, answer.body.length / 2), cut);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function refuse(outgoing: ServerResponse, fault: { refuse: number; retryAfter?: string; body?: string }) {
  const retryAfter = fault.retryAfter === undefined ? {} : { 'Retry-After': fault.retryAfter };
  outgoing.writeHead(fault.refuse, { 'Content-Type': 'text/html', ...retryAfter });
  outgoing.end(fault.body ?? '<html></html>');
}

type PassedOn = { status: number; headers: OutgoingHttpHeaders; body: Buffer };

function passOn(target: URL | null, { method, path, headers }: SeenRequest, body: Buffer): Promise<PassedOn> {
  return new Promise((resolve, reject) => {
    if (target === null) return reject(new Error('no api is up'));
    const { host, connection, 'transfer-encoding': coding, ...rest } = headers;
    const sent = forward(
      { host: target.hostname, port: target.port, method, path, headers: rest },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const { connection, 'transfer-encoding': answered, ...kept } = answer.headers;
          const text = Buffer.concat(chunks);
          const headers = { ...kept, 'content-length': text.length };
          resolve({ status: answer.statusCode!, headers, body: text });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
