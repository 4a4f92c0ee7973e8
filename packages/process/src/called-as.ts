// These commands connect as the owner of the tables.
const ofOwner = /^(migrate|seed|restore|restored)\b/;

/**
 * A command of the command line, such as `doctor --json`, in the form in which the operator types it here.
 * The image and docker-compose.yml set what comes before it: INVENTORY_COMMAND, or INVENTORY_OWNER_COMMAND
 * for commands of the tables' owner. Where neither is set, this is a checkout.
 */
export function inventoryCommand(command: string): string {
  const { INVENTORY_COMMAND: any, INVENTORY_OWNER_COMMAND: owners } = process.env;
  const before = (ofOwner.test(command) && owners) || any || 'npx -y pnpm@12 inventory';
  return `${before} ${command}`;
}
