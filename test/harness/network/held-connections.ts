import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { through } from './through.ts';

/** A way to a server on which new connections can be kept waiting. */
export type HeldWay = {
  url: string;
  /** Keeps new connections waiting until they are let go. */
  hold(): void;
  letGo(): void;
  /** The number of connections held. */
  heldCount(): number;
  /** The number of connections that have ended. */
  closedCount(): number;
  close(): void;
};

/** Opens such a way to the server at `url`. */
export async function openHeldWay(url: string): Promise<HeldWay> {
  const targetPort = Number(new URL(url).port);
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  let holds = false;
  let closedCount = 0;
  const server = createServer((incoming) => {
    sockets.add(incoming);
    incoming.on('error', () => {});
    incoming.pause();
    const lead = () => {
      const outgoing = connectTcp(targetPort, '127.0.0.1');
      sockets.add(outgoing);
      outgoing.on('error', () => {});
      outgoing.on('close', () => {
        closedCount += 1;
        incoming.destroy();
      });
      incoming.on('close', () => outgoing.destroy());
      incoming.pipe(outgoing).pipe(incoming);
    };
    if (holds) held.push(lead);
    else lead();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: through(url, server.address() as { port: number }),
    hold() {
      holds = true;
    },
    letGo() {
      holds = false;
      for (const lead of held.splice(0)) lead();
    },
    heldCount: () => held.length,
    closedCount: () => closedCount,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
