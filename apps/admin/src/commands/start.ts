import { unknownSettingsLine } from '@inventory/process/settings/unknown-settings';
import { Command } from 'commander';
import { CommandError } from '../cli/command-error.ts';
import { environmentBesideFile } from '../cli/env-file.ts';
import { example, print, tell } from '../cli/print.ts';

export const start = new Command('start')
  .description('Run the whole service on this machine, with Postgres and Redis unless they are given')
  .option('--restore <file>', 'begin with a backup instead of the demo data; the database must be empty')
  .option('--no-demo', 'no demo data and no demo client')
  .option('--yes', 'add the demo data to the database of DATABASE_URL too, if it is empty')
  .option('--watch', 'start the API or the worker again whenever its code is saved')
  .addHelpText(
    'after',
    `\nIf DATABASE_URL or REDIS_URL is set, start uses that server instead of its own.\nPORT (3000; 0: any free one) and HOST (127.0.0.1): where the API answers.\nThese and all other settings (.env.example) can be in a file .env in this folder.\n${example('start', 'start --restore /backups/2026-11-21.inventory')}`,
  )
  .action(
    async ({ restore, demo, yes, watch }: { restore?: string; demo: boolean; yes?: true; watch?: true }) => {
      const stop = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
      // Loaded only now: other commands need not wait for it, and the image does not contain
      // @inventory/local.
      const { watchLaunchers } = await import('../start/launchers.ts');
      const { runService } = await import('../start/run-service.ts');
      watchLaunchers(() => stop.abort());
      const unknown = unknownSettingsLine(environmentBesideFile());
      if (unknown !== null) tell(`warning: ${unknown}`);
      try {
        await runService(stop.signal, {
          backupFile: restore ?? null,
          demo,
          yes: yes ?? false,
          watch: watch ?? false,
        });
      } catch (error) {
        // It was stopped while it was starting, so its errors do not matter.
        if (!stop.signal.aborted) throw await explain(error);
        process.exitCode = 1;
      }
      if (stop.signal.aborted) print('stopped');
    },
  );

/** An error of the local stack becomes one line for the operator. Other errors do not change. */
async function explain(error: unknown): Promise<unknown> {
  const { LocalStackError } = await import('@inventory/local/local-stack-error');
  return error instanceof LocalStackError ? new CommandError(error.message) : error;
}
