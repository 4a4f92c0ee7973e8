import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programOf } from '../harness/compiled.ts';
import { readHelps } from '../harness/contract/helps.ts';
import { runCommand, runHere } from '../harness/service/command-line.ts';

const all = readHelps();
const leaves = all.filter(
  ({ command }) => !all.some((other) => other.command.startsWith(`${command} `) || command === ''),
);

test('every command has its own example, and its help begins with a verb', () => {
  expect(leaves.length).toBeGreaterThan(30);
  expect(all.filter(({ examples }) => examples.length === 0).map(({ command }) => command)).toEqual([]);
  const foreign = leaves.filter(
    ({ command, examples }) => !examples.every((each) => each.startsWith(command)),
  );
  expect(foreign.map(({ command }) => command)).toEqual([]);
  const verbs =
    /^(Add|Bring|Change|Check|Create|Delete|End|Export|Find|Give|Let|List|Lock|Put|Record|Remove|Rename|Restore|Run|Set|Show|Take|Write)\b/;
  expect(
    leaves.filter(({ description }) => !verbs.test(description)).map(({ description }) => description),
  ).toEqual([]);
});

test('a near miss is answered with the right name', async () => {
  const said = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere(args, { DATABASE_URL: '' });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    return stderr;
  };
  expect(await said('clinet', 'list')).toMatch(
    /^error: there is no command clinet; did you mean client\?; inventory has: start, .*\n$/,
  );
  expect(await said('client', 'lst')).toMatch(
    /^error: there is no command lst; did you mean list\?; client has: .*\n$/,
  );
  // As close to `start` by changed or missing letters; closer by the two swapped ones.
  expect(await said('stauts')).toMatch(/^error: there is no command stauts; did you mean status\?; /);
  expect(await said('itme', 'list')).toMatch(/^error: there is no command itme; did you mean item\?; /);
  expect(await said('client', 'list', '--jsn')).toBe("error: unknown option '--jsn'; did you mean --json?\n");
  // The whole way, once.
  expect(await runCommand(['--version'], {})).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: '',
  });
  expect((await runCommand(['clinet'], {})).code).toBe(2);
});

const root = join(import.meta.dirname, '../..');
const scripts = Object.entries(
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts as Record<string, string>,
).flatMap(([name, line]) => {
  const file = /--import \S+ (test\/\S+\.ts)$/.exec(line)?.[1];
  return file === undefined || name === 'bench' ? [] : [{ name, file, args: [] as string[] }];
});
const bench = 'test/bench/bench.ts';

const run = (file: string, ...args: string[]) =>
  new Promise<{ code: number; stdout: string }>((resolve) => {
    execFile(process.execPath, [...programOf(join(root, file)), ...args], { cwd: root }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout }),
    );
  });

test('every script that tests or measures describes itself with --help, and does nothing', async () => {
  expect(scripts.map(({ name }) => name)).toEqual(expect.arrayContaining(['test:faults', 'test:mutants']));
  const { code, stdout } = await run(bench, '--help');
  const benches = [...stdout.matchAll(/^ {2}([a-z]+) {2}/gm)].map(([, what]) => what!);
  expect(code).toBe(0);
  expect(benches).toEqual(expect.arrayContaining(['write', 'read', 'soak']));
  const refused = { code: 2, stdout: '' };
  expect(await run(bench, 'nonsense')).toEqual(refused);
  const measures = benches.map((what) => ({ name: `bench ${what}`, file: bench, args: [what] }));
  // All read their options in one way.
  const nonsense = [scripts[0]!, measures[0]!].map(({ file, args }) => run(file, ...args, '--nonsense'));
  expect(await Promise.all(nonsense)).toEqual([refused, refused]);
  const asked = [...scripts, ...measures].map(async ({ name, file, args }) => {
    const { code, stdout } = await run(file, ...args, '--help');
    const [usage, , what] = stdout.split('\n');
    expect({ code, usage }).toEqual({ code: 0, usage: `Usage: pnpm ${name} [options]` });
    expect(what).toMatch(/^[A-Z][a-z]+s .*\.$/);
  });
  await Promise.all(asked);
});
