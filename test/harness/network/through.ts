import { type NetworkStretch, type ProxyOptions, startProxy } from '../../faults/proxy.ts';

/** A stretch of network in front of a server. `url`: the server's address through it. */
export type ServerStretch = NetworkStretch & { url: string };

/** Opens a stretch in front of the server of `url`, which a test can break. */
export async function openStretch(url: string, options: ProxyOptions = {}): Promise<ServerStretch> {
  const network = await startProxy(Number(new URL(url).port), options);
  return { ...network, url: through(url, network) };
}

/** The same address through another port of loopback. */
export function through(url: string, { port }: { port: number }): string {
  const changed = new URL(url);
  changed.hostname = '127.0.0.1';
  changed.port = String(port);
  return changed.href;
}
