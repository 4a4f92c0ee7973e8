import { checksumOf } from '@inventory/db/migrate/checksum';
import { expect, test } from 'vitest';

const script = `
-- It's a table.
create table one_more (name text default 'it''s -- not a comment', "a  b" text);
/* A function; don't split it. */
create function one() returns text language sql as $body$
  -- Of the body.
  select 'one'
$body$;
select e'it\\'s', e'-- \\\\', $$ -- $$;
`;

test.each([
  ['without its comments', (text: string) => text.replace(/^(?:--|\/\*).*\n/gm, '')],
  ['with another comment', (text: string) => text.replace("It's a table.", 'The user\'s table, `"$$`.')],
  ['with a comment at the end', (text: string) => `${text}-- That's all.`],
  ['with a comment within a statement', (text: string) => text.replace('(name', '( -- it\n  name')],
  ['indented', (text: string) => text.replaceAll('create', '\r\n\tcreate')],
])('a script has the same checksum %s', (_, edit) => {
  // Blanks count where there were none.
  const before = script.replace('(name', '( name');
  expect(checksumOf(edit(before))).toBe(checksumOf(before));
});

test.each([
  ['a word', 'one_more', 'two_more'],
  ['a string that contains two dashes', 'not a comment', 'nothing'],
  ['a blank in a string', "it''s --", "it''s  --"],
  ['a blank in a quoted name', '"a  b"', '"a b"'],
  ['a comment in the body of a function', 'Of the body', 'Of it'],
  ['a string with backslashes', "e'-- ", "e'--"],
  ['text behind a string with backslashes', '$$ -- $$', '$$ - $$'],
  ['a blank between two words', 'create table', 'createtable'],
])('a script has another checksum after an edit of %s', (_, from, to) => {
  expect(script).toContain(from);
  expect(checksumOf(script.replace(from, () => to))).not.toBe(checksumOf(script));
});
