import type { Me } from '@inventory/domain/contract/me';
import { one } from '@inventory/domain/examples';
import { kindNames } from '@inventory/domain/kinds/kinds';
import type { RouteDescription } from '../../http/route-description.ts';
import { exampleCursor } from './changes.ts';

const client: Me = {
  clientId: 'demo',
  readOnly: false,
  permissions: [
    { securityID: 11, name: 'Item Master List' },
    { securityID: 15, name: 'Locate/Move Units' },
    { securityID: 88, name: 'Negative Adjustment' },
    { securityID: 95, name: 'Positive Adjustment' },
    { securityID: 116, name: 'Create/Modify Item Master Record' },
  ],
  operations: [
    ...['getMe', 'listActivity', 'listTransactions', 'getTransaction', 'getLot', 'getChanges', 'getWebhooks'],
    ...[
      'listStockAt',
      'getStockDays',
      'listLots',
      'listStockLevels',
      'listWarehouseStockLevels',
      'setMinimum',
      'listWarehouseLots',
      ...kindNames,
      'batch',
    ],
    ...['listItems', 'listAllItems', 'getItem', 'createItem', 'updateItem', 'discontinueItem'],
    ...['listAliases', 'teachAlias', 'removeAlias', 'listReasons', 'scanCodes'],
  ],
  warehouses: [
    { wID: 1, name: 'Main' },
    { wID: 2, name: 'Overflow' },
  ],
  limits: { requestsPerMinute: 100, operationsPerMinute: 30_000, operationsPerBatch: 500, pageSize: 250 },
  tokenExpires: '2026-01-31T10:15:00.000Z',
  serverTime: '2026-01-31T09:15:27.044Z',
  cursor: exampleCursor,
};

export const me: RouteDescription = {
  id: 'getMe',
  notes: `
*Extension.* The client of the token, its current rights, its warehouses and its limits. \`operations\`: the \`operationId\` of every
call of this document that these rights allow, in some warehouse and for some transaction.
\`tokenExpires\`: from then on, the token gets 401. \`serverTime\`: the clock that decides this.
\`cursor\`: for \`after\` of \`GET /Changes\`, to follow what changes from now on.`,
  answer: one('The client of the demo data', client),
};
