import { parseArgs } from 'node:util';

type Flag = { about: string; flag: true };
type Value = { about: string; value: string; default?: string };

/** Options by name: `value` is its name in the help, `default` its value when it is not given. */
export type OptionTable = Readonly<Record<string, Flag | Value>>;

type Values<Table extends OptionTable> = {
  [Name in keyof Table]: Table[Name] extends Flag
    ? boolean
    : Table[Name] extends { default: string }
      ? string
      : string | undefined;
};

/**
 * Reads the options of a script of package.json. With --help it prints the script's description and ends the
 * process; an error is one line and exit code 2.
 */
export function readOptions<const Table extends OptionTable>(
  script: string,
  what: string,
  table: Table,
): Values<Table> {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, option]) => [
      name,
      'flag' in option
        ? { type: 'boolean' as const, default: false }
        : { type: 'string' as const, ...(option.default === undefined ? {} : { default: option.default }) },
    ]),
  );
  try {
    // pnpm passes on the `--` that separates its own options.
    const args = process.argv.slice(2).filter((arg) => arg !== '--');
    const { values } = parseArgs({ args, options: { ...options, help: { type: 'boolean' } } });
    if (values.help !== true) return values as Values<Table>;
    process.stdout.write(helpOf(script, what, table));
    process.exit(0);
  } catch (error) {
    if (!String((error as { code?: string }).code).startsWith('ERR_PARSE_ARGS')) throw error;
    process.stderr.write(`error: ${(error as Error).message.split('\n')[0]}; see pnpm ${script} --help\n`);
    process.exit(2);
  }
}

function helpOf(script: string, what: string, table: OptionTable): string {
  const lines = Object.entries(table).map(([name, option]) => {
    const term = 'flag' in option ? `--${name}` : `--${name} <${option.value}>`;
    const usual = 'default' in option && option.default !== '' ? ` (default: ${option.default})` : '';
    return `  ${term.padEnd(24)}  ${option.about}${usual}`;
  });
  const title = lines.length === 0 ? [] : ['', 'Options:', ...lines];
  return [`Usage: pnpm ${script} [options]`, '', what, ...title, ''].join('\n');
}
