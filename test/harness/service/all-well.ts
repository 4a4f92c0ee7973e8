import { expect } from 'vitest';
import { runHere } from './command-line.ts';
import { type Check, examine } from './doctor.ts';

/**
 * Expects `doctor` and `status` to find no problem with Redis, two apis and two workers. `operator`: the
 * settings of the commands. Returns doctor's findings by the id of the check.
 */
export async function expectAllWell(operator: Record<string, string>): Promise<(id: string) => string> {
  const ids = ['redis', 'eviction-policy', 'redis-role', 'workers', 'apis', 'queue', 'shards'];
  let checks: Record<string, Check> = {};
  // A busy machine reconnects now and then, and no connection is seen at that moment.
  const look = async () => {
    ({ checks } = await examine(operator));
    return ids.map((id) => checks[id]?.state);
  };
  await expect.poll(look).toEqual(ids.map(() => 'ok'));
  const status = await runHere(['status', '--json'], operator);
  expect(JSON.parse(status.stdout)).toMatchObject({ apis: 2, workers: 2, workersThatAsk: 2 });
  return (id) => checks[id]!.found;
}
