import { minimum } from '@inventory/db/lists/story';
import { one } from '@inventory/domain/examples';
import { invalid } from '@inventory/domain/refusals/refused';
import { type RouteDescription, refusalExample } from '../../http/route-description.ts';

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
