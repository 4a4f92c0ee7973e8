// These commands connect as the owner of the tables.
const ofOwner = /^(migrate|seed|restore|restored)\b/;

/**
 * A command of the command line, such as `doctor --json`, as the operator must type it here. The image and
 * docker-compose.yml set its beginning: INVENTORY_COMMAND, or INVENTORY_OWNER_COMMAND for commands of the
 * tables' owner. If neither is set, this is a checkout.
 */
export function inventoryCommand(command: string): string {
  const { INVENTORY_COMMAND: any, INVENTORY_OWNER_COMMAND: owners } = process.env;
  const before = (ofOwner.test(command) && owners) || any || 'npx -y pnpm@12 inventory';
  return `${before} ${command}`;
}
