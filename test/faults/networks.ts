import type { SentinelTrio } from '../harness/servers/redis-servers.ts';
import type { PostgresPair } from '../harness/servers/standby.ts';
import { type NetworkStretch, type Stretch, startProxy, type Way } from './proxy.ts';

/** Stretches that break together. */
function together(stretches: readonly NetworkStretch[]): Stretch {
  return {
    setState(state) {
      for (const each of stretches) each.setState(state);
    },
    close() {
      for (const each of stretches) each.close();
    },
  };
}

/** The ways to both servers of a pair, and the address of both on this side of them. */
export async function startPairNetwork({ primary, standby, urlOf }: PostgresPair): Promise<Way> {
  const servers = [primary, standby];
  const ways = await Promise.all(servers.map(({ port }) => startProxy(port)));
  const url = urlOf(...servers.map((server, index) => ({ ...server, port: ways[index]!.port })));
  return { ...together(ways), url };
}

/**
 * The ways to the servers and Sentinels of a trio, and the trio's address on this side of them. Processes go
 * where the Sentinels say, so the ports in the Sentinels' answers are replaced by those of the ways.
 */
export async function startTrioNetwork(trio: SentinelTrio): Promise<Way> {
  const portOf = new Map<string, string>();
  const rename = (text: string) => text.replace(/\b\d{4,5}\b/g, (port) => portOf.get(port) ?? port);
  const createRewrite = () => {
    let held = '';
    return (answer: Buffer) => {
      held += answer.toString('latin1');
      // A port may be split between two chunks, but no answer ends there.
      const whole = held.slice(0, held.lastIndexOf('\n') + 1);
      held = held.slice(whole.length);
      return Buffer.from(rename(whole), 'latin1');
    };
  };
  const ways = await Promise.all([
    ...trio.servers.map(({ port }) => startProxy(port)),
    ...trio.sentinels.map(({ port }) => startProxy(port, { createRewrite })),
  ]);
  for (const [index, { port }] of [...trio.servers, ...trio.sentinels].entries()) {
    const way = ways[index]!;
    // Answers contain the length of each text, so both ports must have as many digits.
    if (String(port).length !== String(way.port).length)
      throw new Error(`port ${way.port} cannot stand for ${port}`);
    portOf.set(String(port), String(way.port));
  }
  return { ...together(ways), url: rename(trio.url) };
}
