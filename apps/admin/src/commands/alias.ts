import { addAlias } from '@inventory/db/catalog/aliases';
import {
  changeAlias,
  type GivenAlias,
  importAliases,
  listAliases,
  removeAlias,
} from '@inventory/db/operator/manage-aliases';
import { aliasesMax } from '@inventory/domain/fields';
import { gtin14Of } from '@inventory/domain/scan/check-digits';
import { Command } from 'commander';
import { parseAlias, parseLimit, parseUnitsText } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import type { BadRow, CsvRow } from '../cli/csv.ts';
import { withDatabase } from '../cli/database.ts';
import { findShortened, findWithoutZero, importCommand, readCells } from '../cli/import.ts';
import { example, print, printJson } from '../cli/print.ts';
import { printTable } from '../cli/table.ts';

const unitsHelp = 'what one scan of it stands for: a case may be 12';

type AddOptions = { alias: string; item: string; units: string };

export const aliasAdd = new Command('add')
  .description('Add another name by which an item is found')
  .requiredOption('--alias <name>', 'the other name', parseAlias)
  .requiredOption('--item <shortID>', 'the item')
  .option('--units <quantity>', unitsHelp, parseUnitsText, '1')
  .addHelpText('after', example('alias add --alias 14006381333945 --item WIDGET-100 --units 12'))
  .action(async ({ alias, item, units }: AddOptions) => {
    await withDatabase(async (sql) => {
      const outcome = await addAlias(sql, { alias, shortId: item, units });
      if (outcome !== 'added') throw new CommandError(whyNot[outcome](alias, item));
      print(`added alias ${alias} of item ${item}`);
    });
  });

export const aliasSet = new Command('set')
  .description('Set what one scan of an alias stands for')
  .requiredOption('--alias <name>', 'the alias')
  .requiredOption('--units <quantity>', unitsHelp, parseUnitsText)
  .addHelpText('after', example('alias set --alias 4006381333931 --units 12'))
  .action(async ({ alias, units }: { alias: string; units: string }) => {
    await withDatabase(async (sql) => {
      const shortId = await changeAlias(sql, { alias, units });
      if (shortId === null) throw new CommandError(`there is no alias ${alias}`);
      print(`alias ${alias} stands for ${units} of item ${shortId}`);
    });
  });

const whyNot = {
  unknownItem: (_: string, item: string) => `there is no item ${item}`,
  isShortId: (alias: string) => `${alias} is the ShortID of an item`,
  taken: (alias: string) => `alias ${alias} already exists`,
  tooMany: (_: string, item: string) =>
    `item ${item} has ${aliasesMax} aliases or more, and gets no further ones: remove some first`,
};

type ListOptions = { item?: string; after?: string; limit: number; json?: true };

export const aliasList = new Command('list')
  .description('List aliases and their items')
  .option('--item <shortID>', 'those of this item')
  .option('--after <alias>', 'only those after this one')
  .option('--limit <number>', 'show at most this many', parseLimit, 50)
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('alias list --item WIDGET-100'))
  .action(async ({ item, after, limit, json }: ListOptions) => {
    await withDatabase(async (sql) => {
      const aliases = await listAliases(sql, { shortId: item ?? null, after: after ?? null, limit });
      if (json) return printJson(aliases);
      const rows = aliases.map(({ alias, shortID, units }) => [alias, shortID, units]);
      printTable(['alias', 'item', 'units'], rows);
      if (aliases.length === limit) print(`there may be more: --after ${aliases.at(-1)!.alias}`);
    });
  });

export const aliasRemove = new Command('remove')
  .description('Remove an alias: the item is no longer found by it')
  .requiredOption('--alias <name>', 'the alias')
  .addHelpText('after', example('alias remove --alias 4006381333931'))
  .action(async ({ alias }: { alias: string }) => {
    await withDatabase(async (sql) => {
      const shortId = await removeAlias(sql, alias);
      if (shortId === null) throw new CommandError(`there is no alias ${alias}`);
      print(`removed alias ${alias} of item ${shortId}`);
    });
  });

export const aliasImport = importCommand({
  description: 'Add the aliases in a file',
  counts: 'added, changed, unchanged',
  columnsHelp:
    'Columns: alias; item, which is a shortID; and, if wanted, units: what one scan stands for. Empty: 1, or as it is.',
  examples: ['alias import --from <aliases.csv'],
  columns: { alias: 'required', item: 'required', units: 'optional' },
  read: readAlias,
  // A GTIN is one alias in all its spellings.
  key: ['alias', ({ alias }) => gtin14Of(alias) ?? alias],
  what: 'aliases',
  apply: importAliases,
  findDoubtful: (rows) => findWithoutZero(rows, 'alias', ({ alias }) => alias),
});

function readAlias(row: CsvRow): GivenAlias | BadRow[] {
  const { line, cells } = row;
  const shortId = cells.get('item')!;
  const shortened = findShortened(cells.get('alias')!, 'alias', line) ?? findShortened(shortId, 'item', line);
  if (shortened !== null) return [shortened];
  const { bad, read, readQuantity } = readCells(row);
  const alias = read('alias', parseAlias);
  const units = (cells.get('units') ?? '') === '' ? null : readQuantity('units', parseUnitsText);
  return bad.length > 0 ? bad : { line, alias, shortId, units };
}
