import { afterAll, beforeAll, expect, test } from 'vitest';
import { asPart } from '../harness/as-part.ts';
import { type PostgresPair, startPostgresPair } from '../harness/servers/standby.ts';
import { startCommand } from '../harness/service/command-line.ts';
import { prepareDatabase } from '../harness/service/own-service.ts';

let pair: PostgresPair;

beforeAll(async () => {
  pair = await startPostgresPair({ prepare: (sql) => prepareDatabase(sql, []), synchronous: true });
});
afterAll(() => pair?.stop());

test('a command whose commit waits for a standby says so, with the remedy, and ends with 0 once a standby is back', async () => {
  await pair.standby.kill();
  const { DATABASE_URL } = asPart('operator', { DATABASE_URL: pair.url });
  const { child, ended } = startCommand(['warehouse', 'add', '--id', '7', '--name', 'South'], {
    DATABASE_URL: DATABASE_URL!,
  });
  let told = '';
  child.stderr!.on('data', (text: string) => {
    told += text;
  });
  await expect.poll(() => told).toMatch(/\n$/);
  expect(told).toMatch(
    /^Postgres waits for a standby that is away or too slow: .* This command waits, too, .* Bring a standby back; .*\n$/,
  );
  expect(child.exitCode).toBe(null);
  await pair.standby.startAgain();
  // Once, however long it waited.
  expect(await ended).toEqual({ code: 0, stdout: 'added warehouse 7 South\n', stderr: told });
});
