import type { Socket } from 'node:net';

const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `tell` when a caller's connection closes. Returns a function that cancels this. A connection has one
 * listener for all its requests.
 */
export function onSocketClosed(socket: Socket, tell: () => void): () => void {
  let told = waiting.get(socket);
  if (told === undefined) {
    const all = new Set<() => void>();
    told = all;
    waiting.set(socket, all);
    socket.once('close', () => {
      for (const each of all) each();
    });
  }
  const all = told;
  all.add(tell);
  return () => all.delete(tell);
}
