import { Command } from 'commander';
import { parseUrl } from '../cli/arguments.ts';
import { example, print, printJson } from '../cli/print.ts';
import { tableLines } from '../cli/table.ts';
import type { Check } from '../doctor/check.ts';
import { examine } from '../doctor/examine.ts';

type Options = { api: string[]; disk?: string; json?: true };

export const doctor = new Command('doctor')
  .description('Find out what is wrong with the service, and what to do about it')
  .option(
    '--api <url>',
    'internal or public address of an api, to check its clock; can be repeated',
    (url: string, before: string[]) => [...before, parseUrl(url)],
    [] as string[],
  )
  .option('--disk <folder>', "a folder on the disk of Postgres' data, if that is on this machine")
  .option('--json', 'print one line of JSON: a list of id, state, found, wanted, remedy')
  .addHelpText(
    'after',
    `
ok       nothing to do
warn     the service works, but needs attention
fail     the service does not work, or soon will not
unknown  cannot be checked from here

Takes at most 15 s. Exit code 1 if a check fails. Set REDIS_URL with the user admin, and QUEUE_PREFIX as the service has it.
${example('doctor', 'doctor --api http://127.0.0.1:9090 --json')}`,
  )
  .action(async ({ api, disk, json }: Options) => {
    const checks = await examine({ apis: api, disk: disk ?? null });
    if (checks.some(({ state }) => state === 'fail')) process.exitCode = 1;
    if (json) return printJson(checks);
    for (const line of describe(checks)) print(line);
  });

function describe(checks: readonly Check[]): string[] {
  const lines = tableLines(
    ['', 'check', 'found'],
    checks.map(({ id, state, found }) => [state, id, found]),
  );
  const advice = checks
    .filter(({ state, remedy }) => state !== 'ok' && remedy !== null)
    .flatMap(({ id, wanted, remedy }) => ['', `${id}: wanted: ${wanted}`, `  do: ${remedy}`]);
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  const bad = (['fail', 'warn', 'unknown'] as const).filter((state) => count(state) > 0);
  const sum = bad.length === 0 ? 'all is well' : bad.map((state) => `${count(state)} ${state}`).join(', ');
  return [...lines.slice(1), ...advice, '', sum];
}
