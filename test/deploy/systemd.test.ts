import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { choosePort } from '@inventory/local/free-port';
import { startPostgres } from '@inventory/local/postgres/postgres';
import { removePostgresHome } from '@inventory/local/postgres/postgres-home';
import type { RedisProgram } from '@inventory/local/redis/redis';
import { connect } from '@inventory/postgres/pool';
import { expect, onTestFinished, test } from 'vitest';
import { commandsOf, readBlocksOf, root } from '../examples/documents.ts';
import { programOf } from '../harness/compiled.ts';
import { createFolder } from '../harness/folders.ts';
import { findServerProgram } from '../harness/servers/redis-servers.ts';
import { ownSettings } from '../harness/service/own-settings.ts';

const page = 'deploy/systemd/README.md';
const folder = join(root, 'deploy/systemd');
const units = readdirSync(folder).filter((name) => name.endsWith('.service'));
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

const analyze = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  return { status, said: stdout + stderr };
};

test.skipIf(!hasSystemd).each(units)(
  '%s is a unit that systemd understands, exposed less than 3.0 (skipped without systemd-analyze)',
  (name) => {
    expect(units.length).toBe(3);
    const file = join(folder, name);
    // Node may be elsewhere on this machine.
    const copy = join(createFolder(), name);
    writeFileSync(copy, readFileSync(file, 'utf8').replaceAll('/usr/bin/node', process.execPath));
    expect(analyze('verify', '--man=no', copy)).toEqual({ status: 0, said: '' });
    const { status, said } = analyze('security', '--offline=true', '--threshold=29', file);
    expect(status, said).toBe(0);
  },
);

/** The lines `name=value` of a unit's section [Service]. */
function serviceOf(text: string): [name: string, value: string][] {
  const [, section = ''] = /^\[Service\]\n([\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(text) ?? [];
  return [...section.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]);
}

/** A machine whose root folder is a folder of the test, with servers of its own. */
async function createMachine(redis: RedisProgram) {
  const machine = createFolder();
  for (const each of ['etc/redis', 'etc/systemd/system', 'opt'])
    mkdirSync(join(machine, each), { recursive: true });
  symlinkSync(root, join(machine, 'opt/inventory'));
  const home = createFolder();
  const postgres = await startPostgres(ownSettings(home));
  onTestFinished(async () => {
    await postgres.stop();
    await removePostgresHome(home);
  });
  const superuser = await makeRoom(postgres.url);
  const redisPort = await choosePort('Redis');
  const conf = join(machine, 'etc/redis/redis.conf');
  writeFileSync(conf, `port ${redisPort}\nbind 127.0.0.1\nsave ""\ndir ${machine}\n`);
  const running = new Map<string, ChildProcess>();
  onTestFinished(async () => {
    for (const each of running.values()) await endProcess(each);
  });

  const placed = (text: string) =>
    text
      .replaceAll(/(?<![\w/])\/(?=(?:etc|opt)\/)/g, `${machine}/`)
      .replaceAll('127.0.0.1:5432', `127.0.0.1:${postgres.port}`)
      .replaceAll('127.0.0.1:6379', `127.0.0.1:${redisPort}`)
      .replaceAll(/INTERNAL_PORT=\d+/g, 'INTERNAL_PORT=0');

  /** Runs a line of the page in a shell in /opt/inventory. */
  function runShell(command: string, env: Record<string, string>): Promise<string> {
    const program = programOf(join(root, 'apps/admin/src/main.ts')).join(' ');
    const programs = `set -euo pipefail
      useradd() { :; }
      npx() { [ "$*" = '-y pnpm@12 install --prod' ]; }
      sudo() { [ "$*" = '-u postgres psql' ]; "$NODE" --input-type=module -e "$PSQL"; }
      install() { [ "$1" != -o ] || shift 4; command install "$@"; }
      node() { [ "$1" = apps/admin/src/main.ts ]; shift; "$NODE" ${program} "$@"; }
      cd ${machine}/opt/inventory\n`;
    return new Promise((resolve, reject) => {
      const all = { ...process.env, NODE: process.execPath, PSQL: psql, SUPERUSER_URL: superuser, ...env };
      execFile(
        'bash',
        ['-c', programs + placed(command)],
        { cwd: root, env: all },
        (error, stdout, stderr) =>
          error === null ? resolve(stdout) : reject(new Error(`${command}\n${stdout}${stderr}`)),
      );
    });
  }

  /** Runs the command of a unit as it is written, with its settings and its credentials. */
  function launch(name: string): ChildProcess {
    const lines = serviceOf(
      placed(readFileSync(join(machine, 'etc/systemd/system', `${name}.service`), 'utf8')),
    );
    const all = (key: string) => lines.filter(([each]) => each === key).map(([, value]) => value);
    const credentials = createFolder();
    for (const each of all('LoadCredential')) {
      const [id, from] = each.split(/:(.*)/s) as [string, string];
      copyFileSync(from, join(credentials, id));
    }
    const settings = [
      ...all('EnvironmentFile').flatMap((file) => readFileSync(file, 'utf8').trim().split('\n')),
      ...all('Environment').flatMap((value) => value.replaceAll('%d', credentials).split(' ')),
    ].map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]);
    const [program, ...args] = all('ExecStart')[0]!.split(' ');
    expect(program).toBe('/usr/bin/node');
    const at = args.findIndex((each) => each.endsWith('.ts'));
    const words = [...args.slice(0, at), ...programOf(join(root, args[at]!)), ...args.slice(at + 1)];
    const child = spawn(process.execPath, words, {
      cwd: all('WorkingDirectory')[0]!,
      // Nothing of the tests' own environment, as under systemd.
      env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'info', ...Object.fromEntries(settings) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.set(name, child);
    return child;
  }

  /** Does the work of systemctl. */
  async function control(words: readonly string[]) {
    const [verb, ...names] = words.filter((word) => word !== '--now');
    for (const name of names) {
      if (name === 'redis-server') {
        const before = running.get(name);
        if (before !== undefined) await endProcess(before);
        const env = { ...process.env, LD_LIBRARY_PATH: redis.libraryPath };
        const server = spawn(redis.command, [conf], { env, stdio: ['ignore', 'pipe', 'inherit'] });
        running.set(name, server);
        await untilSaid(server, /Ready to accept connections/);
        continue;
      }
      const before = running.get(name);
      if (verb === 'restart') expect(await endProcess(before!)).toBe(0);
      const child = launch(name);
      if (name === 'inventory-migrate') expect((await once(child, 'exit'))[0]).toBe(0);
      else await untilSaid(child, /"msg":"(?:api|worker) is up"/);
    }
  }

  return { runShell, control, running };
}

// Does the work of psql with the statements on its standard input.
const psql = `
  const { default: postgres } = await import('${import.meta.resolve('postgres')}');
  const sql = postgres(process.env.SUPERUSER_URL, { max: 1, onnotice() {} });
  const { text } = await import('node:stream/consumers');
  for (const each of (await text(process.stdin)).split(';')) if (each.trim() !== '') await sql.unsafe(each);
  await sql.end();`;

/** The names of the page are taken there: they make way. Returns the address of the superuser. */
async function makeRoom(url: string): Promise<string> {
  const server = new URL(url);
  server.pathname = '/postgres';
  const first = connect(server.href, { name: 'tests', connectionsMax: 1 });
  await first.unsafe(`create role boss superuser login password 'boss'`);
  await first.end({ timeout: 5 });
  Object.assign(server, { username: 'boss', password: 'boss' });
  const boss = connect(server.href, { name: 'tests', connectionsMax: 1 });
  await boss.unsafe('drop database inventory');
  await boss.unsafe('alter role inventory rename to postgres');
  await boss.end({ timeout: 5 });
  return server.href;
}

async function untilSaid(child: ChildProcess, what: RegExp): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', (chunk: Buffer) => {
      said += chunk;
      if (what.test(said)) resolve();
    });
    child.once('exit', () => reject(new Error(`it ended: ${said}`)));
  });
}

async function endProcess(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  return child.exitCode;
}

test('the page installs the service on a machine: its steps and the commands of the units run as written, and doctor finds nothing that fails', async ({
  skip,
}) => {
  const { program, reason } = await findServerProgram();
  if (program === null) return skip(reason);
  const { runShell, control, running } = await createMachine(program);
  const blocks = readBlocksOf(page).filter(({ language }) => language === 'sh');
  expect(blocks.length).toBe(9);
  for (const { text } of blocks) {
    const exported: string[] = [];
    for (const command of commandsOf(text)) {
      if (command.startsWith('systemctl ')) await control(command.split(/\s+/).slice(1));
      else if (command.startsWith('export ')) exported.push(command);
      else await runShell([...exported, command].join('\n'), {});
    }
  }
  // Each unit ends in order.
  for (const name of ['inventory-api', 'inventory-worker'])
    expect({ name, code: await endProcess(running.get(name)!) }).toEqual({ name, code: 0 });
});
