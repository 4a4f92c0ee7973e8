import type { StatementPool, Wait } from '@inventory/postgres/statement-pool';
import { createTrials, type TrialsOptions } from '@inventory/turns/trials';
import { describe, expect, test } from 'vitest';
import { meanwhile } from '../harness/meanwhile.ts';
import { turn } from '../harness/queue/submitter.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { receiveLot } from '../harness/stock/stock.ts';
import { readMetrics } from '../harness/watch/metrics.ts';

const patient: Wait = { until: Number.POSITIVE_INFINITY, hasGone: () => false };

/**
 * Dry runs on connections that are always there, which of them have begun, in order, and a way to end each.
 */
function openTrials(options: Partial<TrialsOptions> = {}) {
  const pool = { run: (work) => work(undefined as never), waitingCount: () => 0 } as StatementPool;
  const trials = createTrials(pool, {
    connectionsMax: 2,
    waitMs: 60_000,
    overrunMs: 60_000,
    ...options,
  });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  return {
    trials,
    begun,
    ask(name: string, wait = patient) {
      const work = () => {
        begun.push(name);
        return new Promise<void>((resolve, reject) => {
          ends.set(name, (error) => (error === undefined ? resolve() : reject(error)));
        });
      };
      return meanwhile(trials.run(name[0]!, work, wait));
    },
    async end(name: string, error?: Error) {
      ends.get(name)!(error);
      await turn();
    },
  };
}

describe('dry runs', () => {
  test('NEVER_BEGUN: a dry run that waited too long, one whose caller has no more time, and one whose caller leaves', async () => {
    const { trials, begun, ask, end } = openTrials({ connectionsMax: 1, waitMs: 100 });
    void ask('a1');
    let goes = () => {};
    const onGone = (tell: () => void) => {
      goes = tell;
      return () => {};
    };
    const gone = ask('b1', { ...patient, onGone });
    const late = ask('c1', { ...patient, until: performance.now() + 20 });
    const left = ask('d1', { ...patient, hasGone: () => true });
    expect(trials.waitingCount()).toBe(2);
    goes();
    expect(trials.waitingCount()).toBe(1);
    await expect(left).rejects.toMatchObject({ code: 'NEVER_BEGUN' });
    await expect(gone).rejects.toMatchObject({ code: 'NEVER_BEGUN' });
    await expect(late).rejects.toMatchObject({ code: 'NEVER_BEGUN' });
    await expect(ask('e1')).rejects.toMatchObject({ code: 'NEVER_BEGUN' });
    expect(trials.waitingCount()).toBe(0);
    await end('a1');
    expect(begun).toEqual(['a1']);
  });

  test('a dry run that fails gives up its turn', async () => {
    const { begun, ask, end } = openTrials({ connectionsMax: 1 });
    const failing = ask('a1');
    void ask('b1');
    await turn();
    await end('a1', new Error('failed'));
    await expect(failing).rejects.toThrow('failed');
    expect(begun).toEqual(['a1', 'b1']);
  });

  test('a dry run that takes too long gives up its turn, once', async () => {
    const { begun, ask, end } = openTrials({ connectionsMax: 1, overrunMs: 50 });
    void ask('a1');
    void ask('b1');
    await expect.poll(() => begun).toEqual(['a1', 'b1']);
    void ask('c1');
    await end('a1');
    expect(begun).toEqual(['a1', 'b1']);
  });
});

describe('a dry run of a client', () => {
  const service = useService({ hears503: true, env: { INTERNAL_PORT: '0' } });
  // For their turn, or for room for their answers.
  const waiting = async () => {
    const { value } = await readMetrics(service.internalPort!);
    const ofTurns = value('inventory_api_postgres_waiting{kind="trials"}') ?? 0;
    return ofTurns + (value('inventory_api_answers_waiting') ?? 0);
  };

  // Tried again: a request that waits three seconds for a connection is refused.
  test('is answered before dry runs that another client sent earlier', { retry: 3 }, async () => {
    const [many, one] = [await service.client(), await service.client()];
    const itemID = await service.item();
    await receiveLot(many, itemID, 5, { spot: 'A' });
    const body = { itemID, units: 1, wid: 1, reasonCode: 1, dryRun: true };
    const answered: string[] = [];
    const issue = async (client: typeof one, name: string) => {
      const { status } = await client.post('/Inventory/Issue', body);
      answered.push(name);
      return status;
    };
    const holder = await service.sql.reserve();
    const asked: Promise<number>[] = [];
    try {
      await holder`begin`;
      await holder`lock table lot in access exclusive mode`;
      for (let count = 0; count < 40; count++) asked.push(issue(many, uniqueName('many')));
      await expect.poll(waiting).toBe(38);
      asked.push(issue(one, 'one'));
      await expect.poll(waiting).toBe(39);
    } finally {
      await holder`rollback`;
      holder.release();
    }
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
    // Two were under way, and some may end while the next ones begin.
    expect(answered.indexOf('one')).toBeLessThan(10);
  });
});
