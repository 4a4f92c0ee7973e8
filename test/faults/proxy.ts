import { connect as connectTcp, createServer, type Socket } from 'node:net';

/**
 * A network path that can be `stalled` (nothing passes, neither side is told) or `cut` (connections break,
 * new ones are refused). `setState('black hole')` silently kills every open connection, like a cut cable or a
 * firewall that forgets it: nothing passes any more, neither side is ever told, and new connections work at
 * once.
 */
export type Stretch = {
  setState(state: 'open' | 'stalled' | 'cut' | 'black hole'): void;
  close(): void;
};

/** One that begins at its own port. */
export type NetworkStretch = Stretch & {
  port: number;
  /** Sends new connections to another port. */
  leadTo(targetPort: number): void;
};

/** A path that begins at this address. */
export type Way = Stretch & { url: string };

export type ProxyOptions = {
  /** Creates the function that rewrites the answers of one connection. */
  createRewrite?: () => (answer: Buffer) => Buffer;
};

/** Listens on a free port of loopback and passes bytes both ways to `targetPort`. */
export async function startProxy(
  targetPort: number,
  { createRewrite = () => (answer) => answer }: ProxyOptions = {},
): Promise<NetworkStretch> {
  const pairs = new Set<[Socket, Socket]>();
  const swallowed = new Set<Socket>();
  let state: 'open' | 'stalled' | 'cut' = 'open';
  const server = createServer((incoming) => {
    if (state === 'cut') {
      incoming.resetAndDestroy();
      return;
    }
    const rewrite = createRewrite();
    const outgoing = connectTcp(targetPort, '127.0.0.1');
    const pair: [Socket, Socket] = [incoming, outgoing];
    pairs.add(pair);
    for (const [from, to] of [pair, [outgoing, incoming] as const]) {
      from.setNoDelay(true);
      const pass = (chunk: Buffer) => {
        if (!to.destroyed && !to.write(from === outgoing ? rewrite(chunk) : chunk)) from.pause();
      };
      from.on('data', pass);
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

  /**
   * Stops reading both sockets: bytes sent into them fill the kernel's buffers, and neither side sees the
   * other close.
   */
  function swallow(pair: [Socket, Socket]) {
    pairs.delete(pair);
    for (const socket of pair) {
      socket.removeAllListeners('data').removeAllListeners('drain').removeAllListeners('close');
      socket.pause();
      swallowed.add(socket);
    }
  }

  return {
    port: (server.address() as { port: number }).port,
    leadTo(port) {
      targetPort = port;
    },
    setState(next) {
      if (next === 'black hole') {
        state = 'open';
        for (const pair of pairs) swallow(pair);
        return;
      }
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
      for (const socket of [...swallowed, ...[...pairs].flat()]) socket.destroy();
    },
  };
}
