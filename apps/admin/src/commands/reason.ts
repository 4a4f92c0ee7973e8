import {
  addReason,
  changeReason,
  enforceReasons,
  type GivenReason,
  importReasons,
  listReasons,
  readEnforcement,
  reasonsMax,
  removeReason,
} from '@inventory/db/operator/manage-reasons';
import { findUnlistedReasons } from '@inventory/db/operator/unlisted-reasons';
import { type Reason, reasonedNames } from '@inventory/domain/contract/reason';
import type { Sql } from '@inventory/postgres/pool';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { parseCode, parseNewName } from '../cli/arguments.ts';
import { CommandError } from '../cli/command-error.ts';
import type { BadRow, CsvRow } from '../cli/csv.ts';
import { withDatabase } from '../cli/database.ts';
import { importCommand, readCells } from '../cli/import.ts';
import { example, print, printJson, tell } from '../cli/print.ts';
import { printTable } from '../cli/table.ts';

type Operations = Reason['operations'];

const all = [...reasonedNames] as Operations;

/** Operations, separated by commas or blanks; at least one. In the order of the service, each once. */
function parseOperations(text: string): Operations {
  const asked = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((part) => part !== '');
  const known = all.filter((name) => asked.includes(name));
  if (asked.length > 0 && asked.every((part) => known.includes(part as Operations[number]))) return known;
  throw new InvalidArgumentError(`An operation is one of ${all.join(', ')}.`);
}

const operationsHelp = 'the operations for which it is meant, separated by commas';

export const reasonAdd = new Command('add')
  .description('Add the name of a reason code')
  .requiredOption('--code <number>', 'the code', parseCode)
  .requiredOption('--name <name>', 'its name', parseNewName)
  .option('--operations <names>', operationsHelp, parseOperations, all)
  .addHelpText('after', example('reason add --code 21 --name "Expired" --operations issue,count'))
  .action(async ({ code, name, operations }: { code: number; name: string; operations: Operations }) => {
    await withDatabase(async (sql) => {
      const outcome = await addReason(sql, { reasonCode: code, name, operations });
      if (outcome === 'taken') throw new CommandError(`reason ${code} already exists`);
      if (outcome === 'tooMany')
        throw new CommandError(`there are ${reasonsMax} reasons, the most there may be`);
      print(`added reason ${code} ${name}, for ${operations.join(', ')}`);
    });
  });

export const reasonSet = new Command('set')
  .description('Change the name of a reason, or its operations')
  .requiredOption('--code <number>', 'the code', parseCode)
  .option('--name <name>', 'its new name', parseNewName)
  .option('--operations <names>', operationsHelp, parseOperations)
  .addHelpText('after', example('reason set --code 4 --name "Damaged in the hall"'))
  .action(async ({ code, ...given }: { code: number; name?: string; operations?: Operations }) => {
    if (given.name === undefined && given.operations === undefined) {
      throw new CommandError('nothing to change: give --name or --operations', 2);
    }
    await withDatabase(async (sql) => {
      if (!(await changeReason(sql, { reasonCode: code, ...given }))) throw new CommandError(unknown(code));
      print(`changed reason ${code}`);
      await warnOfRefused(sql);
    });
  });

export const reasonRemove = new Command('remove')
  .description('Remove the name of a reason code; transactions keep the code')
  .requiredOption('--code <number>', 'the code', parseCode)
  .addHelpText('after', example('reason remove --code 7'))
  .action(async ({ code }: { code: number }) => {
    await withDatabase(async (sql) => {
      const name = await removeReason(sql, code);
      if (name === null) throw new CommandError(unknown(code));
      print(`removed reason ${code} ${name}`);
      await warnOfRefused(sql);
    });
  });

/** Warns of operations that have no reason while others are refused: all of them are. */
async function warnOfRefused(sql: Sql): Promise<void> {
  if ((await readEnforcement(sql)) !== null) await warnOfUnreasoned(sql);
}

async function warnOfUnreasoned(sql: Sql): Promise<void> {
  const reasons = await listReasons(sql);
  const without = all.filter((name) => !reasons.some(({ operations }) => operations.includes(name)));
  if (without.length > 0) tell(`warning: no reason is listed for ${without.join(', ')}: all are refused`);
}

const unknown = (code: number) => `there is no reason ${code}`;

export const reasonList = new Command('list')
  .description('List the reasons that have names')
  .option('--json', 'print one line of JSON')
  .addHelpText('after', example('reason list'))
  .action(async ({ json }: { json?: true }) => {
    await withDatabase(async (sql) => {
      const reasons = await listReasons(sql);
      if (json) return printJson(reasons);
      printTable(
        ['code', 'name', 'operations'],
        reasons.map(({ reasonCode, name, operations }) => [reasonCode, name, operations.join(', ')]),
      );
      const since = await readEnforcement(sql);
      if (since !== null) print(`other reasons are refused since ${since.toISOString()}`);
    });
  });

export const reasonEnforce = new Command('enforce')
  .description('Set whether reason codes that are not listed for an operation are refused')
  .addArgument(new Argument('<state>', 'on: refuse them; off: take any').choices(['on', 'off']))
  .addHelpText(
    'after',
    `\nWorkers of a version without reasons take any code, so switch it on once all are replaced.\n${example('reason enforce off')}`,
  )
  .action(async (state: 'on' | 'off') => {
    await withDatabase(async (sql) => {
      const isOn = state === 'on';
      // Before the first request is refused.
      if (isOn) {
        await warnOfUnreasoned(sql);
        await warnOfUnlisted(sql);
      }
      const isNew = await enforceReasons(sql, isOn);
      const what = isOn ? 'reasons that are not listed are refused' : 'any reason is taken';
      print(isNew ? `${what} from now on` : `${what} already`);
    });
  });

const unlistedShown = 20;

/** Warns of codes that callers sent lately and that would be refused. */
async function warnOfUnlisted(sql: Sql): Promise<void> {
  const found = await findUnlistedReasons(sql);
  if (found.length === 0) return;
  const codes = found
    .slice(0, unlistedShown)
    .map(({ reasonCode, operations }) => `${reasonCode} (${operations.join(', ')})`);
  const more = found.length > unlistedShown ? `, and ${found.length - unlistedShown} more` : '';
  tell(`warning: in use lately, and not listed: ${codes.join(', ')}${more}`);
}

export const reasonImport = importCommand({
  description: 'Add the reasons in a file, and change those that exist',
  counts: 'added, changed, unchanged',
  columnsHelp: `Columns: reasonCode, name, and operations, which are separated by blanks or commas. Without operations, a new reason is meant for all, and
an existing one keeps its own.`,
  examples: ['reason import --from <reasons.csv'],
  columns: { reasonCode: 'required', name: 'required', operations: 'optional' },
  read: readReason,
  key: ['reasonCode', ({ reasonCode }) => String(reasonCode)],
  what: 'reasons',
  apply: async (sql, reasons, { take }) => {
    const imported = await importReasons(sql, reasons, { take, byDefault: all });
    await warnOfRefused(sql);
    return imported;
  },
});

/** Returns a reason, or the faults of the row. */
function readReason(row: CsvRow): GivenReason | BadRow[] {
  const { bad, read } = readCells(row);
  const operations = row.cells.get('operations')?.trim() || null;
  const reason = {
    line: row.line,
    reasonCode: read('reasonCode', parseCode),
    name: read('name', parseNewName),
    operations: operations === null ? null : read('operations', parseOperations),
  };
  return bad.length > 0 ? bad : reason;
}
