import { setTimeout as pause } from 'node:timers/promises';
import { parseQuantity } from '@inventory/domain/quantity';
import { addCaller } from '../harness/service/caller.ts';
import { findWrongLows } from '../harness/stock/wrong-lows.ts';
import type { Cluster } from './cluster.ts';
import { pickOne } from './random.ts';
import { itemIds } from './requests.ts';
import { startToken } from './token.ts';

/** Beside the load, a client sets minimums near to what there is, so that stock crosses them all the time. */
export type Minimums = {
  /**
   * Stops it, once nobody writes any more. Returns minimums that are not as they were set, and what was told
   * wrongly of those that stock went below; and how many times it was told.
   */
  finish(): Promise<{ wrong: string[]; toldCount: number }>;
};

const answerWithinMs = 20_000;
const everyMs = 150;

/** Begins to set minimums. The apis must be up. */
export async function startMinimums(cluster: Cluster, random: () => number): Promise<Minimums> {
  const clientId = 'minimums';
  const token = await startToken(cluster, clientId, await addCaller(cluster.sql, clientId, 2));
  let running = true;
  const last = new Map<string, { itemID: string; wid: number; minimum: number | null }>();

  /** Asks until the answer is good, as each of these calls may be. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have their own names.
  async function insist(method: 'GET' | 'PUT', path: string, body?: object): Promise<any> {
    for (;;) {
      const ports = cluster.apis.map(({ port }) => port).filter((port) => port !== 0);
      const used = token.current();
      const answer =
        ports.length > 0 &&
        (await fetch(`http://127.0.0.1:${pickOne(random, ports)}/api/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${used}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(answerWithinMs),
        })
          .then(async (response) => ({ status: response.status, body: await response.json() }))
          .catch(() => null));
      if (answer && answer.status === 200) return answer.body;
      if (answer && answer.status === 401) await token.renew(used);
      await pause(100);
    }
  }

  const setting = (async () => {
    for (; running; await pause(everyMs)) {
      const itemID = pickOne(random, itemIds);
      const wid = pickOne(random, [1, 2]);
      const { value } = await insist('GET', `/Inventory/StockLevels/${wid}?itemID=${itemID}`);
      if (value.length === 0) continue;
      const [{ partNo, available }] = value;
      const near = Math.max(0, Math.round(available) + Math.floor(random() * 21) - 10);
      const minimum = random() < 0.1 ? null : near;
      await insist('PUT', `/Inventory/StockLevels/${wid}/${partNo}`, { minimum });
      last.set(`${itemID} in ${wid}`, { itemID, wid, minimum });
    }
  })();

  return {
    async finish() {
      running = false;
      await setting;
      const wrong = await findWrongLows(cluster.sql);
      for (const [gate, { itemID, wid, minimum }] of last) {
        const [row] = await cluster.sql<{ minimum: string | null }[]>`
          select minimum::text
          from stock_level
          join item using (part_no)
          where short_id = ${itemID} and wid = ${wid}`;
        const stored = row?.minimum ?? null;
        const isSo =
          stored === null ? minimum === null : parseQuantity(stored) === parseQuantity(String(minimum ?? -1));
        if (!isSo) wrong.push(`minimum of ${gate}: set ${minimum}, stored ${stored}`);
      }
      const [row] = await cluster.sql<{ told: number }[]>`
        select count(*)::integer as told from change where kind = 'low'`;
      return { wrong, toldCount: row!.told };
    },
  };
}
