import type { Socket } from 'node:net';

const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `tell` when a caller's connection closes. Returns a function that cancels this. A connection has one
 * listener for all its requests.
 */
export function onSocketClosed(socket: Socket, tell: () => void): () => void {
  let listeners = waiting.get(socket);
  if (listeners === undefined) {
    const all = new Set<() => void>();
    listeners = all;
    waiting.set(socket, all);
    socket.once('close', () => {
      for (const each of all) each();
    });
  }
  const all = listeners;
  all.add(tell);
  return () => all.delete(tell);
}
