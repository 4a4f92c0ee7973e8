import { type GivenAlias, importAliases } from '@inventory/db/operator/manage-aliases';
import { Command } from 'commander';
import { parseAlias } from '../cli/arguments.ts';
import { type BadRow, type Columns, type CsvRow, readCsv } from '../cli/csv.ts';
import { withDatabase } from '../cli/database.ts';
import { asBadRow, findRepeats, importHelp, tellImport } from '../cli/import.ts';
import { example } from '../cli/print.ts';
import { createProgress, rowsText } from '../cli/progress.ts';

type Options = { from: string; skipBad?: boolean; json?: boolean };

const columns: Columns = { alias: 'required', item: 'required' };

export const aliasImport = new Command('import')
  .description('Add the aliases in a file')
  .requiredOption('--from <file>', 'the file')
  .option('--skip-bad', 'import the valid rows, and skip the others')
  .option('--json', 'print one line of JSON: added, unchanged, skipped')
  .addHelpText(
    'after',
    `\nColumns: alias, and item, which is a shortID.\n${importHelp}${example('alias import --from aliases.csv')}`,
  )
  .action(async ({ from, skipBad = false, json = false }: Options) => {
    const { rows, bad } = await readCsv(from, columns);
    const aliases: GivenAlias[] = [];
    for (const row of rows) {
      const alias = readAlias(row);
      if ('message' in alias) bad.push(alias);
      else aliases.push(alias);
    }
    const repeats = findRepeats(aliases, 'alias', ({ alias }) => alias);
    bad.push(...repeats);
    const of = rows.length + bad.filter(({ field }) => field === null).length;
    const repeated = new Set(repeats.map(({ line }) => line));
    const good = aliases.filter(({ line }) => !repeated.has(line));
    const take = skipBad ? 'good' : bad.length > 0 ? 'none' : 'all';
    await withDatabase(async (sql) => {
      const progress = createProgress();
      const report = (done: number) => progress.show(rowsText(done, 'aliases', good.length));
      const done = await importAliases(sql, good, { take, report }).finally(progress.end);
      const { refused, ...counts } = done;
      tellImport({ counts, bad: [...bad, ...refused.map(asBadRow)] }, { json, skipBad, of });
    });
  });

function readAlias({ line, cells }: CsvRow): GivenAlias | BadRow {
  try {
    return { line, alias: parseAlias(cells.get('alias')!), shortId: cells.get('item')! };
  } catch (error) {
    return { line, field: 'alias', message: (error as Error).message };
  }
}
