import { expect } from 'vitest';
import { runCommand } from './command-line.ts';

type Check = { id: string; state: string; found: string };

/**
 * That `doctor` and `status` find Redis and two apis and two workers well. `operator`: the settings of the
 * commands. Returns what doctor found, by the id of the check.
 */
export async function expectAllWell(operator: Record<string, string>): Promise<(id: string) => string> {
  const ids = ['redis', 'eviction-policy', 'redis-role', 'workers', 'apis', 'queue', 'shards'];
  let checks: Check[] = [];
  const checkOf = (id: string) => checks.find((each) => each.id === id);
  // A machine that is busy enough makes connections anew, and none is seen in that moment.
  const examine = async () => {
    checks = JSON.parse((await runCommand(['doctor', '--json'], operator)).stdout);
    return ids.map((id) => checkOf(id)?.state);
  };
  await expect.poll(examine, { timeout: 120_000 }).toEqual(ids.map(() => 'ok'));
  const status = await runCommand(['status', '--json'], operator);
  expect(JSON.parse(status.stdout)).toMatchObject({ apis: 2, workers: 2, workersThatAsk: 2 });
  return (id) => checkOf(id)!.found;
}
