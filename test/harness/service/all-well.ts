import { expect } from 'vitest';
import { runCommand } from './command-line.ts';

type Check = { id: string; state: string; found: string };

/**
 * Expects `doctor` and `status` to find no problem with Redis, two apis and two workers. `operator`: the
 * settings of the commands. Returns doctor's findings by the id of the check.
 */
export async function expectAllWell(operator: Record<string, string>): Promise<(id: string) => string> {
  const ids = ['redis', 'eviction-policy', 'redis-role', 'workers', 'apis', 'queue', 'shards'];
  let checks: Check[] = [];
  const checkOf = (id: string) => checks.find((each) => each.id === id);
  // A busy machine reconnects now and then, and no connection is seen at that moment.
  const examine = async () => {
    checks = JSON.parse((await runCommand(['doctor', '--json'], operator)).stdout);
    return ids.map((id) => checkOf(id)?.state);
  };
  await expect.poll(examine, { timeout: 120_000 }).toEqual(ids.map(() => 'ok'));
  const status = await runCommand(['status', '--json'], operator);
  expect(JSON.parse(status.stdout)).toMatchObject({ apis: 2, workers: 2, workersThatAsk: 2 });
  return (id) => checkOf(id)!.found;
}
