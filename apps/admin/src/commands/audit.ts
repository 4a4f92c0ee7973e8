import { Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { example } from '../cli/print.ts';
import { printAudit } from '../cli/print-audit.ts';

export const audit = new Command('audit')
  .description('Check that lots, levels, counts and ledger agree; the service keeps working')
  .addHelpText('after', example('audit'))
  .action(() => withDatabase(printAudit));
