import { findImbalances } from '@inventory/db/audit/audit';
import type { Sql } from '@inventory/postgres/pool';
import { CommandError } from './command-error.ts';
import { print } from './print.ts';
import { createProgress } from './progress.ts';

/**
 * Checks that lots, levels, counts and ledger agree, and prints the differences. Fails with CommandError if
 * there are any.
 */
export async function printAudit(sql: Sql): Promise<void> {
  const progress = createProgress();
  const differences = await findImbalances(sql, (check) => progress.show(`checking: ${check}`)).finally(
    progress.end,
  );
  for (const { check, place, expected, found } of differences) {
    const where = Object.entries(place).map(([column, value]) => `${column} ${value}`);
    print(`${check}: ${where.join(', ')}: expected ${expected}, found ${found}`);
  }
  if (differences.length > 0) throw new CommandError(`${differences.length} differences`);
  print('all is well');
}
