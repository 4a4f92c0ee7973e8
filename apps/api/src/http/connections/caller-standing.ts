import type { Socket } from 'node:net';

/** The standing of each connection's caller, for choosing which connection to evict. */
export type Standing = {
  /** Notes that a right token or secret came on this connection, so its caller is no stranger. */
  noteKnown(socket: Socket): void;
  isKnown(socket: Socket): boolean;
  /** `tell` is called once for each connection that becomes known. */
  whenKnown(tell: (socket: Socket) => void): void;
  /** Notes whether a stranger's answer is delayed on this connection; see `createStrangers`. */
  noteWaiting(socket: Socket, waits: boolean): void;
  isWaiting(socket: Socket): boolean;
  /** Notes whether a caller only waits for something to happen, which costs no work. */
  noteIdling(socket: Socket, idles: boolean): void;
  isIdling(socket: Socket): boolean;
};

export function createStanding(): Standing {
  const known = new WeakSet<Socket>();
  const waiting = new WeakSet<Socket>();
  const idling = new WeakSet<Socket>();
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
    noteIdling: (socket, idles) => void (idles ? idling.add(socket) : idling.delete(socket)),
    isIdling: (socket) => idling.has(socket),
  };
}
