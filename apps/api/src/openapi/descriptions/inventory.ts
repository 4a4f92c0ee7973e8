import { invalid } from '@inventory/domain/refusals/refused';
import { fullLot, lot } from '@inventory/domain/story';
import { type Examples, one, type RouteDescription, refusalExample } from '../../http/route-description.ts';
import { fullLevel, level, minimum, page } from '../story.ts';

const lotNotes = `
Most recent first (\`received\`, then \`recNo\`, both descending) unless sorted otherwise. Contains all lots, including shipped ones, so that
a synchronization notices them; *extension*: \`inStock=true\` leaves them out. A lot emptied by a move to
another warehouse is shipped, too. \`jobName\` is null: names of jobs are not stored here.`;

const lotAnswer: Examples = {
  example: { summary: 'One lot', value: page(lot) },
  full: { summary: 'With `?view=full`', value: page(fullLot) },
};

export const lots: RouteDescription = {
  id: 'listLots',
  notes: `${lotNotes}\n\nOnly warehouses in the client's scope.`,
  answer: lotAnswer,
};

export const warehouseLots: RouteDescription = {
  id: 'listWarehouseLots',
  notes: lotNotes,
  answer: lotAnswer,
};

const levelNotes = `
One record for each item that ever had stock, an order quantity or a minimum, by \`partNo\` unless sorted otherwise.
\`available = inStock − onHold − committed − packed\`; it may be negative. Expired units count in it: an Issue of everything
available is refused if some of it has expired. *Extension:* \`belowMinimum=true\` lists only items that are below
their minimum in at least one of the warehouses, \`false\` only those that are below it in none.`;

const levelAnswer: Examples = {
  example: { summary: 'One item', value: page(level) },
  full: { summary: 'With `?view=full`', value: page(fullLevel) },
};

export const stockLevels: RouteDescription = {
  id: 'listStockLevels',
  notes: `${levelNotes}\n\nSums over the warehouses in the client's scope.`,
  answer: levelAnswer,
};

export const warehouseStockLevels: RouteDescription = {
  id: 'listWarehouseStockLevels',
  notes: levelNotes,
  answer: levelAnswer,
};

export const setMinimum: RouteDescription = {
  id: 'setMinimum',
  notes: `*Extension.* The units that should be \`available\` of an item in a warehouse: \`low\` if there are fewer. \`null\` removes the minimum.
The change feed has a \`low\` change when \`available\` falls below the minimum, and another when it has recovered. The call may be repeated.
A minimum stops no transaction: an Issue can still take all there is.`,
  body: {
    set: { summary: '60 units', value: { minimum: minimum.minimum } },
    remove: { summary: 'No minimum', value: { minimum: null } },
  },
  answer: {
    set: { summary: 'Fewer are available', value: minimum },
    remove: { summary: 'Removed', value: { ...minimum, minimum: null, low: false } },
  },
  invalid: {
    fields: refusalExample('Below zero', invalid({ minimum: ['must not be negative.'] })),
  },
};

export const stockAt: RouteDescription = {
  id: 'listStockAt',
  notes: `*Extension.* The units in stock at the end of a moment, from the ledger: every transaction up to that moment counts, and none
after it. By \`partNo\`: one record for each item that has a stock level now, with 0 if there was no stock. Summed over the warehouses in the
client's scope, or in one. The answer for a moment never changes: a call for the last two seconds waits until they are over, and gets 503
while a change stays open for long. A moment in the future: 400. Lists for moments long ago take longer, and take turns with other costly lists.`,
  answer: one(
    'With `?time=2026-01-31`, before the stock of the demo came',
    page({ partNo: 5, shortID: 'PAINT-WHITE', description: 'Wall paint, white', inStock: 0 }),
  ),
};

export const stockDays: RouteDescription = {
  id: 'getStockDays',
  notes: `*Extension.* One record for each day of UTC, up to 366 days, from the ledger. \`inStock\` is the stock at the end of the day: that of the day
before, plus \`received\`, \`movedIn\` and \`counted\`, less \`issued\` and \`movedOut\`. A reversal counts as less of what it undid, on its own day. Over
several warehouses, moves between them change nothing. Days that are over never change; today is told as far as it went, and
later days are left out.`,
  answer: one('With `?partNo=5&from=2026-01-31&to=2026-01-31`, before the stock of the demo came', {
    value: [{ day: '2026-01-31', received: 0, issued: 0, movedIn: 0, movedOut: 0, counted: 0, inStock: 0 }],
  }),
};
