import { connect as connectTcp, createServer, type Socket } from 'node:net';

/** A stretch of network that breaks one connection at a bad moment. */
export type AnswerCut = {
  port: number;
  /**
   * Breaks the next connection that sends these words to the server: after they have passed, so that only the
   * answer is lost, or before.
   */
  breakAt(words: string, moment: 'after' | 'before'): void;
  /** The number of connections broken. */
  brokenCount(): number;
  close(): void;
};

/** Listens on a free port of loopback and passes bytes both ways to `targetPort`. */
export async function startAnswerCut(targetPort: number): Promise<AnswerCut> {
  const sockets = new Set<Socket>();
  let armed: { words: string; moment: 'after' | 'before' } | null = null;
  let brokenCount = 0;
  const server = createServer((incoming) => {
    const outgoing = connectTcp(targetPort, '127.0.0.1');
    let broken = false;
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
    }
    incoming.on('data', (chunk) => {
      const hit = armed !== null && chunk.includes(armed.words) ? armed : null;
      if (hit?.moment !== 'before') outgoing.write(chunk);
      if (hit === null) return;
      armed = null;
      broken = true;
      brokenCount += 1;
      incoming.resetAndDestroy();
    });
    // The server's side stays open: the server carries out its statement and has nobody to answer.
    incoming.on('close', () => {
      if (!broken) outgoing.destroy();
    });
    outgoing.on('data', (chunk) => {
      if (!broken) incoming.write(chunk);
    });
    outgoing.on('close', () => incoming.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    breakAt(words, moment) {
      armed = { words, moment };
    },
    brokenCount: () => brokenCount,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
