import { defaultLimits, defaultTimes, headBytesMax } from '../http/connections/http-server.ts';
import { batchBytesMax, bodyBytesMax, formBytesMax } from '../http/reading/body.ts';

const { headMs, requestMs, idleMs } = defaultTimes;

/** The introduction that an integrator should read before the first call. */
export const introduction = `
Lots, stock levels, stock transactions and the item catalog of a warehouse inventory.

## In short

1. Get a token: \`POST /Token\` with your client id and secret. It is valid for \`expires_in\` seconds, 3600 when it is new. Get the next
   one when you receive 401.
2. Send it with every other request: \`Authorization: Bearer <token>\`.
3. A client has permissions (numeric security ids), a scope (its warehouses) and may be read-only. They are looked up at
   each request: a change takes effect within a second, without a new token.

## Outcomes

| Status | Meaning |
|---|---|
| 2xx | Applied and durable. |
| 4xx, 5xx | Not applied, and never will be. The only exception has \`outcome: "unknown"\`: 503 when the database, or a standby that it waits for, did not answer in time. Writes of items have it, too. |

Send a transaction with an \`Idempotency-Key\` (*extension*), and you can send it again after a lost connection without
applying it twice: the same key and body return the stored answer, byte for byte, with \`Idempotent-Replayed: true\`, for at
least 7 days. The same key with another body: 409. If you send it twice at the same time, both requests get the same result.

## Order of checks

401 → 429 → read-only 403 → permission 403 → body and query 400 → warehouse scope 403 → item and lot 400 or 404 →
state 409. Nothing is written before the last check.

## Errors

Every error except 429 is an \`Error\` object: \`statusCode\`, \`error\`, \`message\`, and, for \`validation_error\`, \`details\` with **all**
invalid fields and their messages. A \`conflict\` gives the cause in \`reason\` and \`figures\` (*extension*), so programs need not parse
\`message\`.

| \`error\` | Status |
|---|---|
| \`bad_request\` | 400; also 405 (with \`Allow\`), 408, 413, 415 and 431 |
| \`validation_error\` | 400 |
| \`unauthorized\` | 401 |
| \`forbidden\` | 403: \`Account is read-only.\`, \`Insufficient permissions.\` or \`Warehouse is outside the client's authorized scope.\` (also for a warehouse that does not exist) |
| \`not_found\` | 404, also for an unknown path |
| \`conflict\` | 409 |
| \`internal_error\` | 500; 503 with \`Retry-After\` |
| \`not_implemented\` | 501: any path under \`/PurchaseOrder\`, \`/ShippingOrder\`, \`/WorkOrder\` and \`/Report\` |

The body of 429 is only \`{"message": …}\`.

## Limits

- 100 requests per client in a window of 60 s that begins with its first request, unless your client has its own limit.
  \`RateLimit-Policy\` and \`RateLimit\` show what is left; 429 comes with \`Retry-After\` in seconds.
- Batch operations (*extension*): 30,000 per client in such a window, unless your client has its own limit; policy \`operations\` in those headers. A batch
  that exceeds it is refused as a whole with 429.
- If very many requests without a valid token or secret come from one address, their answers may take some seconds. Valid requests never wait for them.
- Bodies: JSON in UTF-8 with \`Content-Type: application/json\`, at most ${bodyBytesMax} bytes; a batch: ${batchBytesMax} bytes;
  the form of \`POST /Token\`: ${formBytesMax} bytes. A compressed body is refused without being read: 415.
- A request that is not complete within ${requestMs / 1000} s of its first byte, or its head within ${headMs / 1000} s: 408. Headers of more than ${headBytesMax / 1024} KB: 431. A request target must be a percent-encoded path or an absolute
  URI (only its path and query count), and Host and Authorization may be sent only once; otherwise 400. The connection ends after these errors.
- A connection takes any number of requests, of which up to ${defaultLimits.pipelinedMax} may be unanswered (pipelined); they are answered in order. It
  ends ${idleMs / 1000} s after its last answer, unless a request comes; a proxy may end it sooner.
- A page has 25 records by default and at most 250. A larger \`pageSize\` is capped, and the answer says so.
- A warehouse holds less than 10^15 units of an item. A transaction that would exceed this: 409.

## Browsers

Pages of the origins that the operator has listed may call the service (CORS); preflights need no token. The token is the only credential:
cookies are neither set nor read.

## Values

- **Quantities** and other decimals are exact JSON numbers with at most 6 decimals. Sums are never rounded, and you can send back
  any value that you received. Readers that use doubles round beyond 15 significant digits, so read decimals with a decimal type.
- **Datetimes** in requests: ISO 8601; UTC if there is no offset. In answers: UTC with milliseconds and \`Z\`.
- Field names are case-sensitive. A field that occurs twice in one object, at any depth: 400 \`bad_request\`. Unknown fields and
  query parameters are ignored, unless you send \`Prefer: handling=strict\` (*extension*): then 400 lists them, at most 20 of an operation, and tells under \`…\` how many more there are. \`null\` for an optional field counts as omitted.
- Codes are case-sensitive: ShortIDs, aliases, spots, serials and RFID tags that differ in case are different, also in look-ups and
  filters.
- Paths are case-sensitive. A query parameter that is given twice, or that is not percent-encoded UTF-8: 400, which also lists all other invalid ones. In a datetime in
  a query, a \`+\` that arrives as a space is understood, and so is a space instead of the \`T\`.

## Lists

Increment \`page\` until \`hasMore\` is false. A page past the end is empty. Every order ends with a unique column, so no record
is on two pages. Empty fields, null or blank, sort last in both directions; text sorts by code point, including \`associate\`.

**To keep a copy of a list:**

1. Read all pages, and keep \`X-Next-Modified-Since\` of the **first** one (*extension*).
2. Next time, use that value as \`modifiedSince\`, read all pages, and again keep the value of the first page.

You will not miss any change: changes made while you read, and changes that are committed later, come next time. You may receive
a record that you already have, so store records by their number. Do not use the time of your own clock or of your last run: a change
has an earlier time than the moment at which it becomes visible. The value is some seconds behind the clock, and it stands still while a change
that began at that time is still open. After the service was restored from a backup, start again with the first step: data that was lost
does not count as changed.

A record counts as modified when any value that it shows has changed: a lot also when the description of its item changes, a
stock level also when the item's quantities change in any of its warehouses.

Read in the default order and without filters except \`modifiedSince\`. If a record leaves the list while you read it (\`inStock=true\`, or
\`/Item\`, which leaves out discontinued items) or changes its place, other records move to pages that you have already read. For items, use
\`/Item/All\`. Lots never leave \`/Inventory\`. When your warehouses change, start again: a record that comes into your scope does not count as modified.
`.trim();

/** The description of each group of operations. */
export const tags = [
  { name: 'Token', description: 'Access tokens' },
  { name: 'Me', description: 'The client itself' },
  { name: 'Inventory', description: 'Lots, stock levels and stock transactions' },
  { name: 'Item', description: 'The item catalog' },
  { name: 'Reasons', description: 'The names of reason codes' },
  { name: 'Changes', description: 'The change feed' },
  { name: 'Scan', description: 'Codes that a scanner read' },
  { name: 'Webhooks', description: 'Messages about changes' },
];
