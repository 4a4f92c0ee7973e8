// A scanner on a terminal. Works without a network: what is scanned is stored, and sent when that is possible.
//   WIDGET-100       what is it?
//   +5 WIDGET-100    receive 5        -2 WIDGET-100    issue 2        =7 WIDGET-100    7 were counted
//   !                what waits, what was refused          !!               forget what was refused
import { createInterface } from 'node:readline/promises';
import { setTimeout } from 'node:timers/promises';
import { fileStorage, InventoryClient, InventoryError } from '@inventory/client';

const { BASE_URL: baseUrl, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = process.env;
const { WID = '1', SPOT: spot = 'A-01', DEVICE: deviceID = 's-1', QUEUE = 'scanner.queue' } = process.env;
const wid = Number(WID);
const reasons = { receive: 1, issue: 2, count: 4 };

const inventory = new InventoryClient({ baseUrl, clientId, clientSecret, timeoutMs: 5000 });
const queue = inventory.offlineQueue({ storage: fileStorage(QUEUE), deviceID });

function operationOf(sign, units, itemID) {
  const op = { '+': 'receive', '-': 'issue', '=': 'count' }[sign];
  const amount = op === 'count' ? { counted: units } : { units };
  return { op, itemID, ...amount, wid, spot, reasonCode: reasons[op] };
}

async function look(data) {
  const { results } = await inventory.scan({ scans: [{ data }], wid });
  const [{ matches }] = results;
  if (matches.length === 0) return 'no match';
  return matches
    .map(({ kind, shortID, spot, units }) =>
      [kind, shortID, spot, units].filter((each) => each !== undefined),
    )
    .map((words) => words.join(' '))
    .join('\n');
}

function state() {
  const refused = queue.refused.map(
    ({ operation, error }) => `refused: ${operation.itemID}: ${error.message}`,
  );
  return [`${queue.size} waiting`, ...refused].join('\n');
}

async function run(line) {
  if (line === '!') return state();
  if (line === '!!') {
    for (const { operation } of queue.refused) await queue.forget(operation.key);
    return state();
  }
  const [, sign, units, itemID] = /^([-+=])(\d+(?:\.\d+)?) (.+)$/.exec(line) ?? [];
  if (sign === undefined) return look(line);
  await queue.push(operationOf(sign, units, itemID));
  return `stored, ${queue.size} waiting`;
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line === '') continue;
  try {
    console.log(await run(line));
  } catch (error) {
    if (!(error instanceof InventoryError)) throw error;
    // Other errors, such as one of the disk, say what they are.
    console.log(error.code === 'connection_lost' ? 'no network' : error.message);
  }
}
// The end of the input ends the shift: what waits is sent now, or by the next start.
await Promise.race([queue.drained(), setTimeout(10_000, undefined, { ref: false })]);
console.log(state());
await queue.close();
