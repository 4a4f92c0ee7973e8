import type { PostgresPair } from '../harness/servers/standby.ts';
import { startProxy, type Way } from './proxy.ts';

/** The paths to both servers of a pair, which break together, and the pair's address on our side of them. */
export async function startPairNetwork({ primary, standby, urlOf }: PostgresPair): Promise<Way> {
  const servers = [primary, standby];
  const ways = await Promise.all(servers.map(({ port }) => startProxy(port)));
  return {
    url: urlOf(...servers.map((server, index) => ({ ...server, port: ways[index]!.port }))),
    setState(state) {
      for (const way of ways) way.setState(state);
    },
    close() {
      for (const way of ways) way.close();
    },
  };
}
