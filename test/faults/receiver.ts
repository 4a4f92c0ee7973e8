import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { addWebhook } from '@inventory/db/webhooks/manage-webhooks';
import type { Change } from '@inventory/domain/contract/change';
import type { Cluster } from './cluster.ts';
import { pickOne } from './random.ts';

/** A receiver of webhooks that fails again and again, and keeps what it has got. */
export type Receiver = {
  /** Messages that broke a promise. */
  problems: string[];
  stop(): Promise<void>;
};

const restMs = 500;
const downMs = 800;

/**
 * Adds a webhook that begins now, and receives its messages. `take`: called with the changes of each message
 * once, in the order of arrival. Now and then the receiver is gone, or ends in the middle of a message,
 * before or after it has kept it. Pauses between attempts are cut short.
 */
export async function startReceiver(
  cluster: Pick<Cluster, 'sql'>,
  { clientId, random, take }: { clientId: string; random: () => number; take: (changes: Change[]) => void },
): Promise<Receiver> {
  const problems: string[] = [];
  const kept = new Map<string, string>();
  const sockets = new Set<Socket>();
  let isDown = false;
  let running = true;

  function keep(id: string, body: string) {
    const before = kept.get(id);
    if (before !== undefined && before !== body) problems.push(`message ${id} came with other bytes`);
    // A worker that was frozen may even send it after a later one.
    if (before !== undefined) return;
    kept.set(id, body);
    take(JSON.parse(body).data.value);
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const end = pickOne(random, [...Array(16).fill('taken'), 'refused', 'cut', 'lost', 'slow'] as const);
    if (isDown || end === 'cut') {
      request.socket.destroy();
      return;
    }
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      if (end === 'slow') await pause(2000 * random());
      if (end !== 'refused')
        keep(String(request.headers['webhook-id']), Buffer.concat(chunks).toString('utf8'));
      if (end === 'lost') request.socket.destroy();
      else response.writeHead(end === 'refused' ? 500 : 204).end();
    } catch {
      // The worker was killed in the middle of it.
    }
  }

  const server = createServer((request, response) => void answer(request, response));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    if (isDown) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const webhookId = await addWebhook(cluster.sql, {
    clientId,
    url: `http://127.0.0.1:${port}/hook`,
    kinds: null,
    allowPrivate: true,
    begin: 'now',
    secret: randomBytes(32),
  });
  if (typeof webhookId !== 'number') throw new Error(`no webhook for ${clientId}: ${webhookId}`);

  const living = (async () => {
    while (running) {
      await pause(restMs);
      isDown = random() < 0.1;
      if (isDown) {
        for (const socket of sockets) socket.destroy();
        await pause(downMs);
        isDown = false;
      }
      // Minutes and hours pass, and no attempt is the last one. Postgres may be away.
      await cluster.sql`
        update webhook
        set next_attempt = least(next_attempt, clock_timestamp()), attempts = least(attempts, 2)
        where webhook_id = ${webhookId}`.catch(() => {});
    }
  })();

  return {
    problems,
    async stop() {
      running = false;
      await living;
      server.closeAllConnections();
      server.close();
    },
  };
}
