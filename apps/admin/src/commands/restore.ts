import { Command } from 'commander';
import { checkFile, restoreFile } from '../backup/restore-file.ts';
import { untilBrokenOff } from '../cli/broken-off.ts';
import { withOwnersDatabase } from '../cli/database.ts';
import { example } from '../cli/print.ts';
import { printAudit } from '../cli/print-audit.ts';

type Options = { check?: boolean; exactNumbers?: boolean };

export const restore = new Command('restore')
  .description('Restore a backup into an empty database, as the owner of its tables, and audit what came')
  .argument('<file>', 'what `backup` has written; - for standard input')
  .option('--check', 'only read the file to its end and say whether it is whole; needs no database')
  .option(
    '--exact-numbers',
    'nothing was done after the backup, so numbers of lots, transactions and items go on right behind it',
  )
  .addHelpText('after', example('restore /backups/2026-11-21.inventory'))
  .action(async (path: string, { check = false, exactNumbers = false }: Options) => {
    if (check) return checkFile(path);
    await withOwnersDatabase(async (sql) => {
      await untilBrokenOff('nothing was restored', (signal) =>
        restoreFile(sql, path, { exactNumbers, signal }),
      );
      await printAudit(sql);
    });
  });
