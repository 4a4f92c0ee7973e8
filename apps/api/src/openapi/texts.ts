import { batchBytesMax, bodyBytesMax, formBytesMax } from '../body.ts';

/** The introduction that an integrator should read before the first call. */
export const introduction = `
Lots, stock levels, stock transactions and the item catalog of a warehouse inventory.

## In short

1. Get a token: \`POST /Token\` with your client id and secret. It lives for \`expires_in\` seconds, 3600 when it is new; fetch the next
   one when you get 401.
2. Send it with every other request: \`Authorization: Bearer <token>\`.
3. A client has permissions (numeric security ids), a scope (its warehouses) and may be read-only. They are looked up at
   each request: a change bites within a second, with no new token.

## Outcomes

| Status | Meaning |
|---|---|
| 2xx | Applied and durable. |
| 4xx, 5xx | Not applied, and never will be. The one exception says so in \`message\` (503: the database, or a standby it waits for, did not answer for the whole wait); writes of items have it too. |

Send a transaction with an \`Idempotency-Key\` (*extension*) and you can send it again after a lost connection without
applying it twice: the same key and body give the stored answer, byte for byte, with \`Idempotent-Replayed: true\`, for at
least 7 days. The same key with another body: 409. Sent twice at once, both get the one result.

## Order of checks

401 → 429 → read-only 403 → permission 403 → body and query 400 → warehouse scope 403 → item and lot 400 or 404 →
state 409. Nothing is written before the last check.

## Errors

Every error but 429 is an \`Error\` object: \`statusCode\`, \`error\`, \`message\`, and \`details\` with \`validation_error\`: **all**
offending fields, each with its messages. A \`conflict\` says in \`reason\` and \`figures\` (*extension*) what stood in the way, so no program has to read
\`message\`.

| \`error\` | Status |
|---|---|
| \`bad_request\` | 400; 405 (with \`Allow\`), 408, 413, 415 and 431 as well |
| \`validation_error\` | 400 |
| \`unauthorized\` | 401 |
| \`forbidden\` | 403: \`Account is read-only.\`, \`Insufficient permissions.\` or \`Warehouse is outside the client's authorized scope.\` (also for a warehouse that does not exist) |
| \`not_found\` | 404, an unknown path too |
| \`conflict\` | 409 |
| \`internal_error\` | 500; 503 with \`Retry-After\` |
| \`not_implemented\` | 501: any path under \`/PurchaseOrder\`, \`/ShippingOrder\`, \`/WorkOrder\` and \`/Report\` |

429 has the body \`{"message": …}\` only.

## Limits

- 100 requests per client in a window of 60 s, which begins with its first request, unless your client has a limit of its own.
  \`RateLimit-Policy\` and \`RateLimit\` say what is left; 429 comes with \`Retry-After\` in seconds.
- Operations of batches (*extension*): 30,000 per client in such a window, unless it has a limit of its own; policy \`operations\` of those headers. A batch
  that has no room gets 429 whole.
- Refusals for want of a right token or secret may take some seconds when very many come from one address. Right ones never wait for them.
- Bodies: JSON in UTF-8 with \`Content-Type: application/json\`, at most ${bodyBytesMax} bytes, a batch ${batchBytesMax};
  the form of \`POST /Token\` at most ${formBytesMax}. A compressed body is refused unread: 415.
- A body that is not whole within 10 s: 408. Headers of more than 16 KB: 431. A request target is a path, percent-encoded, or an absolute
  URI, of which only path and query count; Host and Authorization are sent once: else 400. After these the connection ends.
- A connection takes 10,000 requests, the last answer says \`Connection: close\`; of requests sent ahead of their answers it takes 32 at a
  time, and answers one after the other. One without a request ends after 75 s.
- A page has 25 records unless asked otherwise, at most 250; a larger \`pageSize\` is capped and the answer says so.
- A warehouse holds less than 10^15 units of an item; a transaction that would pass that: 409.

## Browsers

Pages of origins that the operator has named may call the service (CORS); preflights need no token. The token is the only credential:
cookies are neither set nor read.

## Values

- **Quantities** and other decimals are JSON numbers and exact end to end, with at most 6 digits after the point; sums never round, and what
  an answer shows can be sent back as it stands. Beyond 15 significant digits a reader that uses doubles rounds: read them with a decimal type.
- **Datetimes** in: ISO 8601, UTC when they have no offset. Out: UTC with milliseconds and \`Z\`.
- Field names are case-sensitive. A field given twice in one object, at any depth: 400 \`bad_request\`. Unknown fields and
  query parameters are ignored, unless you send \`Prefer: handling=strict\` (*extension*): then 400 names every one of them. \`null\` for an optional field counts as omitted.
- Codes are case-sensitive: ShortIDs, aliases, spots, serials and RFID tags that differ in case are different, to look-ups and
  filters, too.
- Paths are case-sensitive. A query parameter that is given twice: 400, which names it beside all other offending ones. In a datetime of
  a query a \`+\` that arrives as a space is understood, and a space for the \`T\`.

## Lists

Increment \`page\` until \`hasMore\` is false. A page past the end is empty. Every order ends in a unique column, so no record
is on two pages. Empty fields, null or blank, sort last in both directions; text sorts by code point, \`associate\` too.

**To keep a copy of a list:**

1. Walk all pages, and keep \`X-Next-Modified-Since\` of the **first** one (*extension*).
2. Next time ask for \`modifiedSince\` that value, walk all pages of that, and keep the value of its first page again.

Then nothing is missed: changes made during your walk, and those that were being written and are committed later, come next time. A record
may come again that you have as it is, so put records in by their number. The time of your own clock, or of your last run, is no such
value: a change is of a moment before it can be seen. The value lies some seconds behind the clock; it stands still while a change
that was begun then is not complete. After the service was restored from a backup begin anew with the first step: what was lost there has
not changed since.

A record counts as modified whenever anything that it shows has changed: a lot also when the description of its item has, a
stock level when its item's quantities have in any warehouse that it is a sum of.

Walk in the default order and without filters other than \`modifiedSince\`: while a record leaves a list that you walk (\`inStock=true\`, or
\`/Item\`, which holds no discontinued items) or changes its place in it, others move to pages that you have read. For items that is
\`/Item/All\`. Lots never leave \`/Inventory\`. When your warehouses change, begin anew: a record that comes into your scope does not count as modified.
`.trim();

/** Explains dry runs. */
export const dryRun = `

*Extension:* \`dryRun: true\` gives the answer of the real call, decided by the same code on what is there at that moment, with \`dryRun: true\`, and with \`transactionNo\` and the
numbers of new lots null; the real call says \`dryRun: false\`. Nothing is stored, no \`Idempotency-Key\` is used, no number drawn.`;

/** Further text for dry runs of moves and issues. */
export const skipped =
  ' Beside the answer `skipped` says which lots of the item in the warehouse are not taken, and why.';

/** Which lots a move and an issue take, and in which order. */
export const allocation = `
**Which lots are taken:** those that are active, in stock, not on hold and match every filter given. **Order of allocation:**
the earliest expiry first, lots without one after those, expired ones last; then the oldest receipt; then the lowest \`recNo\`. All
of the units are taken or none: too little stock is 409 with the asked and the available figure, and with what is on hold or expired
beside it. So is a lot named by \`recno\` that does not match the other filters, with their names. A \`recno\` that is unknown, or of
another item or warehouse: 400. One transaction takes at most 1,000 lots, and looks at 10,000 to find those that match, by all
fields that are named together: 409 beyond.`;

/** The description of each group of operations. */
export const tags = [
  { name: 'Token', description: 'Access tokens' },
  { name: 'Me', description: 'The client itself' },
  { name: 'Inventory', description: 'Lots, stock levels and stock transactions' },
  { name: 'Item', description: 'The item catalog' },
];
