import type { Socket } from 'node:net';

const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `tell` when a caller's connection closes. Returns a function that cancels this. A connection has one
 * listener for all its requests.
 */
export function onSocketClosed(socket: Socket, tell: () => void): () => void {
  const listeners = waiting.get(socket) ?? listen(socket);
  listeners.add(tell);
  return () => listeners.delete(tell);
}

function listen(socket: Socket): Set<() => void> {
  const listeners = new Set<() => void>();
  waiting.set(socket, listeners);
  socket.once('close', () => {
    for (const each of listeners) each();
  });
  return listeners;
}
