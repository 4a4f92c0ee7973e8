// Of these the operator is the owner of the tables.
const ofOwner = /^(migrate|seed|restore|restored)\b/;

/**
 * A command of the command line, `doctor --json` say, as whoever runs this process would type it. The image
 * and docker-compose.yml say how: INVENTORY_COMMAND is what stands before the command,
 * INVENTORY_OWNER_COMMAND the same for commands of the tables' owner. Without them it is a checkout. /
 */
export function inventoryCommand(command: string): string {
  const { INVENTORY_COMMAND: any, INVENTORY_OWNER_COMMAND: owners } = process.env;
  const before = (ofOwner.test(command) && owners) || any || 'npx -y pnpm@12 inventory';
  return `${before} ${command}`;
}
