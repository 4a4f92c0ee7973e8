import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addressFor } from '../harness/as-part.ts';
import { createFolder } from '../harness/folders.ts';
import { runCommand, runHere } from '../harness/service/command-line.ts';
import { useService } from '../harness/service/service.ts';

const service = useService({ workers: 0 });

/** A folder with this `.env`. */
function folderWith(text: string): string {
  const folder = createFolder();
  writeFileSync(join(folder, '.env'), text);
  return folder;
}

describe('.env in the folder', () => {
  test('gives the settings, and a line names those that the service does not have', async () => {
    const cwd = folderWith(
      '# as docker compose reads it\nPORT=nonsense\nRATE_LIMT="5"\nPORTT=1\nSOMETHING=else\nCOMPOSE_FILE=docker-compose.yml\n',
    );
    const started = await runCommand(['start'], { REDIS_URL: 'redis://127.0.0.1:1' }, { cwd });
    expect(started).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'warning: .env: ignored, because the service has no such settings: PORTT (PORT?), RATE_LIMT (RATE_LIMIT?), SOMETHING\n' +
        'error: PORT must be a port number\n',
    });
  });

  test('applies to every command, so that each works on the same database as start; the environment wins', async () => {
    const url = addressFor('operator', service.databaseUrl);
    const cwd = folderWith(`DATABASE_URL=${url}\n`);
    expect((await runCommand(['warehouse', 'list'], {}, { cwd })).stdout).toContain('Overflow');
    const away = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    expect((await runCommand(['warehouse', 'list'], away, { cwd })).stderr).toMatch(
      /127\.0\.0\.1:1 cannot be reached/,
    );
  });

  test('2 when it cannot be read: it does not count as missing', async () => {
    const cwd = createFolder();
    // Nobody can read this, not even root.
    symlinkSync('.env', join(cwd, '.env'));
    const { code, stderr } = await runCommand(['warehouse', 'list'], {}, { cwd });
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'error: .env cannot be read (ELOOP)\n' });
  });
});

test('reset never touches a given database, and without a terminal needs --yes', async () => {
  const url = { DATABASE_URL: service.databaseUrl };
  expect(await runHere(['reset', '--yes'], url)).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^error: the database was given by DATABASE_URL, and reset never touches that one; --local /,
    ),
  });
  for (const given of [[], ['--local']]) {
    expect(await runHere(['reset', ...given], given.length > 0 ? url : { DATABASE_URL: '' })).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: this deletes all data in .*\.local, for good: there is no terminal to ask on; confirm with --yes/,
      ),
    });
  }
});
