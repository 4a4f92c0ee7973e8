import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Stack, startStack } from '@inventory/local/stack';
import { types } from '../harness/compiled.ts';
import { copyRepository } from '../harness/copy-repository.ts';
import { readOptions } from '../harness/read-options.ts';
import { type Mutant, mutants } from './mutants.ts';

// pnpm test:mutants [--only WORDS] [--part 1/3] [--beside 2]: breaks a copy of the repository in each known
// way and shows that a named test notices.
const values = readOptions(
  'test:mutants',
  'Breaks a copy of the repository in each known way and shows that a named test notices.',
  {
    only: { value: 'words', about: 'only mutants with these words in their names' },
    part: { value: 'part', default: '1/1', about: 'only this part, such as 2/3' },
    beside: {
      value: 'number',
      default: '2',
      about: 'how many at once, each with a Postgres and a Redis of its own',
    },
  },
);
const root = join(import.meta.dirname, '../..');
const folder = join(root, '.local/mutants');
// Generous, because a machine with other work is several times slower.
const runMaxMs = 600_000;
// The time for all tests that the mutants of a file name.
const unmutatedMaxMs = 3_600_000;

/** Some tests of a file, or all of them when it names no titles; or a fault. */
type Tests = { file: string; titles: string[] } | { fault: string; rounds: number };
type Seen = {
  colour: 'green' | 'red' | 'broken';
  /** The first failure, or why the run proves nothing. */
  because: string;
  seconds: number;
};

const [part = 1, parts = 1] = values.part.split('/').map(Number);
const chosen = mutants
  .filter(({ name }) => name.includes(values.only ?? ''))
  .filter((_, index, { length }) => Math.floor((index * parts) / length) === part - 1);
const rows: { mutant: string; test: string; seen: Seen }[] = [];
const stacks = await Promise.all(lanesOf(Number(values.beside)).map(startLane));
try {
  await runAll();
} finally {
  for (const stack of stacks) await stack.stop();
}
const bad = rows.filter(({ mutant, seen }) => seen.colour !== (mutant === '' ? 'green' : 'red'));
console.log(`\n${rows.length - bad.length} as they must be, ${bad.length} not`);
for (const { mutant, test, seen } of bad) {
  console.log(`${mutant === '' ? 'not green unmutated' : 'SURVIVED'}: ${mutant} ${test}: ${seen.because}`);
}
process.exit(bad.length > 0 || rows.length === 0 ? 1 : 0);

/** Given servers are one lane: two test runs on them would take each other's template. */
function lanesOf(beside: number): number[] {
  const { DATABASE_URL, REDIS_URL } = process.env;
  const count = DATABASE_URL === undefined && REDIS_URL === undefined ? beside : 1;
  return Array.from({ length: count }, (_, lane) => lane);
}

function startLane(lane: number): Promise<Stack> {
  return startStack({
    folder: join(folder, `stack-${lane}`),
    databaseUrl: process.env.DATABASE_URL,
    redisUrl: process.env.REDIS_URL,
    docker: true,
    throwAway: true,
    report: console.log,
  });
}

async function runAll() {
  const unmutated = await copyRepository(join(folder, 'unmutated'));
  await eachInLanes(gather(chosen.map(testsOf)), (tests, lane) => see('', tests, unmutated, lane));
  await rm(unmutated, { recursive: true });
  await eachInLanes(chosen, async (mutant, lane) => {
    const copy = await copyRepository(join(folder, mutant.name.replace(/\W+/g, '-')));
    const misfit = await mutate(copy, mutant);
    if (misfit === null) await see(mutant.name, testsOf(mutant), copy, lane);
    else note(mutant.name, testsOf(mutant), { colour: 'broken', because: misfit, seconds: 0 });
    await rm(copy, { recursive: true });
  });
}

/** Runs `work` for each, in order, as many at once as there are lanes. */
async function eachInLanes<T>(all: readonly T[], work: (each: T, lane: number) => Promise<void>) {
  const left = [...all];
  const runLane = async (lane: number) => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next, lane);
  };
  await Promise.all(stacks.map((_, lane) => runLane(lane)));
}

function testsOf({ test }: Mutant): Tests {
  if ('fault' in test) return test;
  return { file: test.file, titles: test.title === undefined ? [] : [test.title] };
}

/** The same tests without repeats, by file. */
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

async function see(mutant: string, tests: Tests, copy: string, lane: number) {
  const startedAt = performance.now();
  const place = { copy, lane, maxMs: mutant === '' ? unmutatedMaxMs : runMaxMs };
  const result = 'fault' in tests ? await runFault(place, tests) : await runTests(place, tests);
  note(mutant, tests, { ...result, seconds: (performance.now() - startedAt) / 1000 });
}

function note(mutant: string, tests: Tests, seen: Seen) {
  rows.push({ mutant, test: nameOf(tests), seen });
  console.log(
    `${seen.colour.padEnd(6)} ${seen.seconds.toFixed(0).padStart(4)} s  ${mutant || '(unmutated)'} | ${nameOf(tests)}` +
      (seen.colour === 'green' ? '' : `\n               ${seen.because}`),
  );
}

/** The place of a test run: a copy, the servers of a lane, and a time limit. */
type Place = { copy: string; lane: number; maxMs: number };

/** Breaks a copy; returns the reason when the mutant no longer fits the code. */
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
 * Runs the named tests in a copy. Only a failed assertion counts as red: code that does not even load proves
 * nothing.
 */
async function runTests(
  place: Place,
  { file, titles }: { file: string; titles: string[] },
): Promise<Omit<Seen, 'seconds'>> {
  const resultsFile = join(place.copy, `results-${place.lane}.json`);
  await rm(resultsFile, { force: true });
  const { exitCode } = await run(place, 'test', [
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
  // Of the checks after all tests of the file.
  messages.push(...testResults.flatMap(({ message }) => (message === '' ? [] : [`Error: ${message}`])));
  // A poll or promise with an unexpected result throws a plain error.
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

/** Strikes a fault repeatedly. Only a problem that the checker finds in the ledger counts as red. */
async function runFault(
  place: Place,
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
    join(folder, `faults-${place.lane}`),
  ];
  const args = ['--import', types, 'test/faults/run.ts', ...options];
  const { exitCode, logFile } = await run(place, '.', args);
  const log = await readFile(logFile, 'utf8');
  const found = /^PROBLEM (LOST|DOUBLE|GHOST|TORN|CONTRADICTED|does not add up).*/m.exec(log);
  if (found !== null) return { colour: 'red', because: firstLine(found[0]) };
  if (exitCode === 0 && log.includes('faults: passed')) return { colour: 'green', because: 'passed' };
  return { colour: 'broken', because: firstLine(/^PROBLEM.*/m.exec(log)?.[0] ?? 'it did not end') };
}

/** Runs Node in a folder of a copy, logging beside it. */
async function run({ copy, lane, maxMs }: Place, inside: string, args: string[]) {
  const logFile = `${copy}-${lane}.log`;
  const log = openSync(logFile, 'w');
  const { databaseUrl, redisUrl } = stacks[lane]!;
  const child = spawn(process.execPath, args, {
    cwd: join(copy, inside),
    env: { ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, TEST_STACK: String(lane) },
    stdio: ['ignore', log, log],
    timeout: maxMs,
    killSignal: 'SIGTERM',
  });
  await new Promise((resolve) => child.once('exit', resolve));
  closeSync(log);
  return { exitCode: child.exitCode, logFile };
}

function firstLine(text: string): string {
  return text.split('\n')[0]!.slice(0, 120);
}
