import type { Socket } from 'node:net';

/** The knowledge of the callers at the other ends of connections, for those that must choose among them. */
export type Standing = {
  /** A right token or secret came on this connection: it is no stranger's. */
  noteKnown(socket: Socket): void;
  isKnown(socket: Socket): boolean;
  /** `tell` is called once of each connection that becomes known. */
  whenKnown(tell: (socket: Socket) => void): void;
  /** Whether a stranger's answer waits for its turn on this connection; see `createStrangers`. */
  noteWaiting(socket: Socket, waits: boolean): void;
  isWaiting(socket: Socket): boolean;
};

export function createStanding(): Standing {
  const known = new WeakSet<Socket>();
  const waiting = new WeakSet<Socket>();
  let tellOf = (_socket: Socket) => {};
  return {
    noteKnown(socket) {
      if (known.has(socket)) return;
      known.add(socket);
      tellOf(socket);
    },
    whenKnown(tell) {
      tellOf = tell;
    },
    isKnown: (socket) => known.has(socket),
    noteWaiting: (socket, waits) => void (waits ? waiting.add(socket) : waiting.delete(socket)),
    isWaiting: (socket) => waiting.has(socket),
  };
}
