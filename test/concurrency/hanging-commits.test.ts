import { watchNeeds } from '@inventory/api/needs';
import { NeverBegunError, type StatementPool } from '@inventory/db/postgres/statement-pool';
import { createFoldedLog } from '@inventory/process/log/folded-log';
import { createLog } from '@inventory/process/log/log';
import { createPresence } from '@inventory/process/presence';
import { expect, onTestFinished, test } from 'vitest';

const poolOf = (run: () => Promise<unknown>, suspect = 0) =>
  ({ run, counts: () => ({ busy: 0, idle: 0, suspect }) }) as unknown as StatementPool;

test('hanging commits show when every request behind them was given up and nothing is sent any more', async () => {
  const queue = { isOpen: () => true, look: () => new Promise<never>(() => {}) };
  const needs = watchNeeds(createPresence(createFoldedLog(createLog('api'))), queue, {
    verdicts: poolOf(() => Promise.reject(new NeverBegunError('left behind'))),
    operations: poolOf(() => Promise.resolve(3)),
  });
  onTestFinished(needs.stop);
  await expect.poll(needs.hangingCommits).toBe(3);
  expect(needs.isPostgresWell()).toBe(false);
});
