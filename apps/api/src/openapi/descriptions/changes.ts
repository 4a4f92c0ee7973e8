import { transaction } from '@inventory/db/lists/story';
import { one } from '@inventory/domain/examples';
import { cursorOutdated } from '@inventory/domain/refusals/conflict';
import { invalid } from '@inventory/domain/refusals/refused';
import { fullLot } from '@inventory/domain/story';
import { type RouteDescription, refusalExample } from '../../http/route-description.ts';

export const exampleCursor = 'AUs5m-EHPXVYnDsAAAAAAAAh';

const receipt = { type: 'stock', ...transaction, lots: [fullLot] };

export const changes: RouteDescription = {
  id: 'getChanges',
  notes: `
*Extension.* Every change in your scope, in the order in which the changes became visible. Once you have a cursor, no change is ever inserted before it,
however late a transaction commits, and none comes twice. A change is

- \`stock\`: an applied stock transaction as in \`GET /Inventory/Transactions\`, with all of its \`lines\` and with its \`lots\` as they are now;
- \`hold\`: a lot that was put on hold or released, as it is now;
- \`item\`: an item that was created or changed, or whose aliases were, as it is now;
- \`level\`: an item's order quantities and its minimum in a warehouse, as they are now;
- \`low\`: \`available\` of an item fell below its minimum in a warehouse (\`low: true\`), or is back (\`false\`). These alternate, and show that moment;
- \`warehouse\`: a warehouse that was renamed;
- \`scope\`: your warehouses have changed since the cursor was given, even if they are the same again. Read the lists again, and go on from this cursor.

There may be more types one day; ignore those that you do not know. Whole records are as they are when the change is read, except for \`low\`, so they may
already show a later change, which then comes, too: set them, never add. A lot that comes into your scope comes whole. One that leaves it stays in its
warehouse with \`active: false\`.

**To keep a copy:** take \`cursor\` from \`GET /Me\`, read all pages of the lists, then call this with \`after\`, and each time again with \`nextCursor\`. The
copy is sure once the first of these calls was answered. Stock levels follow from the lots: \`inStock\` is the sum of their \`units\`, \`onHold\` that of lots on hold.

\`wait\` keeps the call open until something comes, at most 25 s; then an empty \`value\` is the answer. A page may have fewer changes than \`limit\`
although \`hasMore\` is true: an answer has at most 1 MiB, or one change that is larger alone. \`cursors\` has the cursor behind each change of the page.

With \`Accept: text/event-stream\` the same comes as server-sent events: one change each, its \`id\` the cursor behind it. A reader that connects
again sends the last one as \`Last-Event-ID\`. Events end when your token does.

A stream sends changes in pages of at most \`limit\`, and each page counts as a request. If pages follow each other, they are spread over the rest of the
minute, and half of your limit stays free for other calls. At each api, a client may have as many waiting calls and streams at a time as its limit of requests a
minute; one more gets 429.

409: the cursor is from before the database was restored from a backup, or what you had seen may have been lost in a failover. Begin again, with a
new cursor.`,
  answer: one('A receipt', {
    ...{ value: [receipt], nextCursor: exampleCursor, hasMore: false },
    cursors: [exampleCursor],
  }),
  events: one('A receipt', `id: ${exampleCursor}\ndata: ${JSON.stringify(receipt)}\n\n`),
  invalid: {
    cursor: refusalExample(
      'No cursor',
      invalid({ after: ['must be `now` or a cursor that this service has given.'] }),
    ),
  },
  conflict: { outdated: refusalExample('After a restore', cursorOutdated) },
};
