import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { startStack } from '@inventory/local/stack';
import { readOptions } from '../harness/read-options.ts';
import { type Mutant, mutants } from './mutants.ts';

// pnpm test:mutants [--only WORDS]: breaks a copy of the repository in each known way and shows that a named
// test notices.
const values = readOptions(
  'test:mutants',
  'Breaks a copy of the repository in each known way, shows that a named test notices, and writes docs/mutants.md.',
  {
    only: { value: 'words', about: 'only mutants with these words in their names; the page stays as it is' },
  },
);
const root = join(import.meta.dirname, '../..');
const folder = join(root, '.local/mutants');
const runMaxMs = 180_000;

/** Some tests of one file, all of them without titles; or a fault. */
type Tests = { file: string; titles: string[] } | { fault: string; rounds: number };
type Seen = {
  colour: 'green' | 'red' | 'broken';
  /** The first failure, or why the run says nothing. */
  because: string;
  seconds: number;
};

const chosen = mutants.filter((mutant) => mutant.name.includes(values.only ?? ''));
const stack = await startStack({
  folder: join(folder, 'stack'),
  databaseUrl: process.env.DATABASE_URL,
  redisUrl: process.env.REDIS_URL,
  docker: true,
  throwAway: true,
  report: console.log,
});
const rows: { mutant: string; test: string; seen: Seen }[] = [];
try {
  await runAll();
} finally {
  await stack.stop();
}
const bad = rows.filter(({ mutant, seen }) => seen.colour !== (mutant === '' ? 'green' : 'red'));
if (values.only === undefined) await writeFile(join(root, 'docs/mutants.md'), report());
console.log(`\n${rows.length - bad.length} as they must be, ${bad.length} not`);
for (const { mutant, test, seen } of bad) {
  console.log(`${mutant === '' ? 'not green unmutated' : 'SURVIVED'}: ${mutant} ${test}: ${seen.because}`);
}
process.exit(bad.length > 0 || rows.length === 0 ? 1 : 0);

async function runAll() {
  const unmutated = await copyRepository('unmutated');
  for (const tests of gather(chosen.map(testsOf))) await see('', tests, unmutated);
  await rm(unmutated, { recursive: true });
  for (const mutant of chosen) {
    const copy = await copyRepository(mutant.name.replace(/\W+/g, '-'));
    const misfit = await mutate(copy, mutant);
    if (misfit === null) await see(mutant.name, testsOf(mutant), copy);
    else note(mutant.name, testsOf(mutant), { colour: 'broken', because: misfit, seconds: 0 });
    await rm(copy, { recursive: true });
  }
}

function testsOf({ test }: Mutant): Tests {
  if ('fault' in test) return test;
  return { file: test.file, titles: test.title === undefined ? [] : [test.title] };
}

/** The same tests, each once, those of one file together. */
function gather(all: readonly Tests[]): Tests[] {
  const gathered = new Map<string, Tests>();
  for (const tests of all) {
    const key = 'fault' in tests ? tests.fault : tests.file;
    const known = gathered.get(key);
    if (known === undefined) gathered.set(key, tests);
    else if ('fault' in tests || 'fault' in known) {
      const rounds = Math.max(...[tests, known].map((each) => ('rounds' in each ? each.rounds : 0)));
      gathered.set(key, { fault: key, rounds });
    } else {
      const isWhole = tests.titles.length === 0 || known.titles.length === 0;
      const titles = isWhole ? [] : [...new Set([...known.titles, ...tests.titles])];
      gathered.set(key, { file: key, titles });
    }
  }
  return [...gathered.values()];
}

function nameOf(tests: Tests): string {
  if ('fault' in tests) return `faults/run.ts --only '${tests.fault}' --rounds ${tests.rounds}`;
  return [tests.file, ...tests.titles.map((title) => `… ${title} …`)].join(' ');
}

async function see(mutant: string, tests: Tests, copy: string) {
  const startedAt = performance.now();
  const result = 'fault' in tests ? await runFault(copy, tests) : await runTests(copy, tests);
  note(mutant, tests, { ...result, seconds: (performance.now() - startedAt) / 1000 });
}

function note(mutant: string, tests: Tests, seen: Seen) {
  rows.push({ mutant, test: nameOf(tests), seen });
  console.log(
    `${seen.colour.padEnd(6)} ${seen.seconds.toFixed(0).padStart(4)} s  ${mutant || '(unmutated)'} | ${nameOf(tests)}` +
      (seen.colour === 'green' ? '' : `\n               ${seen.because}`),
  );
}

/** A copy of the sources; its libraries are the repository's. */
async function copyRepository(name: string): Promise<string> {
  const copy = join(folder, name);
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy, { recursive: true });
  const apart = new Set(['.git', '.local', 'node_modules']);
  for (const entry of await readdir(root)) {
    if (apart.has(entry)) continue;
    await cp(join(root, entry), join(copy, entry), {
      recursive: true,
      filter: (source) => !apart.has(basename(source)),
    });
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  const packages = ['test'];
  for (const group of ['apps', 'packages']) {
    for (const entry of await readdir(join(root, group))) packages.push(`${group}/${entry}`);
  }
  for (const each of packages) {
    const links = join(root, each, 'node_modules');
    // Links as they are, relative: the packages of the copy find one another, not those they were copied
    // from.
    if (existsSync(links)) {
      await cp(links, join(copy, each, 'node_modules'), { recursive: true, verbatimSymlinks: true });
    }
  }
  return copy;
}

/** Breaks a copy; says why when the mutant no longer fits the code. */
async function mutate(copy: string, { edits }: Mutant): Promise<string | null> {
  for (const { file, search, replace } of edits) {
    const text = existsSync(join(copy, file)) ? await readFile(join(copy, file), 'utf8') : '';
    const places = text.split(search).length - 1;
    if (places !== 1) return firstLine(`${file} has ${places} places, not one, of: ${search}`);
    await writeFile(join(copy, file), text.split(search).join(replace));
  }
  return null;
}

/**
 * Runs the named tests in a copy. Red is only what an assertion says: code that cannot even be read proves
 * nothing.
 */
async function runTests(
  copy: string,
  { file, titles }: { file: string; titles: string[] },
): Promise<Omit<Seen, 'seconds'>> {
  const resultsFile = join(copy, 'results.json');
  await rm(resultsFile, { force: true });
  const exitCode = await run(copy, 'test', [
    'node_modules/vitest/vitest.mjs',
    'run',
    file,
    ...(titles.length === 0 ? [] : ['-t', titles.join('|')]),
    '--reporter=json',
    `--outputFile=${resultsFile}`,
  ]);
  if (!existsSync(resultsFile)) return { colour: 'broken', because: 'vitest has no results' };
  const { testResults } = JSON.parse(await readFile(resultsFile, 'utf8')) as {
    testResults: {
      message: string;
      assertionResults: { title: string; status: string; failureMessages: string[] }[];
    }[];
  };
  const all = testResults.flatMap((each) => each.assertionResults);
  const messages = all.flatMap(({ failureMessages }) => failureMessages);
  // A poll or a promise that did not come out as expected calls itself a plain error.
  const asserted = messages.find((message) =>
    /^(AssertionError|Error: (expected .* to |promise .* instead of ))/.test(message),
  );
  if (asserted !== undefined) return { colour: 'red', because: firstLine(asserted) };
  const passed = all.filter(({ status }) => status === 'passed');
  const absent = titles.filter((title) => !passed.some((each) => each.title.includes(title)));
  if (exitCode === 0 && passed.length > 0 && absent.length === 0) {
    return { colour: 'green', because: `${passed.length} passed` };
  }
  const because = firstLine(messages[0] ?? testResults.map((each) => each.message).join(' '));
  return { colour: 'broken', because: because || `not run: ${absent.join(', ')}` };
}

/** Strikes a fault again and again. Red is only what the checker found in the ledger. */
async function runFault(
  copy: string,
  { fault, rounds }: { fault: string; rounds: number },
): Promise<Omit<Seen, 'seconds'>> {
  const options = [
    '--only',
    fault,
    '--rounds',
    String(rounds),
    '--seed',
    '1',
    '--folder',
    join(folder, 'faults'),
  ];
  const exitCode = await run(copy, '.', ['--import', 'tsx', 'test/faults/run.ts', ...options]);
  const log = await readFile(`${copy}.log`, 'utf8');
  const found = /^PROBLEM (LOST|DOUBLE|GHOST|TORN|CONTRADICTED|does not add up).*/m.exec(log);
  if (found !== null) return { colour: 'red', because: firstLine(found[0]) };
  if (exitCode === 0 && log.includes('faults: passed')) return { colour: 'green', because: 'passed' };
  return { colour: 'broken', because: firstLine(/^PROBLEM.*/m.exec(log)?.[0] ?? 'it did not end') };
}

/** Runs Node in a folder of a copy, writing to the log beside it; the exit code. */
async function run(copy: string, inside: string, args: string[]): Promise<number | null> {
  const log = openSync(`${copy}.log`, 'w');
  const child = spawn(process.execPath, args, {
    cwd: join(copy, inside),
    env: { ...process.env, DATABASE_URL: stack.databaseUrl, REDIS_URL: stack.redisUrl },
    stdio: ['ignore', log, log],
    timeout: runMaxMs,
    killSignal: 'SIGTERM',
  });
  await new Promise((resolve) => child.once('exit', resolve));
  closeSync(log);
  return child.exitCode;
}

function firstLine(text: string): string {
  return text.split('\n')[0]!.slice(0, 120);
}

function report(): string {
  const table = rows
    .filter(({ mutant }) => mutant !== '')
    .map(({ mutant, test, seen }) => {
      return `| ${mutant} | \`${test}\` | ${seen.colour} | ${seen.seconds.toFixed(0)} |`;
    });
  const unmutated = rows.filter(({ mutant }) => mutant === '');
  const green = unmutated.filter(({ seen }) => seen.colour === 'green').length;
  return `# Mutants

Known ways of breaking the code (\`test/mutants/mutants.ts\`), each applied to a copy of the repository, and the test that notices.
Written by \`pnpm test:mutants\`, which first runs the same tests on an unmutated copy: ${green} of ${unmutated.length} runs green.
Red is only a failed assertion; an error of syntax, of types or of the harness proves nothing.

| Mutant | Test | Seen | Seconds |
|---|---|---|---|
${table.join('\n')}
`;
}
