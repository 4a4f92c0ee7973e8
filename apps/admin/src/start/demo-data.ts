import { createSecret, digestSecret } from '@inventory/auth/secret';
import { addClient, changeClient } from '@inventory/db/access/clients';
import { hasNoWarehouse, hasOtherTransactions, holdsNothingBut } from '@inventory/db/backup/is-untouched';
import { applyBatch } from '@inventory/db/batch/apply-batch';
import { createBatchPool } from '@inventory/db/batch/batch-pool';
import { createPartNumbers } from '@inventory/db/batch/gates';
import { addAlias } from '@inventory/db/catalog/aliases';
import { createItem, drawPartNo } from '@inventory/db/catalog/items';
import { addWarehouse } from '@inventory/db/catalog/warehouses';
import { holdLot } from '@inventory/db/operator/holds';
import { addReason } from '@inventory/db/operator/manage-reasons';
import { setOrderQuantities } from '@inventory/db/operator/order-quantities';
import { readOutcomes } from '@inventory/db/requests/settle';
import type { ItemFields } from '@inventory/domain/contract/item';
import type { Reason } from '@inventory/domain/contract/reason';
import type { ReceiveRequest } from '@inventory/domain/kinds/receive';
import { Permission } from '@inventory/domain/permission';
import { type Sql, violatedUnique } from '@inventory/postgres/pool';
import { CommandError } from '../cli/command-error.ts';

/** The client of the demo data. */
export const demoClientId = 'demo';

const warehouses = [
  { wid: 1, name: 'Main' },
  { wid: 2, name: 'Overflow' },
];

const items: [shortId: string, fields: ItemFields][] = [
  ['WIDGET-100', { description: 'Widget, blue', category: 1, units: 1 }],
  ['WIDGET-200', { description: 'Widget, red', category: 1, units: 1 }],
  [
    'BOLT-M8X40',
    { description: 'Hexagon bolt M8 x 40, zinc plated', category: 2, putUp: 'box of 200', units: 200 },
  ],
  ['CABLE-3G15', { description: 'Cable 3G1.5, black', category: 3, uOM: 'M', putUp: 'drum', units: 500 }],
  [
    'PAINT-WHITE',
    { description: 'Wall paint, white', category: 4, uOM: 'L', putUp: 'bucket of 10', units: 10 },
  ],
  [
    'LABEL-4X6',
    { description: 'Shipping labels, 4 x 6 inches', category: 5, putUp: 'roll of 500', units: 500 },
  ],
  ['TAPE-50', { description: 'Packing tape, 50 mm', category: 5, discontinued: true }],
];

// A second client that the examples can show and change. Its secret is not known.
const scanner = {
  clientId: 'scanner-7',
  permissions: [Permission.ItemMasterList, Permission.PositiveAdjustment],
};

// GTINs, which are found in every code of GS1.
const aliases = [
  { alias: '4006381333931', shortId: 'WIDGET-100' },
  { alias: '04012345123456', shortId: 'PAINT-WHITE' },
];

const reasons: [reasonCode: number, name: string, ...operations: Reason['operations']][] = [
  [1, 'Goods in', 'receive'],
  [2, 'Picked for an order', 'issue'],
  [3, 'Returned by a customer', 'receive'],
  [4, 'Difference found in passing', 'receive', 'issue', 'count'],
  [5, 'Stocktaking', 'count'],
  [7, 'Taken for a kit', 'issue'],
  [9, 'Scrapped', 'issue'],
];

// The request id of each receipt is fixed, so that it cannot be applied twice. It also identifies a database
// with the demo data.
const receipts: [requestId: string, body: Omit<ReceiveRequest, 'reasonCode'>][] = [
  ['00000000-0000-4000-8000-00000000d001', { itemID: 'WIDGET-100', units: 120, wid: 1, spot: 'A-01-1' }],
  ['00000000-0000-4000-8000-00000000d002', { itemID: 'WIDGET-100', units: 80, wid: 2, spot: 'R-07-2' }],
  [
    '00000000-0000-4000-8000-00000000d003',
    { itemID: 'WIDGET-200', units: 40, wid: 1, spot: 'A-01-2', serial: 'W2-0001' },
  ],
  [
    '00000000-0000-4000-8000-00000000d004',
    { itemID: 'BOLT-M8X40', units: 4000, wid: 1, spot: 'B-03-1', price: 0.045 },
  ],
  ['00000000-0000-4000-8000-00000000d005', { itemID: 'CABLE-3G15', units: 412.75, wid: 1, spot: 'C-02-1' }],
  [
    '00000000-0000-4000-8000-00000000d006',
    {
      ...{ itemID: 'PAINT-WHITE', units: 60, wid: 2, spot: 'R-01-1', serial: 'P-77' },
      ...{ expires: '2031-06-30T00:00:00.000Z', price: 4.149, netWeight: 84, supplier: 311 },
      ...{ line: 2, reference: 'PO-77120' },
    },
  ],
  [
    '00000000-0000-4000-8000-00000000d007',
    {
      ...{ itemID: 'PAINT-WHITE', units: 30, wid: 2, spot: 'R-01-2', serial: 'P-78' },
      expires: '2032-01-31T00:00:00.000Z',
    },
  ],
  [
    '00000000-0000-4000-8000-00000000d008',
    { itemID: 'LABEL-4X6', units: 24, wid: 1, spot: 'D-01-1', reference: 'PO-1001' },
  ],
  ['00000000-0000-4000-8000-00000000d009', { itemID: 'WIDGET-100', units: 25, wid: 2, spot: 'R-07-3' }],
];

// The lot of the seventh receipt.
const held = { recNo: 7, reason: 'damaged in transit' };
// Of the 90 units there, 30 are on hold, so this is below its minimum.
const ordered = { shortId: 'PAINT-WHITE', wid: 2, onOrder: '100', committed: '4', minimum: '60' };

/**
 * Adds a few items and lots, and the clients `demo` and `scanner-7` (without known secrets), to a database
 * without warehouses. The examples in help, documentation and the OpenAPI document use this data. Returns
 * whether the database contains the demo data. Completes an interrupted start; leaves other databases
 * unchanged.
 */
export async function addDemoData(sql: Sql): Promise<'added' | 'there' | 'not_ours'> {
  const requests = receipts.map(([requestId]) => ({ requestId, clientId: demoClientId }));
  const received = (await readOutcomes(sql, requests)).size;
  if (received > 0) {
    if (received < receipts.length || (await hasOtherTransactions(sql, received))) return 'there';
    await orderAndHold(sql);
    return 'added';
  }
  if (!(await hasNoWarehouse(sql)) && !(await isUnfinished(sql))) return 'not_ours';

  for (const [shortId, fields] of items) {
    await createItem(sql, await drawPartNo(sql), shortId, fields, demoClientId).catch(ignoreTaken);
  }
  for (const alias of aliases) await addAlias(sql, alias);
  await nameReasons(sql);
  // Before the warehouses: a database with warehouses counts as in use, unless this client shows that they
  // are ours.
  await addClientWithoutSecret(sql, demoClientId, Object.values(Permission));
  for (const warehouse of warehouses) await addWarehouse(sql, warehouse).catch(ignoreTaken);
  await changeClient(sql, demoClientId, { wids: warehouses.map(({ wid }) => wid) });
  await addClientWithoutSecret(sql, scanner.clientId, scanner.permissions);
  await changeClient(sql, scanner.clientId, { wids: [1] });
  await receiveLots(sql);
  await orderAndHold(sql);
  return 'added';
}

async function isUnfinished(sql: Sql): Promise<boolean> {
  return holdsNothingBut(sql, {
    clientId: demoClientId,
    otherClientIds: [scanner.clientId],
    shortIds: items.map(([shortId]) => shortId),
    wids: warehouses.map(({ wid }) => wid),
  });
}

async function nameReasons(sql: Sql): Promise<void> {
  // One that there is keeps its name.
  for (const [reasonCode, name, ...operations] of reasons) {
    await addReason(sql, { reasonCode, name, operations });
  }
}

async function addClientWithoutSecret(sql: Sql, clientId: string, permissions: number[]): Promise<void> {
  await addClient(sql, {
    clientId,
    permissions,
    wids: [],
    readOnly: false,
    rateLimit: null,
    secretDigest: digestSecret(createSecret()),
  }).catch(ignoreTaken);
}

/** The hold comes last: it is a transaction and shows that the demo data is complete. */
async function orderAndHold(sql: Sql): Promise<void> {
  const { shortId, wid, ...quantities } = ordered;
  await setOrderQuantities(sql, { shortId, wid }, quantities);
  await holdLot(sql, held);
}

/** Through the ledger like any receipt, so that levels, lots and entries agree. */
async function receiveLots(sql: Sql): Promise<void> {
  const requests = receipts.map(([requestId, body]) => ({
    requestId,
    clientId: demoClientId,
    deadline: Number.POSITIVE_INFINITY,
    kind: 'receive' as const,
    body: { ...body, reasonCode: 1 },
  }));
  const pool = createBatchPool(sql);
  const outcomes = await applyBatch(pool, requests, createPartNumbers());
  await pool.end({ timeout: 1 });
  const failed = [...outcomes.values()].find(({ status }) => status !== 'applied');
  if (failed !== undefined) throw new CommandError(`the demo data was refused: ${failed.result}`);
}

/** If a row exists already, an interrupted start has added it. */
function ignoreTaken(error: unknown): void {
  if (violatedUnique(error) === null) throw error;
}
