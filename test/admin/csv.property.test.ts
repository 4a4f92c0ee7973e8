import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { createCsvWriter, readCsv } from '@inventory/admin/cli/csv';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
// @ts-expect-error The page has no types.
import { csvCellOf } from '../../apps/console/page/tables/csv-cell.js';
import { useFolder } from '../harness/folders.ts';

const folder = useFolder();
const file = join(folder, 'some.csv');

// Characters that begin a formula, that prevent one, that mean something in CSV, and any text.
const piece = fc.oneof(
  fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', "'", '＝', '＋', '－', '＠', '"', ',', ';', ' ', ''),
  fc.string({ unit: 'binary', maxLength: 3 }).filter((text) => text.isWellFormed()),
);
const cell = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
const rows = fc.array(fc.record({ one: cell, two: cell }), { minLength: 1, maxLength: 20 });

test('an export reads back exactly, and no value in it is a formula to a spreadsheet', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (given) => {
      const written = await textOf(Readable.from(given).pipe(await createCsvWriter(['one', 'two'])));
      await writeFile(file, written);
      const read = await readCsv(file, { one: 'required', two: 'required' });
      expect(read.bad).toEqual([]);
      expect(read.rows.map(({ cells }) => Object.fromEntries(cells))).toEqual(given);
      const shown = parse(readFileSync(file), { record_delimiter: '\n' }) as string[][];
      // Some spreadsheets cut at semicolons, even within quotes.
      const cut = shown.flat().flatMap((value) => value.split(';'));
      expect(cut.filter((value) => /^[=+\-@\t\r\n＝＋－＠]/.test(value))).toEqual([]);
      // They and others cut at tabs and line ends, too, and drop double quotes there.
      const pieces = written.split(/[;\t\r\n]/).map((piece) => piece.replace(/^"+/, ''));
      expect(pieces.filter((piece) => /^[=+\-@＝＋－＠]/.test(piece))).toEqual([]);
      // The page writes the same.
      const fields = given.filter(({ one }) => /[^\d.-]/.test(one)).map(({ one }) => one);
      const own = await textOf(
        Readable.from(fields.map((one) => ({ one }))).pipe(await createCsvWriter(['one'])),
      );
      expect(own).toBe(`one\n${fields.map((one) => `${csvCellOf(one)}\n`).join('')}`);
    }),
  );
});

test.each([
  ['a line end', 'Bolts\n=1+1', "Bolts\n'=1+1"],
  ['a line end of Windows', 'Bolts\r\n@SUM(A1)', "Bolts\r\n'@SUM(A1)"],
  ['a tab', 'Bolts\t-1+1', "Bolts\t'-1+1"],
  ['a semicolon and a double quote', 'Bolts;"=1+1;', 'Bolts;\'"=1+1;'],
  ['a line end and a quote', "Bolts\n'＝1", "Bolts\n''＝1"],
])('a formula behind %s gets a quote, which an import takes off again', async (_, text, safe) => {
  const written = await textOf(Readable.from([{ one: text }]).pipe(await createCsvWriter(['one'])));
  expect(written).toBe(`one\n"${safe.replaceAll('"', '""')}"\n`);
  expect(csvCellOf(text)).toBe(`"${safe.replaceAll('"', '""')}"`);
  await writeFile(file, written);
  const { rows } = await readCsv(file, { one: 'required' });
  expect(rows.map(({ cells }) => cells.get('one'))).toEqual([text]);
});

test('other line ends stay as they are', () => {
  expect(csvCellOf('one\r\ntwo\n\n three')).toBe('"one\r\ntwo\n\n three"');
});
