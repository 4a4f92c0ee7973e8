import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';

/** A message as it came, and its answer, which the test gives. */
export type Received = {
  headers: IncomingHttpHeaders;
  body: string;
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: messages have their own forms.
  message: any;
};

export type Receiver = {
  url: string;
  /** All messages so far, whatever they were answered. */
  received: Received[];
  /** Connections so far. */
  connections(): number;
};

type Answer = (response: ServerResponse, received: Received, count: number) => void;

const accept: Answer = (response) => response.writeHead(204).end();

/** A receiver of webhooks on this machine, until the test ends. `answer`: by default 204. */
export async function startReceiver(answer: Answer = accept, host = '127.0.0.1'): Promise<Receiver> {
  const received: Received[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const { headers } = request;
    const one = { headers, body, id: String(headers['webhook-id']), message: JSON.parse(body) };
    received.push(one);
    answer(response, one, received.length);
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}/hook`, received, connections: () => connections };
}

/** Whether a receiver with this secret accepts a message. */
export function verifies(secret: string, { body, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
