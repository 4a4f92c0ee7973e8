import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inventory as program } from '@inventory/admin/program';
import type { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { runShell } from '../examples/shell.ts';
import { type Manifest, podTemplates } from '../harness/deploy/manifests.ts';
import { createFolder } from '../harness/folders.ts';
import { createDatabase } from '../harness/servers/database.ts';
import { runCommand, runHere } from '../harness/service/command-line.ts';

const root = join(import.meta.dirname, '../..');
const text = (file: string) => readFileSync(join(root, file), 'utf8');
const listed = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', 'apps', 'packages'],
  {
    cwd: root,
    encoding: 'utf8',
  },
);
/** The sources of the service, without their comments. */
const sources = listed
  .split('\n')
  .filter((file) => /\/src\/.*\.(ts|js|html)$/.test(file) && !file.endsWith('/called-as.ts'))
  .map((file) => ({ file, said: text(file).replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '') }));

const groups = program.commands.map((each) => each.name());

test('advice names commands as they are called here: no text has its own way', () => {
  expect(sources.length).toBeGreaterThan(300);
  const ways = [
    /pnpm(?:@12)? (?:inventory|start)/,
    /`inventory [a-z]/,
    // For example: run `migrate` first.
    new RegExp(`\\b(?:run|by|first:?|then) \\\\?\`(?:${groups.join('|')})\\b`),
  ];
  const wrong = sources.flatMap(({ file, said }) =>
    said
      .split('\n')
      .filter((line) => ways.some((way) => way.test(line)))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(wrong).toEqual([]);
});

/** Why Commander would refuse a command of the command line; null: it would run. */
function whyRefused(words: readonly string[]): string | null {
  let command: Command = program;
  const rest = [...words];
  for (;;) {
    const next: Command | undefined = command.commands.find((each) => each.name() === rest[0]);
    if (next === undefined) break;
    command = next;
    rest.shift();
  }
  if (command === program || command.commands.length > 0) return 'no such command';
  const given: string[] = [];
  while (rest.length > 0) {
    const word = rest.shift()!;
    const option = command.options.find(({ long }) => long === word);
    if (option === undefined && word.startsWith('--')) return `no option ${word}`;
    if (option === undefined) given.push(word);
    else if (option.required && rest.shift() === undefined) return `${word} without a value`;
  }
  const needed = command.options.filter(({ mandatory }) => mandatory).map(({ long }) => long!);
  const missing = needed.find((each) => !words.includes(each));
  if (missing !== undefined) return `without ${missing}`;
  const least = command.registeredArguments.filter(({ required }) => required).length;
  return given.length < least ? 'an argument is missing' : null;
}

test('every advised command exists, with the advised options, and lacks nothing that it needs', () => {
  const advised = sources.flatMap(({ said }) =>
    [...said.matchAll(/inventoryCommand\(\s*'([^']+)'/g)].map(([, command]) => command!),
  );
  expect(advised.length).toBeGreaterThan(15);
  const wrong = advised.flatMap((command) => {
    const why = whyRefused(command.split(' '));
    return why === null ? [] : [`${command}: ${why}`];
  });
  expect(wrong).toEqual([]);
});

/** How docker-compose.yml says that the command line is called. */
function inCompose(): Record<string, string> {
  const { 'x-own': own } = parse(text('docker-compose.yml')) as { 'x-own': Record<string, string> };
  return Object.fromEntries(Object.entries(own).filter(([name]) => name.startsWith('INVENTORY_')));
}

test('what doctor advises in a container can be typed there: a backup comes out of it, and disks are those of Postgres', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const env = { DATABASE_URL: database.url, REDIS_URL: 'redis://127.0.0.1:1' };
  // A process of its own: advice is made when its modules are loaded.
  const { stdout } = await runCommand(['doctor', '--json'], { ...env, ...inCompose() });
  const checks = JSON.parse(stdout) as { id: string; remedy: string | null }[];
  const remedyOf = (id: string) => checks.find((each) => each.id === id)!.remedy!;
  const advised = [...remedyOf('backup').matchAll(/`([^`]+)`/g)].map(([, command]) => command!);
  expect(advised).toEqual([
    '(umask 077; set -C; docker compose run --rm -T admin backup - > NAME.inventory)',
    'docker compose run --rm admin backed-up --by TOOL',
  ]);
  const file = join(createFolder(), 'today.inventory');
  await runShell(advised.map((each) => each.replace('NAME.inventory', file)).join('\n'), env);
  expect(await runHere(['restore', '--check', file], {})).toMatchObject({ code: 0 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(remedyOf('disk')).toBe('look with `docker compose exec postgres df -h /var/lib/postgresql`');
  const { services } = parse(text('docker-compose.yml'), { merge: true });
  expect(services.postgres.volumes).toContain('postgres:/var/lib/postgresql');
});

test('a file in an example of help comes into a container and out of it', async () => {
  const env = inCompose();
  const helpOf = async (...words: string[]) => (await runCommand([...words, '--help'], env)).stdout;
  expect(await helpOf('item', 'import')).toContain(
    '\n  docker compose run --rm -T admin item import --from - < items.csv\n',
  );
  expect(await helpOf('restore')).toContain(
    '\n  docker compose run --rm -T migrate apps/admin/src/main.ts restore - < /backups/2026-11-21.inventory\n',
  );
});

// As on a cluster: the program has standard input only with -i.
const kubectl = `kubectl() {
  local input=/dev/null
  while [ "$1" != -- ]; do
    case "$1" in -i) input=/dev/stdin ;; esac
    shift
  done
  shift 3
  run "$@" < $input
}
`;

test.each(['in help', 'on the page'])(
  'a file in an example for Kubernetes comes into the pod: %s',
  async (where) => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const [container] = podTemplates.find(({ name }) => name === 'inventory-operator')!.spec.containers;
    const { value } = container.env.find(({ name }: Manifest) => name === 'INVENTORY_COMMAND');
    const shown =
      where === 'in help'
        ? (await runCommand(['item', 'import', '--help'], { INVENTORY_COMMAND: value })).stdout
        : text('deploy/kubernetes/README.md');
    const [example] = /kubectl .* item import .*/.exec(shown)!;
    const file = join(createFolder(), 'items.csv');
    writeFileSync(file, 'shortID,description\nFROM-FILE,it came\n');
    const placed = example.replace(/[\w/]*items\.csv/, file);
    expect(await runShell(kubectl + placed, { DATABASE_URL: database.url })).toBe(
      'added 1, changed 0, unchanged 0\n',
    );
  },
);

test('doctor, errors and help name commands as docker compose calls them, also the owner’s', async () => {
  const env = inCompose();
  const empty = await createDatabase('template0');
  try {
    const there = { ...env, DATABASE_URL: empty.url, REDIS_URL: 'redis://127.0.0.1:1' };
    const { stdout } = await runHere(['doctor', '--json'], there);
    const { remedy } = (JSON.parse(stdout) as { id: string; remedy: string }[]).find(
      ({ id }) => id === 'schema',
    )!;
    expect(remedy).toBe(
      'run `docker compose run --rm migrate apps/admin/src/main.ts migrate` as their owner',
    );
    expect((await runHere(['warehouse', 'list'], there)).stderr).toBe(
      'error: the database has no tables yet: run `docker compose run --rm migrate apps/admin/src/main.ts migrate` first\n',
    );
    expect((await runHere(['status'], there)).stdout).toContain('`docker compose run --rm admin doctor`');
  } finally {
    await empty.drop();
  }
  const { stdout } = await runCommand(['warehouse', 'list', '--help'], env);
  expect(stdout).toContain('\n  docker compose run --rm admin warehouse list\n');
});

test('a Node that is too old, and packages that are missing, are told in a line before anything is imported', async () => {
  const launch = join(root, 'apps/admin/launch.mjs');
  const run = (args: readonly string[]) =>
    new Promise<string>((resolve) => {
      execFile(process.execPath, args, (_error, _stdout, stderr) => resolve(stderr));
    });
  const old = createFolder();
  const version = "Object.defineProperty(process.versions, 'node', { value: '18.20.4' });";
  writeFileSync(join(old, 'old.mjs'), version);
  const imported = ['--import', pathToFileURL(join(old, 'old.mjs')).href];
  expect(await run([...imported, launch, 'status'])).toBe(
    'error: this is Node 18.20.4; the service needs 20.19 or newer, 24 is best\n',
  );
  copyFileSync(launch, join(old, 'launch.mjs'));
  expect(await run([join(old, 'launch.mjs'), 'status'])).toBe(
    'error: the packages are not installed: run `npx -y pnpm@12 install` in this folder first\n',
  );
});
