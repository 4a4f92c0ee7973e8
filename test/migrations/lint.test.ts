import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programOf } from '../harness/compiled.ts';
import { useFolder } from '../harness/folders.ts';

const root = join(import.meta.dirname, '../..');
const doesSquawkRun = spawnSync(join(root, 'node_modules/.bin/squawk'), ['--version']).status === 0;

const folder = useFolder();

/** The exit code of the migration check for this text, and its output. */
async function lint(text: string): Promise<{ code: number | null; said: string }> {
  const file = join(folder, '9001_one-more.sql');
  await writeFile(file, text);
  const args = [...programOf(join(root, 'test/migrations/lint.ts')), '--file', file];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return { code: status, said: stdout + stderr };
}

const refused = {
  'adding-required-field': 'alter table lot add column one_more integer not null;',
  'renaming-column': 'alter table lot rename column price to cost;',
  'changing-column-type': 'alter table lot alter column owner type bigint;',
  'constraint-missing-not-valid': 'alter table lot add constraint one_more check (units > 0);',
  'require-concurrent-index-creation': 'create index one_more_idx on lot (price);',
  'ban-drop-table': 'drop table lot;',
  'ban-drop-column': 'alter table lot drop column price;',
};

test.skipIf(!doesSquawkRun)(
  'the check refuses a migration that blocks writes or breaks the previous version, by each rule that it breaks',
  async () => {
    const { code, said } = await lint(`${Object.values(refused).join('\n')}\n`);
    expect(code).toBe(1);
    for (const rule of Object.keys(refused)) expect(said).toContain(rule);
  },
);

test('the check refuses a migration that removes something without the version that last used it', async () => {
  const dropped = '-- squawk-ignore ban-drop-column\nalter table lot drop column price;\n';
  const { code, said } = await lint(dropped);
  expect(said).toContain('does not set schema_compatibility.oldest');
  expect(code).toBe(1);
  expect((await lint(`${dropped}update schema_compatibility set oldest = 21;\n`)).code).toBe(0);
});

test.each([
  `alter table lot add column one_more integer;
create table one_more (id integer primary key, units numeric);
create index one_more_idx on one_more (units);`,
  '-- Runs outside a transaction.\ncreate index concurrently if not exists one_more_idx on lot (price);',
])('the check accepts a migration that only adds: %s', async (text) => {
  expect(await lint(`${text}\n`)).toMatchObject({ code: 0 });
});
