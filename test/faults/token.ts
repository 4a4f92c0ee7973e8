import { setTimeout as pause } from 'node:timers/promises';
import { fetchToken } from '../harness/service/caller.ts';
import type { Cluster } from './cluster.ts';
import { pickOne } from './random.ts';

/** A token that is renewed when it is refused, as by a clock that jumped. */
export type Token = {
  current(): string;
  /** Called with the token that was refused. Returns whether there is another one now. */
  renew(refused: string): Promise<boolean>;
};

const tryEveryMs = 200;

/** Gets the first token, however busy the apis are that have just started. */
export async function startToken(
  { apis }: Pick<Cluster, 'apis'>,
  clientId: string,
  secret: string,
): Promise<Token> {
  const ask = async (): Promise<string | undefined> => {
    const ports = apis.map(({ port }) => port).filter((port) => port !== 0);
    if (ports.length === 0) return undefined;
    return fetchToken(`http://127.0.0.1:${pickOne(Math.random, ports)}`, clientId, secret).catch(
      () => undefined,
    );
  };
  let current: string | undefined;
  while (current === undefined) {
    current = await ask();
    if (current === undefined) await pause(tryEveryMs);
  }
  let renewing: Promise<void> | null = null;
  const renewed = async () => {
    await pause(tryEveryMs);
    current = (await ask()) ?? current;
    renewing = null;
  };
  return {
    current: () => current!,
    async renew(refused) {
      if (current === refused) {
        renewing ??= renewed();
        await renewing;
      }
      return current !== refused;
    },
  };
}
