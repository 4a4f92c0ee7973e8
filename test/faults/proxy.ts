import { connect as connectTcp, createServer, type Socket } from 'node:net';

/**
 * A stretch of network that can be `stalled` (nothing passes, nobody is told) or `cut` (connections break,
 * new ones are refused). `setState('black hole')` silently kills every present connection, like a cut cable
 * or a firewall that forgets them: nothing passes any more, nobody is ever told, and new connections work at
 * once.
 */
export type Stretch = {
  setState(state: 'open' | 'stalled' | 'cut' | 'black hole'): void;
  close(): void;
};

/** One that begins at its own port. */
export type NetworkStretch = Stretch & {
  port: number;
  /** The same as a black hole; returns the number of connections. */
  swallow(): number;
  /** Sends new connections to another port. */
  leadTo(port: number): void;
  /** Keeps new connections waiting until they are let go. */
  hold(): void;
  letGo(): void;
  heldCount(): number;
  /** The number of connections that have ended. */
  closedCount(): number;
  /**
   * Breaks the next connection that sends these words to the server: after they have passed, so that only the
   * answer is lost, or before.
   */
  breakAt(words: string, moment: 'after' | 'before'): void;
  brokenCount(): number;
};

/** One that begins at a given address. */
export type Way = Stretch & { url: string };

/** For each connection, the replacement of the bytes in its answers. */
type Options = { createRewrite?: () => (answer: Buffer) => Buffer };

type Pair = [incoming: Socket, outgoing: Socket];

/** The connections of a stretch, and what is done to them. */
function createPairs({ createRewrite = () => (answer) => answer }: Options) {
  const sockets = new Set<Socket>();
  const pairs = new Set<Pair>();
  const counts = { closed: 0, broken: 0 };
  let isStalled = false;
  let armed: { words: string; moment: 'after' | 'before' } | null = null;

  function lead(incoming: Socket, targetPort: number) {
    const rewrite = createRewrite();
    const outgoing = connectTcp(targetPort, '127.0.0.1');
    const pair: Pair = [incoming, outgoing];
    pairs.add(pair);
    for (const [from, to] of [pair, [outgoing, incoming] as const]) {
      keep(from);
      from.setNoDelay(true);
      from.on('data', (chunk: Buffer) => {
        if (from === incoming && breaks(pair, chunk)) return;
        if (!to.destroyed && !to.write(from === outgoing ? rewrite(chunk) : chunk)) from.pause();
      });
      to.on('drain', () => {
        if (!isStalled) from.resume();
      });
      from.on('close', () => {
        if (pairs.delete(pair)) counts.closed += 1;
        to.destroy();
      });
    }
    if (isStalled) for (const socket of pair) socket.pause();
  }

  /** It is destroyed with the stretch. */
  function keep(socket: Socket) {
    sockets.add(socket);
    socket.on('error', () => {});
  }

  /** The server's side stays open: the server carries out its statement and has nobody to answer. */
  function breaks(pair: Pair, chunk: Buffer): boolean {
    if (armed === null || !chunk.includes(armed.words)) return false;
    if (armed.moment === 'after') pair[1].write(chunk);
    armed = null;
    counts.broken += 1;
    swallow(pair);
    pair[0].resetAndDestroy();
    return true;
  }

  /**
   * Nobody reads these any more: bytes sent into them fill the system's buffers, and neither side sees the
   * other end.
   */
  function swallow(pair: Pair) {
    pairs.delete(pair);
    for (const socket of pair) {
      socket.removeAllListeners('data').removeAllListeners('drain').removeAllListeners('close');
      socket.pause();
    }
  }

  return {
    ...{ sockets, pairs, counts, lead, keep, swallow },
    stall(next: boolean) {
      isStalled = next;
      for (const socket of [...pairs].flat()) isStalled ? socket.pause() : socket.resume();
    },
    breakAt(words: string, moment: 'after' | 'before') {
      armed = { words, moment };
    },
  };
}

/** Listens on a free port of loopback and passes bytes both ways to `targetPort`. */
export async function startProxy(targetPort: number, options: Options = {}): Promise<NetworkStretch> {
  const { sockets, pairs, counts, lead, keep, swallow, stall, breakAt } = createPairs(options);
  const held: Socket[] = [];
  let isCut = false;
  let isHeld = false;
  const server = createServer((incoming) => {
    keep(incoming);
    if (isCut) incoming.resetAndDestroy();
    else if (isHeld) held.push(incoming);
    else lead(incoming, targetPort);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const swallowAll = () => {
    const { size } = pairs;
    for (const pair of pairs) swallow(pair);
    return size;
  };
  return {
    port: (server.address() as { port: number }).port,
    swallow: swallowAll,
    setState(state) {
      isCut = state === 'cut';
      if (state === 'black hole') swallowAll();
      if (isCut) for (const socket of [...pairs].flat()) socket.resetAndDestroy();
      stall(state === 'stalled');
    },
    leadTo(port) {
      targetPort = port;
    },
    hold() {
      isHeld = true;
    },
    letGo() {
      isHeld = false;
      for (const incoming of held.splice(0)) lead(incoming, targetPort);
    },
    heldCount: () => held.length,
    closedCount: () => counts.closed,
    breakAt,
    brokenCount: () => counts.broken,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A stretch on the way to the server at `url`, and the address of its beginning. */
export async function openWay(url: string): Promise<NetworkStretch & Way> {
  const stretch = await startProxy(Number(new URL(url).port));
  return { ...stretch, url: through(url, stretch) };
}

/** The same address through another port of loopback. */
export function through(url: string, { port }: { port: number }): string {
  const changed = new URL(url);
  changed.hostname = '127.0.0.1';
  changed.port = String(port);
  return changed.href;
}
