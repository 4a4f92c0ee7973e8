import { connect as connectTcp, createServer, type Socket } from 'node:net';

/** A way to a server on which connections can die silently. */
export type Way = {
  /** The address, with the port of this way. */
  url: string;
  /**
   * From now on swallows everything on the present connections, both ways and for good; new ones work.
   * Returns their number.
   */
  swallow(): number;
  /** Sends new connections to another port. */
  leadTo(port: number): void;
  close(): void;
};

/** Opens a way to the server at `url`. */
export async function openWay(url: string): Promise<Way> {
  let targetPort = Number(new URL(url).port);
  const sockets = new Set<Socket>();
  const holes = new Set<() => void>();
  const server = createServer((incoming) => {
    const outgoing = connectTcp(targetPort, '127.0.0.1');
    let isSwallowed = false;
    const hole = () => {
      isSwallowed = true;
      holes.delete(hole);
    };
    holes.add(hole);
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (chunk) => {
        if (!isSwallowed) to.write(chunk);
      });
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        holes.delete(hole);
        // The end of a connection is a packet, too.
        if (!isSwallowed) to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: through(url, server.address() as { port: number }),
    swallow() {
      const { size } = holes;
      for (const hole of holes) hole();
      return size;
    },
    leadTo(port) {
      targetPort = port;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The same address through another port of loopback. */
export function through(url: string, { port }: { port: number }): string {
  const changed = new URL(url);
  changed.hostname = '127.0.0.1';
  changed.port = String(port);
  return changed.href;
}
