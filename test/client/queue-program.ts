import { fileStorage, InventoryClient } from '@inventory/client';

// A scanner's program, to be killed: pushes operations for ever and says which ones are stored.
const [baseUrl, clientId, clientSecret, path, itemID, name] = process.argv.slice(2) as [
  ...[string, string, string, string, string, string],
];
const inventory = new InventoryClient({ baseUrl, clientId, clientSecret });
const queue = inventory.offlineQueue({ storage: fileStorage(path), deviceID: name });
for (let count = 0; ; count++) {
  const reference = `${name}/${process.pid}/${count}`;
  await queue.push({ op: 'receive', itemID, units: 1, wid: 1, reasonCode: 0, reference });
  process.stdout.write(`${reference}\n`);
}
