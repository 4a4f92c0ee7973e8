import { Command } from 'commander';
import { checkFile, restoreFile } from '../backup/restore-file.ts';
import { untilBrokenOff } from '../cli/broken-off.ts';
import { withOwnersDatabase } from '../cli/database.ts';
import { example } from '../cli/print.ts';
import { printAudit } from '../cli/print-audit.ts';

type Options = { check?: boolean; exactNumbers?: boolean };

export const restore = new Command('restore')
  .description('Restore a backup into an empty database, as the owner of its tables, and audit it')
  .argument('<file>', 'a file that backup has written; - for standard input')
  .option('--check', 'only check that the file is complete; needs no database')
  .option(
    '--exact-numbers',
    'leave no gap in the numbers of lots, transactions and items; only if nothing was done after the backup',
  )
  .addHelpText('after', example('restore </backups/2026-11-21.inventory'))
  .action(async (path: string, { check = false, exactNumbers = false }: Options) => {
    if (check) return checkFile(path);
    await withOwnersDatabase(async (sql) => {
      await untilBrokenOff('nothing was restored', (signal) =>
        restoreFile(sql, path, { exactNumbers, signal }),
      );
      await printAudit(sql);
    });
  });
