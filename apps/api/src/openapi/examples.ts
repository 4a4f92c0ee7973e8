import type { IssueAnswer, IssueRequest } from '@inventory/domain/contract/issue';
import type { Item, ItemRequest } from '@inventory/domain/contract/item';
import type { Lot } from '@inventory/domain/contract/lot';
import type { MoveAnswer, MoveRequest } from '@inventory/domain/contract/move';
import type { ReceiveAnswer, ReceiveRequest } from '@inventory/domain/contract/receive';
import type { StockLevel } from '@inventory/domain/contract/stock-level';
import { type Paging, pagingOf } from '@inventory/paging/page-envelope';
import type { z } from 'zod';
import type { TokenAnswer, TokenRequest } from './error-schemas.ts';

// One story: 40 cables come in, 15 move to another warehouse, 12.5 go out.

/** Named examples of one body or answer. */
export type Examples = Record<string, { summary: string; value: unknown }>;

const item: Item = {
  partNo: 1042,
  shortID: 'CBL-2M',
  description: 'Cable, 2 m',
  category: 7,
  subCategory: 0,
  uOM: 'EA',
  putUp: 'Bag of 5',
  units: 5,
  dfltOwner: 0,
  created: '2026-01-05T08:30:00.000Z',
  createdBy: 'erp',
  modified: '2026-01-20T14:02:11.318Z',
  discontinued: false,
};

const lot: Lot = {
  recNo: 90211,
  partNo: 1042,
  shortID: 'CBL-2M',
  description: 'Cable, 2 m',
  associate: '',
  warehouse: 'Main',
  wID: 1,
  spot: 'A-01-3',
  units: 40,
  received: '2026-01-31T09:15:27.044Z',
  shipped: null,
  serial: 'B2026-014',
  serial2: null,
  rFIDTag: null,
  remark: '',
  hold: false,
  jobID: 0,
  jobName: null,
  active: true,
};

const level: StockLevel = {
  partNo: 1042,
  available: 33.5,
  inStock: 40,
  onOrder: 100,
  onHold: 2.5,
  committed: 4,
  packed: 0,
  aSN: 0,
};

function page<R>(record: R): { value: R[] } & Paging {
  return { value: [record], ...pagingOf({ page: 1, pageSize: 25 }, 1) };
}

const receiveRequest: ReceiveRequest = { itemID: 'CBL-2M', units: 40, wid: 1, reasonCode: 3 };
const fullReceiveRequest: ReceiveRequest = {
  ...receiveRequest,
  spot: 'A-01-3',
  serial: 'B2026-014',
  reference: 'PO-77120',
  netWeight: 3.25,
  price: 1.149,
  expires: '2028-12-31',
  supplier: 311,
  line: 2,
};
const receiveAnswer: z.infer<typeof ReceiveAnswer> = {
  recNo: lot.recNo,
  status: 'received',
  transactionNo: 50118,
  lot,
};

const moveRequest: MoveRequest = { itemID: 'CBL-2M', units: 15, wid: 1, shipToWid: 2, toSpot: 'DOCK' };
const spotMoveRequest: MoveRequest = {
  itemID: 'CBL-2M',
  units: 40,
  wid: 1,
  fromSpot: 'A-01-3',
  toSpot: 'B-07-1',
};
const moveAnswer: z.infer<typeof MoveAnswer> = {
  recNo: 90212,
  status: 'moved',
  transactionNo: 50119,
  units: 15,
  lots: [{ recNo: 90212, fromRecNo: 90211, units: 15, remaining: 25, wID: 2, spot: 'DOCK' }],
};
const spotMoveAnswer: z.infer<typeof MoveAnswer> = {
  recNo: 90211,
  status: 'moved',
  transactionNo: 50119,
  units: 40,
  lots: [{ recNo: 90211, fromRecNo: 90211, units: 40, remaining: 0, wID: 1, spot: 'B-07-1' }],
};

const issueRequest: IssueRequest = { itemID: 'CBL-2M', units: 12.5, wid: 1, reasonCode: 9 };
const lotIssueRequest: IssueRequest = { ...issueRequest, recno: 90211, shipto: 5512, reference: 'SO-4471' };
const issueAnswer: z.infer<typeof IssueAnswer> = {
  recNo: 90187,
  status: 'issued',
  transactionNo: 50120,
  units: 12.5,
  lots: [
    { recNo: 90187, units: 2.5, remaining: 0 },
    { recNo: 90211, units: 10, remaining: 15 },
  ],
};

const createRequest: ItemRequest = {
  shortID: 'CBL-2M',
  description: 'Cable, 2 m',
  uOM: 'EA',
  category: 7,
  putUp: 'Bag of 5',
};
const createAnswer: Item & { status: 'created' } = { ...item, status: 'created' };

const tokenRequest: TokenRequest = {
  grant_type: 'client_credentials',
  client_id: 'erp',
  client_secret: '<client secret>',
};
const tokenAnswer: TokenAnswer = {
  access_token: 'eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ.eyJzdWIiOiJlcnAifQ.c2lnbmF0dXJl',
  token_type: 'bearer',
  expires_in: 3600,
};

const one = (summary: string, value: unknown): Examples => ({ example: { summary, value } });

/** Examples of request bodies, by method and path. */
export const bodyExamples: Record<string, Examples> = {
  'POST /Inventory/Receive': {
    least: { summary: 'Only what is required', value: receiveRequest },
    full: { summary: 'Against a purchase order, with a serial and an expiry', value: fullReceiveRequest },
  },
  'POST /Inventory/Move': {
    warehouse: { summary: 'To another warehouse', value: moveRequest },
    spot: { summary: 'To another spot of the warehouse', value: spotMoveRequest },
  },
  'POST /Inventory/Issue': {
    least: { summary: 'From whichever lots come first', value: issueRequest },
    lot: { summary: 'From one lot', value: lotIssueRequest },
  },
  'POST /Item': {
    usual: { summary: 'What is commonly sent', value: createRequest },
    least: { summary: 'Only what is required', value: { shortID: 'CBL-2M' } satisfies ItemRequest },
  },
  'PUT /Item': {
    change: {
      summary: 'A new description; the rest stays',
      value: { shortID: 'CBL-2M', description: 'Cable, 2 m, black' } satisfies ItemRequest,
    },
    reactivate: {
      summary: 'Reactivate a discontinued item',
      value: { shortID: 'CBL-2M', discontinued: false } satisfies ItemRequest,
    },
  },
  'POST /Token': one('Client credentials in the form', tokenRequest),
};

const lots = one('One lot', page(lot));
const levels = one('One item', page(level));

/** Examples of the answer of success, by method and path. */
export const answerExamples: Record<string, Examples> = {
  'GET /Inventory': lots,
  'GET /Inventory/:wid': lots,
  'GET /Inventory/StockLevels': levels,
  'GET /Inventory/StockLevels/:wid': levels,
  'POST /Inventory/Receive': one('Received', receiveAnswer),
  'POST /Inventory/Move': {
    warehouse: { summary: 'Part of a lot, to another warehouse: a new lot there', value: moveAnswer },
    spot: { summary: 'A whole lot inside its warehouse: it keeps its recNo', value: spotMoveAnswer },
  },
  'POST /Inventory/Issue': one('From two lots; the first is used up and shipped', issueAnswer),
  'GET /Item': {
    page: { summary: 'The list', value: page(item) },
    item: { summary: 'With `key` and `type`', value: item },
    category: { summary: 'With `Category`', value: [item] },
  },
  'GET /Item/All': one('One item', page(item)),
  'GET /Item/:partNo': one('The item', item),
  'POST /Item': one('Created', createAnswer),
  'PUT /Item': one('Updated', { shortID: 'CBL-2M', status: 'updated' }),
  'DELETE /Item/:shortID': one('Discontinued', { shortID: 'CBL-2M', status: 'discontinued' }),
  'POST /Token': one('A token for an hour', tokenAnswer),
};
