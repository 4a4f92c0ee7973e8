import type { Socket } from 'node:net';

const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Has it told when a caller's connection closes; returns how to be told no more. One listener a connection,
 * however many requests come on it at once.
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
