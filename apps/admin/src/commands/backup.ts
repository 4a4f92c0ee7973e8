import { writeBackup } from '@inventory/db/backup/backup';
import { messageOf } from '@inventory/process/log/describe-error';
import { Command, InvalidArgumentError } from 'commander';
import { noteMade } from '../backup/note-made.ts';
import { untilBrokenOff } from '../cli/broken-off.ts';
import { withDatabaseAsItIs } from '../cli/database.ts';
import { example, tell } from '../cli/print.ts';
import { createProgress, stepText } from '../cli/progress.ts';
import { writeTarget } from '../cli/write-target.ts';

const target = { what: 'backup', replaces: false, isText: false, makesFolder: true };

export const backup = new Command('backup')
  .description('Write the whole database as of one moment to a file; the service keeps working')
  .argument('<file>', 'a new file; - for standard output')
  .option('--connections <number>', 'how many connections copy at the same time, 1 to 8', parseConnections, 2)
  .addHelpText('after', example('backup >/backups/2026-11-21.inventory'))
  .action(async (path: string, { connections }: { connections: number }) => {
    // Not on standard output, which may be the backup itself.
    const progress = createProgress();
    await untilBrokenOff('no backup was made', (signal) =>
      // Also for the previous version, because operators back up before they migrate.
      withDatabaseAsItIs(async (sql) => {
        const report = (done: number) => progress.show(stepText('rows', done));
        const made = await writeTarget(path, target, (output) =>
          writeBackup(sql, output, { connections, report, signal }),
        ).finally(progress.end);
        const { lot = 0, stock_transaction: transactions = 0 } = made.rows;
        tell(
          `${lot} lots and ${transactions} transactions, ${(made.fileBytes / 1e6).toFixed(1)} MB; a snapshot was held for ${(made.snapshotMs / 1000).toFixed(1)} s`,
        );
        tell(`contains everything that was answered before ${made.header.takenAt}`);
        const takenAt = new Date(made.header.takenAt);
        // The backup is complete, even if this fails.
        const noted = await noteMade(sql, { takenAt, bytes: made.fileBytes, madeBy: 'inventory' }).catch(
          messageOf,
        );
        if (typeof noted === 'string') tell(`not recorded for doctor and the metrics: ${noted}`);
      }),
    );
  });

function parseConnections(text: string): number {
  if (/^[1-8]$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 8.');
}
