import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { askAgain } from '@inventory/turns/ask-again';
import { programOf } from '../harness/compiled.ts';
import type { Cluster } from './cluster.ts';
import type { Fault } from './fault.ts';

// Longer than the look of a worker at what is to be removed (5 s), and libfaketime's own (1 s).
const wrongMs = 8000;
const rightWithinMs = 15_000;

async function examineClocks(databaseUrl: string): Promise<{ state: string } | undefined> {
  const program = programOf(join(import.meta.dirname, '../../apps/admin/src/main.ts'));
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  const stdout = await new Promise<string>((resolve) => {
    // It ends with 1 if it finds a fault.
    execFile(process.execPath, [...program, 'doctor', '--json'], { env }, (_, text) => resolve(text));
  });
  return (JSON.parse(stdout) as { id: string; state: string }[]).find(({ id }) => id === 'clocks');
}

/** Everything may fail while a clock is wrong, but nothing may be lost, doubled or removed. */
function wrongClocks(
  name: string,
  shifts: (cluster: Cluster) => [names: readonly string[], by: string][],
): Fault {
  return {
    name: `clock ${name}`,
    hurts: true,
    hurtsReads: true,
    hindersStart: true,
    // The clock by which Postgres ends statements jumps with it.
    hidesDatabase: !name.startsWith('of the processes'),
    healsWithinMs: rightWithinMs,
    backWithinMs: rightWithinMs,
    async strike({ cluster, report }) {
      const { sql, databaseUrl, clocks } = cluster;
      const count = () => sql<{ count: number }[]>`select count(*)::integer as count from idempotency_key`;
      // Postgres may still be starting after the fault before.
      const countKeys = async () => (await askAgain(performance.now() + 60_000, count))[0]!.count;
      const before = await countKeys();
      try {
        for (const [names, by] of shifts(cluster)) clocks!.set(names, by);
        await pause(wrongMs);
        if (name.startsWith('of Postgres')) {
          const found = await examineClocks(databaseUrl);
          if (found?.state !== 'fail')
            report(`clock ${name}: doctor does not name it: ${JSON.stringify(found)}`);
        }
      } finally {
        clocks!.setRight();
      }
      // Until every process has seen it.
      await pause(1500);
      const after = await countKeys();
      if (after < before) report(`clock ${name}: ${before} keys became ${after}`);
    },
  };
}

const ofPostgres = ['postgres'];
const ofMembers = ({ members }: Cluster) => members.map(({ name }) => name);

/**
 * Clocks of Postgres, of the processes, or of the whole machine that jump and come back, and clocks that
 * drift apart. Redis keeps the right time: libfaketime does not work with it.
 */
export const clockFaults: readonly Fault[] = [
  ...['+2h', '-2h', '+40d'].flatMap((by) => [
    wrongClocks(`of Postgres ${by}`, () => [[ofPostgres, by]]),
    wrongClocks(`of the processes ${by}`, (cluster) => [[ofMembers(cluster), by]]),
    wrongClocks(`of the machine ${by}`, (cluster) => [[[...ofPostgres, ...ofMembers(cluster)], by]]),
  ]),
  wrongClocks('apart by minutes', (cluster) =>
    ofMembers(cluster).map((name, index) => [[name], `${index % 2 === 0 ? '+' : '-'}${(index + 1) * 70}`]),
  ),
];
