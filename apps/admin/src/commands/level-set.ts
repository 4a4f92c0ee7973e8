import { setOrderQuantities } from '@inventory/db/operator/order-quantities';
import { Command } from 'commander';
import { parseId, parseQuantityText } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import { withDatabase } from '../cli/database.ts';
import { explainUnknownWarehouse } from '../cli/explain-refusal.ts';
import { example, print } from '../cli/print.ts';

type Options = {
  item: string;
  warehouse: number;
  onOrder?: string;
  committed?: string;
  packed?: string;
  asn?: string;
};

export const levelSet = new Command('set')
  .description('Set the order quantities of an item in a warehouse; the others stay unchanged')
  .requiredOption('--item <shortID>', 'the item')
  .requiredOption('--warehouse <number>', 'id of the warehouse', parseId)
  .option('--on-order <quantity>', 'ordered and not yet received', parseQuantityText)
  .option('--committed <quantity>', 'promised to orders', parseQuantityText)
  .option('--packed <quantity>', 'packed and not yet shipped', parseQuantityText)
  .option('--asn <quantity>', 'announced by suppliers', parseQuantityText)
  .addHelpText('after', example('level set --item WIDGET-100 --warehouse 1 --on-order 250'))
  .action(async ({ item, warehouse, ...quantities }: Options) => {
    if (Object.keys(quantities).length === 0) throw new CommandError('no quantity was given', 2);
    await withDatabase(async (sql) => {
      const outcome = await setOrderQuantities(sql, { shortId: item, wid: warehouse }, quantities).catch(
        async (error: unknown) => {
          throw await explainUnknownWarehouse(error, sql, [warehouse]);
        },
      );
      if (outcome === 'unknown_item') throw new CommandError(`there is no item ${item}`);
      print(`set the level of item ${item} in warehouse ${warehouse}`);
    });
  });
