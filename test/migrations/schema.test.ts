import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '@inventory/db/migrate/migrate';
import { expect, test } from 'vitest';
import { createEmptyDatabase, createUnusedDatabase, describeSchema } from '../harness/servers/backups.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'packages/db/schema');
const filesOf = (of: string) =>
  readdirSync(of)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => ({ name, text: readFileSync(join(of, name), 'utf8') }));
const files = filesOf(folder);
const migrations = filesOf(join(root, 'packages/db/migrations'));
const withoutComments = (text: string) => text.replaceAll(/--.*$/gm, '');

test('two databases are created alike', async () => {
  const [first, second] = [await createUnusedDatabase(), await createEmptyDatabase()];
  await migrate(second.sql);
  const described = await describeSchema(first.sql);
  expect(described.length).toBeGreaterThan(300);
  expect(await describeSchema(second.sql)).toEqual(described);
});

test('each table of the schema gives its reason, and everything is created once, in its final form', () => {
  for (const { name, text } of files) {
    expect(text, name).toMatch(/^-- /);
    expect(text.match(/(?<!--.*\n)^create table \w+/gm), name).toBeNull();
    expect(withoutComments(text), name).not.toMatch(/\b(?:or replace|drop|alter table)\b/);
  }
});

test('each table, column and function of the schema and of the migrations is used', async () => {
  const { sql } = await createUnusedDatabase();
  const made = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
    union
    select attname
    from pg_attribute
    join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0
    union
    select proname from pg_proc where pronamespace = 'public'::regnamespace`;
  const sources = execFileSync('git', ['ls-files', 'packages/*/src/*.ts', 'apps/*.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n');
  const used = new Set(sources.flatMap((file) => readFileSync(join(root, file), 'utf8').match(/\w+/g) ?? []));
  const count = new Map<string, number>();
  // A grant on an unused thing is not a use.
  for (const { text } of [...files.filter(({ name }) => !name.endsWith('rights.sql')), ...migrations])
    for (const word of withoutComments(text).match(/\w+/g) ?? []) count.set(word, (count.get(word) ?? 0) + 1);
  expect(
    made.map(({ name }) => name).filter((name) => !used.has(name) && (count.get(name) ?? 0) < 2),
  ).toEqual([]);
});
