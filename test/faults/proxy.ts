import { connect as connectTcp, createServer, type Socket } from 'node:net';

/** A stretch of network that can be stalled (nothing passes, nothing is told) or cut (connections break, new ones are refused). */
export type NetworkStretch = {
  port: number;
  setState(state: 'open' | 'stalled' | 'cut'): void;
  close(): void;
};

/** Listens on a free port of loopback and passes bytes both ways to `targetPort`. */
export async function startProxy(targetPort: number): Promise<NetworkStretch> {
  const pairs = new Set<[Socket, Socket]>();
  let state: 'open' | 'stalled' | 'cut' = 'open';
  const server = createServer((incoming) => {
    if (state === 'cut') {
      incoming.resetAndDestroy();
      return;
    }
    const outgoing = connectTcp(targetPort, '127.0.0.1');
    const pair: [Socket, Socket] = [incoming, outgoing];
    pairs.add(pair);
    for (const [from, to] of [pair, [outgoing, incoming] as const]) {
      from.setNoDelay(true);
      from.on('data', (chunk) => {
        if (!to.write(chunk)) from.pause();
      });
      to.on('drain', () => {
        if (state !== 'stalled') from.resume();
      });
      from.on('error', () => {});
      from.on('close', () => {
        pairs.delete(pair);
        to.destroy();
      });
    }
    if (state === 'stalled') for (const socket of pair) socket.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    setState(next) {
      state = next;
      for (const pair of pairs) {
        for (const socket of pair) {
          if (next === 'stalled') socket.pause();
          else if (next === 'open') socket.resume();
          else socket.resetAndDestroy();
        }
      }
    },
    close() {
      server.close();
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    },
  };
}
