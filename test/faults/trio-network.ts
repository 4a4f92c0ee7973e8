import type { SentinelTrio } from '../harness/servers/redis-servers.ts';
import { startProxy, type Way } from './proxy.ts';

/**
 * The paths to a trio's servers and Sentinels, which break together, and the trio's address on our side of
 * them. Processes connect where the Sentinels tell them, so the ports in the Sentinels' answers are replaced.
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
  return {
    url: rename(trio.url),
    setState(state) {
      for (const way of ways) way.setState(state);
    },
    close() {
      for (const way of ways) way.close();
    },
  };
}
