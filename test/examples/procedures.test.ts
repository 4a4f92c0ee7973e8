import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { addressFor, asPart } from '../harness/as-part.ts';
import { programOf } from '../harness/compiled.ts';
import { createFolder } from '../harness/folders.ts';
import { makeLaterVersion } from '../harness/later-version.ts';
import { createApiClient } from '../harness/service/api-client.ts';
import { runHere } from '../harness/service/command-line.ts';
import { type Started, startProcess } from '../harness/service/processes.ts';
import { uniqueName, useService } from '../harness/service/service.ts';
import { commandsOf, readBlocksOf, root } from './documents.ts';
import { runShell } from './shell.ts';

// Procedures of several commands, read from their page. Where a Docker engine would start containers of an
// image, processes of a version start.

const service = useService({ workers: 0 });
const page = 'docs/containers.md';

/** The commands of the block that begins with this one. */
function procedure(begin: RegExp): string[] {
  const block = readBlocksOf(page).find(({ language, text }) => language === 'sh' && begin.test(text));
  return commandsOf(block!.text).map((command) => command.replace(/\s+# .*$/, ''));
}

/** The files of a version. */
type Version = { name: string; main(app: 'admin' | 'api' | 'worker'): string };
const here: Version = { name: 'here', main: (app) => join(root, `apps/${app}/src/main.ts`) };

/** A machine with a checkout, an image and what runs of it. */
function createMachine(next: Version, databaseUrl: string, backups: string) {
  let checkedOut = here;
  let image = here;
  const running: { api?: Started; worker?: Started } = {};
  const env = {
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: inject('redisUrl'), QUEUE_PREFIX: uniqueName('procedure') },
    ...{ PORT: '0', INTERNAL_PORT: '0' },
  };
  const stop = async () => {
    await running.api?.stop();
    await running.worker?.stop();
  };
  onTestFinished(stop);

  async function up() {
    await stop();
    const start = (part: 'api' | 'worker') => startProcess(image.main(part), asPart(part, env));
    [running.api, running.worker] = await Promise.all([start('api'), start('worker')]);
  }

  /** Runs a command in the shell with the image's command line on this database. */
  const runInImage = (command: string) =>
    runShell(command.replaceAll('/backups/', `${backups}/`), {
      PROGRAM: programOf(image.main('admin')).join(' '),
      OWNER_URL: databaseUrl,
      DATABASE_URL: addressFor('operator', databaseUrl),
    });

  return {
    up,
    running,
    operator: () => asPart('operator', env),
    image: () => image.name,
    async run(command: string): Promise<string> {
      if (command.startsWith('git ')) checkedOut = command.startsWith('git pull') ? next : here;
      else if (command === 'docker compose build') image = checkedOut;
      else if (command.startsWith('docker compose up -d --wait')) {
        // An image has the name of the version that is checked out.
        image = checkedOut;
        if (!command.includes('--no-deps')) await runInImage('docker compose run --rm migrate');
        await up();
      } else return runInImage(command);
      return '';
    },
  };
}

test('the upgrade and the way back of docs/containers.md work as written, and the service answers after each line', async () => {
  const folder = makeLaterVersion();
  const later: Version = { name: 'later', main: (app) => join(folder, `apps/${app}/src/main.js`) };
  const backups = createFolder();
  const machine = createMachine(later, service.databaseUrl, backups);
  await machine.up();
  const known = await service.client();
  const itemID = await service.item();
  const receive = async () => {
    const client = createApiClient(
      `http://127.0.0.1:${machine.running.api!.port}/api/v1`,
      known.clientId,
      known.token,
    );
    return (await client.post('/Inventory/Receive', { itemID, units: 1, wid: 1, reasonCode: 1 })).status;
  };
  await expect.poll(receive).toBe(201);

  const upgrade = [/umask/, /git pull/, /--no-deps migrate\n/, /^docker compose up -d --wait\n$/].flatMap(
    procedure,
  );
  expect(upgrade.length).toBeGreaterThan(4);
  for (const command of upgrade) {
    const said = await machine.run(command);
    if (command.endsWith('--dry-run'))
      expect(said).toMatch(/9001_one-more\.sql would take .*\n.*9002[\s\S]*nothing was changed\n$/);
    expect({ command, status: await receive() }).toEqual({ command, status: 201 });
  }
  expect(machine.image()).toBe('later');
  const backup = join(backups, 'before-upgrade.inventory');
  expect(await runHere(['restore', '--check', backup], {})).toMatchObject({ code: 0 });

  for (const command of procedure(/git checkout/)) {
    await machine.run(command);
    expect({ command, status: await receive() }).toEqual({ command, status: 201 });
  }
  expect(machine.image()).toBe('here');
  // The sentence below it: the whole of it works, too.
  await machine.run('docker compose up -d --wait');
  expect(await receive()).toBe(201);
  expect(await runHere(['warehouse', 'list'], machine.operator())).toMatchObject({ code: 0, stderr: '' });
});
