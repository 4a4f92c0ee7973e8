// These commands connect as the owner of the tables.
const ofOwner = /^(migrate|seed|restore|restored)\b/;
// A file that a command reads or writes: `item import --from <items.csv`, `backup >FILE`.
const fileIn = / ([<>])(\S+)/;

/**
 * A command of the command line, such as `doctor --json`, as the operator must type it here. The image and
 * docker-compose.yml set its beginning: INVENTORY_COMMAND, or INVENTORY_OWNER_COMMAND for commands of the
 * tables' owner. If neither is set, this is a checkout. A file is written with `<` or `>` before its name,
 * because a container sees no file of the operator's, and keeps none: there it is standard input or output.
 */
export function inventoryCommand(command: string): string {
  const { INVENTORY_COMMAND: any, INVENTORY_OWNER_COMMAND: owners } = process.env;
  const before = (ofOwner.test(command) && owners) || any;
  if (before === undefined || before === '') return `./inventory ${command.replace(fileIn, ' $2')}`;
  const [named, way, file] = fileIn.exec(command) ?? [];
  if (named === undefined) return `${before} ${command}`;
  // A terminal in between would change bytes.
  const piped = `${before.replace(' run --rm ', ' run --rm -T ')} ${command.replace(named, ' -')} ${way} ${file}`;
  // As the command itself makes its file: readable by its owner alone, and never in place of another.
  return way === '>' ? `(umask 077; set -C; ${piped})` : piped;
}

/** How to see the free space of the disk of Postgres where the command line does not see that disk. */
export function diskCommand(): string {
  const { INVENTORY_DISK_COMMAND: own } = process.env;
  return own
    ? `look with \`${own}\``
    : `look on Postgres' machine, or run \`${inventoryCommand('doctor --disk /var/lib/postgresql')}\` there, with the folder of its data`;
}
