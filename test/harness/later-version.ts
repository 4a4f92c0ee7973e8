import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileCheckout } from './compiled.ts';
import { createFolder } from './folders.ts';

const root = join(import.meta.dirname, '../..');

const laterMigrations = {
  '9001_one-more.sql':
    'alter table lot add column one_more integer;\nalter table stock_transaction add column one_more text;\n',
  '9002_another.sql': 'create table another (rec_no integer primary key references lot, note text);\n',
};

/** A later version: this code with two more migrations that only add. Returns its folder. */
export function makeLaterVersion(): string {
  const folder = join(createFolder(), 'later');
  compileCheckout(folder);
  const migrations = join(folder, 'packages/db/migrations');
  rmSync(migrations);
  cpSync(join(root, 'packages/db/migrations'), migrations, { recursive: true });
  for (const [name, text] of Object.entries(laterMigrations)) writeFileSync(join(migrations, name), text);
  return folder;
}
