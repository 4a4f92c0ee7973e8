/** The same address through another port of loopback. */
export function through(url: string, { port }: { port: number }): string {
  const changed = new URL(url);
  changed.hostname = '127.0.0.1';
  changed.port = String(port);
  return changed.href;
}
