// Made from the OpenAPI document. Write it anew with: npx -y pnpm@12 test client/types -u

export interface paths {
    "/Token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Obtain an access token
         * @description OAuth 2.0 client credentials (RFC 6749, 4.4). The client id and secret are sent in the form or by HTTP Basic, not both. An unknown id and a wrong secret get the same answer. Wrong secrets are limited to ten in a window of 60 s, for an address and for a client id. A right secret always gets a token, whatever wrong ones came before. Within a minute it gets the same token again, with the remaining lifetime in `expires_in`. The token carries no rights: they are looked up at each request.
         */
        post: operations["getToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The client itself: its permissions, scope and limits
         * @description *Extension.* The client of the token, its current rights, its warehouses and its limits. `operations`: the `operationId` of every
         *     call of this document that these rights allow, in some warehouse and for some transaction.
         *     `tokenExpires`: from then on, the token gets 401. `serverTime`: the clock that decides this.
         *     `cursor`: for `after` of `GET /Changes`, to follow what changes from now on.
         *
         *     **Permission:** none; a token is enough. **Reads:** open to read-only clients.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/Activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many transactions of each kind each client made, by hour or day
         * @description *Extension.* One record for each hour or day of UTC, kind and client that has any applied transaction in scope, in this order. By the
         *     time in the ledger, at most 31 days by hour or 366 by day. It reads all of these transactions, so it takes a turn as a costly list.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients.
         */
        get: operations["listActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/Transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List applied stock transactions that touched a warehouse in scope, newest first
         * @description *Extension.* Newest first: by `transactionNo`, descending.
         *     An applied receipt, move, issue, count, reversal or hold that touched a warehouse in scope; lines in other warehouses are left out. `balance`: the
         *     units of the lot after the line. In a list, a transaction shows its first 100 lines, or fewer in a page whose lines would take more than 2 MiB; if `moreLines` is true, get the transaction by number to see all. A device's notes (`capturedAt`, by its own clock) are evidence; `at` is the time that counts. All filters must match. `wid` out of scope: 403. With
         *     `modifiedSince`, a transaction counts as modified when it is reversed, because `reversedBy` changes.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients. **Scope:** a warehouse outside the scope of the client gets 403, one that does not exist too.
         */
        get: operations["listTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/Transactions/{transactionNo}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one applied stock transaction
         * @description *Extension.*
         *     An applied receipt, move, issue, count, reversal or hold that touched a warehouse in scope; lines in other warehouses are left out. `balance`: the
         *     units of the lot after the line. In a list, a transaction shows its first 100 lines, or fewer in a page whose lines would take more than 2 MiB; if `moreLines` is true, get the transaction by number to see all. A device's notes (`capturedAt`, by its own clock) are evidence; `at` is the time that counts. A transaction that was never applied or is out of scope: 404.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients.
         */
        get: operations["getTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/Lots/{recNo}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one lot with all stored values and its history
         * @description *Extension.* The lot with all values stored since its receipt, as in lists with `view=full`, and the last 50 lines of its
         *     history, newest first. A hold or release over HTTP is a line with `delta` 0 and `hold`. A lot that does not exist or is out of scope: 404.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients.
         */
        get: operations["getLot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow every change, in order and without gaps
         * @description *Extension.* Every change in your scope, in the order in which the changes became visible. Once you have a cursor, no change is ever inserted before it,
         *     however late a transaction commits, and none comes twice. A change is
         *
         *     - `stock`: an applied stock transaction as in `GET /Inventory/Transactions`, with all of its `lines` and with its `lots` as they are now;
         *     - `hold`: a lot that was put on hold or released, as it is now;
         *     - `item`: an item that was created or changed, or whose aliases were, as it is now;
         *     - `level`: an item's order quantities and its minimum in a warehouse, as they are now;
         *     - `low`: `available` of an item fell below its minimum in a warehouse (`low: true`), or is back (`false`). These alternate, and show that moment;
         *     - `warehouse`: a warehouse that was renamed;
         *     - `scope`: your warehouses have changed since the cursor was given, even if they are the same again. Read the lists again, and go on from this cursor.
         *
         *     There may be more types one day; ignore those that you do not know. Whole records are as they are when the change is read, except for `low`, so they may
         *     already show a later change, which then comes, too: set them, never add. A lot that comes into your scope comes whole. One that leaves it stays in its
         *     warehouse with `active: false`.
         *
         *     **To keep a copy:** take `cursor` from `GET /Me`, read all pages of the lists, then call this with `after`, and each time again with `nextCursor`. The
         *     copy is sure once the first of these calls was answered. Stock levels follow from the lots: `inStock` is the sum of their `units`, `onHold` that of lots on hold.
         *
         *     `wait` keeps the call open until something comes, at most 25 s; then an empty `value` is the answer. A page may have fewer changes than `limit`
         *     although `hasMore` is true: an answer has at most 1 MiB, or one change that is larger alone. `cursors` has the cursor behind each change of the page.
         *
         *     With `Accept: text/event-stream` the same comes as server-sent events: one change each, its `id` the cursor behind it. A reader that connects
         *     again sends the last one as `Last-Event-ID`. Events end when your token does.
         *
         *     A stream sends changes in pages of at most `limit`, and each page counts as a request. If pages follow each other, they are spread over the rest of the
         *     minute, and half of your limit stays free for other calls. At each api, a client may have as many waiting calls and streams at a time as its limit of requests a
         *     minute; one more gets 429.
         *
         *     409: the cursor is from before the database was restored from a backup, or what you had seen may have been lost in a failover. Begin again, with a
         *     new cursor.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients.
         */
        get: operations["getChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your webhooks, and how they are
         * @description *Extension.* The addresses to which this service sends your changes, as [Standard Webhooks](https://www.standardwebhooks.com) 1.0.0. The operator adds
         *     them and gives you a secret for each, which is shown nowhere here.
         *
         *     A message is a `POST` with `{"type": "inventory.changes", "timestamp": …, "data": {"value": [change], "nextCursor": …}}`: up to 100 changes and 256 KB in the
         *     order and the form of `GET /Changes`, with the cursor behind them; a stock change that alone is larger has its first lines and `moreLines: true`. Verify `webhook-signature`, and answer 2xx within 15 s; do the work afterwards. The next message comes only then. Any other answer, a
         *     redirect too, is a failure: the same message comes again, with the same `webhook-id`, after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and not before a
         *     `Retry-After`. After that, or at once when you answer 410, the webhook is `disabled`. After a 413, the next message has half as many changes, under a new id.
         *
         *     `reason`: `operator`, `gone` (410), `failed` (every attempt), `restored` (the database was, from a backup), `clientDisabled`, `permission` (no 11).
         *     `lastOutcome`: the status of the last answer, or `timeout`, `unreachable`, `unknownHost`, `addressRefused`, `tls`, `brokenOff`, `noSecret`; `unfinished` while an attempt is under way, or if its worker ended.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients.
         */
        get: operations["getWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/StockAt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The stock per item at the end of a moment
         * @description *Extension.* The units in stock at the end of a moment, from the ledger: every transaction up to that moment counts, and none
         *     after it. By `partNo`: one record for each item that has a stock level now, with 0 if there was no stock. Summed over the warehouses in the
         *     client's scope, or in one. The answer for a moment never changes: a call for the last two seconds waits until they are over, and gets 503
         *     while a change stays open for long. A moment in the future: 400. Lists for moments long ago take longer, and take turns with other costly lists.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients. **Scope:** a warehouse outside the scope of the client gets 403, one that does not exist too.
         */
        get: operations["listStockAt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/StockDays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The stock of an item, day by day
         * @description *Extension.* One record for each day of UTC, up to 366 days, from the ledger. `inStock` is the stock at the end of the day: that of the day
         *     before, plus `received`, `movedIn` and `counted`, less `issued` and `movedOut`. A reversal counts as less of what it undid, on its own day. Over
         *     several warehouses, moves between them change nothing. Days that are over never change; today is told as far as it went, and
         *     later days are left out.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients. **Scope:** a warehouse outside the scope of the client gets 403, one that does not exist too.
         */
        get: operations["getStockDays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List inventory lots of every warehouse in scope, most recent first
         * @description Most recent first (`received`, then `recNo`, both descending) unless sorted otherwise. Contains all lots, including shipped ones, so that
         *     a synchronization notices them; *extension*: `inStock=true` leaves them out. A lot emptied by a move to
         *     another warehouse is shipped, too. `jobName` is null: names of jobs are not stored here.
         *
         *     Only warehouses in the client's scope.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients.
         */
        get: operations["listLots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/StockLevels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stock levels per item, summed over every warehouse in scope
         * @description One record for each item that ever had stock, an order quantity or a minimum, by `partNo` unless sorted otherwise.
         *     `available = inStock − onHold − committed − packed`; it may be negative. Expired units count in it: an Issue of everything
         *     available is refused if some of it has expired. *Extension:* `belowMinimum=true` lists only items that are below
         *     their minimum in at least one of the warehouses, `false` only those that are below it in none.
         *
         *     Sums over the warehouses in the client's scope.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients.
         */
        get: operations["listStockLevels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/StockLevels/{wid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stock levels per item in one warehouse
         * @description One record for each item that ever had stock, an order quantity or a minimum, by `partNo` unless sorted otherwise.
         *     `available = inStock − onHold − committed − packed`; it may be negative. Expired units count in it: an Issue of everything
         *     available is refused if some of it has expired. *Extension:* `belowMinimum=true` lists only items that are below
         *     their minimum in at least one of the warehouses, `false` only those that are below it in none.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients. **Scope:** a warehouse outside the scope of the client gets 403, one that does not exist too.
         */
        get: operations["listWarehouseStockLevels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/StockLevels/{wid}/{partNo}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the minimum of an item in a warehouse
         * @description *Extension.* The units that should be `available` of an item in a warehouse: `low` if there are fewer. `null` removes the minimum.
         *     The change feed has a `low` change when `available` falls below the minimum, and another when it has recovered. The call may be repeated.
         *     A minimum stops no transaction: an Issue can still take all there is.
         *
         *     **Permission:** Create/Modify Item Master Record (116), else 403. **Writes:** a read-only client gets 403. **Scope:** a warehouse outside the scope of the client gets 403, one that does not exist too.
         */
        put: operations["setMinimum"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/{wid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List inventory lots of one warehouse, most recent first
         * @description Most recent first (`received`, then `recNo`, both descending) unless sorted otherwise. Contains all lots, including shipped ones, so that
         *     a synchronization notices them; *extension*: `inStock=true` leaves them out. A lot emptied by a move to
         *     another warehouse is shipped, too. `jobName` is null: names of jobs are not stored here.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients. **Scope:** a warehouse outside the scope of the client gets 403, one that does not exist too.
         */
        get: operations["listWarehouseLots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/Receive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive stock: a positive adjustment that creates a new lot
         * @description Always creates a new lot; `received` is the server's time. Discontinued items can be received. `reasonCode` can be any integer
         *     in range, unless the operator enforces a list: see `GET /Reasons`.
         *
         *     **Permission:** Positive Adjustment (95), else 403. **Writes:** a read-only client gets 403. **Scope:** a warehouse outside the scope of the client gets 403, one that does not exist too.
         */
        post: operations["receive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/Move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move stock between spots or warehouses
         * @description The destination must differ from the source: `toSpot`, `shipToWid` or both. With `shipToWid`, both warehouses must be in
         *     scope. A whole lot that moves inside its warehouse keeps its `recNo`. Moving a part of a lot, or moving to another warehouse, creates a new lot
         *     with the same received date, serials, expiry, price, owner, job and hold. Weights are divided by units, exactly. Lots are
         *     never merged. A lot that becomes empty by a move to another warehouse is `shipped`, as after an issue.
         *
         *     **Which lots are taken:** lots that are active, in stock, not on hold and match every filter. **Order of allocation:**
         *     earliest expiry first, then lots without expiry, then expired ones; within that the oldest receipt, then the lowest `recNo`. Either all
         *     units are taken or none: too little stock is 409 with the requested and available quantities, and with what is on hold or expired.
         *     A lot named by `recno` that does not match the other filters is 409, too, with the names of those filters. A `recno` that is unknown, or
         *     belongs to another item or warehouse: 400. One transaction takes at most 1,000 lots and examines at most 10,000 to find matching ones, by all
         *     fields together; beyond that: 409. A lot on hold moves only if it is named by `recno`, and stays on hold.
         *
         *     *Extension:* `dryRun: true` returns the answer of the real call, decided by the same code on the current data, with `dryRun: true`, and with null for `transactionNo` and the
         *     numbers of new lots. The real call returns `dryRun: false`. A dry run stores nothing, uses no `Idempotency-Key` and draws no number.
         *     Under a key that was used it returns what the real call would: the stored answer, or 409 with another body. The answer also has `skipped`: the lots of the item in the warehouse that are not taken, and why.
         *
         *     **Permission:** Locate/Move Units (15), else 403. **Writes:** a read-only client gets 403. **Scope:** a warehouse outside the scope of the client gets 403, one that does not exist too.
         */
        post: operations["move"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/Issue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue stock: a negative adjustment
         * @description A lot that becomes empty gets its `shipped` date and is no longer `active`, but stays in the list.
         *
         *     **Which lots are taken:** lots that are active, in stock, not on hold and match every filter. **Order of allocation:**
         *     earliest expiry first, then lots without expiry, then expired ones; within that the oldest receipt, then the lowest `recNo`. Either all
         *     units are taken or none: too little stock is 409 with the requested and available quantities, and with what is on hold or expired.
         *     A lot named by `recno` that does not match the other filters is 409, too, with the names of those filters. A `recno` that is unknown, or
         *     belongs to another item or warehouse: 400. One transaction takes at most 1,000 lots and examines at most 10,000 to find matching ones, by all
         *     fields together; beyond that: 409. Expired lots are not taken, except one named by `recno`, which is written off. A lot on hold is never taken, even if it is named by `recno`: 409.
         *
         *     *Extension:* `dryRun: true` returns the answer of the real call, decided by the same code on the current data, with `dryRun: true`, and with null for `transactionNo` and the
         *     numbers of new lots. The real call returns `dryRun: false`. A dry run stores nothing, uses no `Idempotency-Key` and draws no number.
         *     Under a key that was used it returns what the real call would: the stored answer, or 409 with another body. The answer also has `skipped`: the lots of the item in the warehouse that are not taken, and why.
         *
         *     **Permission:** Negative Adjustment (88), else 403. **Writes:** a read-only client gets 403. **Scope:** a warehouse outside the scope of the client gets 403, one that does not exist too.
         */
        post: operations["issue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/Count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count stock: the recorded units become the counted units
         * @description *Extension.* Sets the stock at a place to `counted`. With `recno` that is one lot, which is in stock again if it was shipped. Otherwise it is all lots
         *     of the item in stock at `spot` and with `serial`, if given; a blank value means lots without one. Without all three it is the whole warehouse,
         *     and `everywhere: true` must confirm that.
         *     If `expected` differs from the current quantity: 409 with that quantity.
         *
         *     Missing units are taken in the order of allocation, also from expired lots (last), but never from lots on hold: 409 names them. Surplus units become a new lot. If nothing
         *     changes, the count is recorded and `lots` is empty. One count covers at most 1,000 lots.
         *
         *     *Extension:* `dryRun: true` returns the answer of the real call, decided by the same code on the current data, with `dryRun: true`, and with null for `transactionNo` and the
         *     numbers of new lots. The real call returns `dryRun: false`. A dry run stores nothing, uses no `Idempotency-Key` and draws no number.
         *     Under a key that was used it returns what the real call would: the stored answer, or 409 with another body.
         *
         *     **Permission:** Positive Adjustment (95) and Negative Adjustment (88), else 403. **Writes:** a read-only client gets 403. **Scope:** a warehouse outside the scope of the client gets 403, one that does not exist too.
         */
        post: operations["count"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/Reverse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reverse a stock transaction: its exact opposite, on the same lots
         * @description *Extension.* Reverses a receipt, a move, an issue or a count, completely or not at all, and only once. It needs the permission for the opposite (receive: 88,
         *     issue: 95, move: 15, count: both) and all of its warehouses in scope. A transaction that does not exist or is out of scope: 404.
         *
         *     Each unit goes back into or out of its lot. A lot that a move split off is closed, and its source gets the units
         *     back. A shipped lot is in stock again under its old `recNo`. If the units have moved on since, a lot is at another spot now, or
         *     a hold is in the way: 409 with the figures. A reversal cannot be reversed, and a hold is undone by the opposite hold.
         *
         *     *Extension:* `dryRun: true` returns the answer of the real call, decided by the same code on the current data, with `dryRun: true`, and with null for `transactionNo` and the
         *     numbers of new lots. The real call returns `dryRun: false`. A dry run stores nothing, uses no `Idempotency-Key` and draws no number.
         *     Under a key that was used it returns what the real call would: the stored answer, or 409 with another body.
         *
         *     **Permission:** Locate/Move Units (15) or Negative Adjustment (88) or Positive Adjustment (95), else 403. **Writes:** a read-only client gets 403.
         */
        post: operations["reverse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/Hold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a lot on hold, or release it
         * @description *Extension.* A lot on hold stays in stock and counts in `inStock` and `onHold`. Nothing is issued from it, and it moves only where `recno` names it. It needs the permissions 95 and 88,
         *     and the warehouse of the lot in scope; another lot: 404. A lot that is used up: 409.
         *
         *     In the list of transactions it has `hold` instead of lines; in the history of its lot it is a line that moves nothing. Holds by the command line are in neither.
         *
         *     If the lot is already on hold, or already released, nothing changes, and a hold keeps its reason: `changed: false`. The call is recorded, and appears in `GET /Changes` as `hold`. The
         *     opposite call undoes the change; there is no reversal. A lot that becomes empty loses its hold.
         *
         *     *Extension:* `dryRun: true` returns the answer of the real call, decided by the same code on the current data, with `dryRun: true`, and with null for `transactionNo` and the
         *     numbers of new lots. The real call returns `dryRun: false`. A dry run stores nothing, uses no `Idempotency-Key` and draws no number.
         *     Under a key that was used it returns what the real call would: the stored answer, or 409 with another body.
         *
         *     **Permission:** Positive Adjustment (95) and Negative Adjustment (88), else 403. **Writes:** a read-only client gets 403.
         */
        post: operations["hold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Inventory/Batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Many stock transactions in one call
         * @description *Extension.* 1 to 500 operations, or as many as the client may send in a minute (`operationsPerBatch` of `GET /Me`), each with the fields of its call. `op`: `receive`, `move`, `issue`, `count`, `reverse`, `hold`. Each is checked like a single call,
         *     including permission and scope, and has its own status. `body` is the answer of its call, `error` the error object.
         *
         *     - `each`: every operation is a transaction of its own, and a refused one does not stop the others. Operations on one item are decided in the
         *       order of the list. `notApplied`: certainly not applied; send it again. Later operations on the same item and warehouse are not applied either.
         *     - `atomic`: all or nothing, over any items and warehouses, decided and committed together. Any refusal: 409 with `results`. All malformed or
         *       forbidden operations, or the first one that the stock refuses, are `refused` with their errors; the others are `notApplied`. An operation that
         *       was applied earlier under its `key` counts as done and returns its first answer, even if the batch is refused. 503 also has `results`
         *       if earlier sends had applied a part; the rest was certainly not applied.
         *     - `key` is the operation's `Idempotency-Key`, the same as for a single call: sent again, alone or in any other batch, in either mode, it returns the first
         *       answer with `replayed: true`. One key is one transaction. The same key twice in a list, or in a list and its header: 400, and nothing is applied.
         *     - The header `Idempotency-Key` is only for `atomic`, where the list counts as one request: a resend returns the first answer, even a refusal. With `each` it is 400. A refused
         *       atomic list does not use up the keys of its operations.
         *     - `capturedAt`, `deviceID` and `deviceSeq` are evidence of offline work. They are stored, but never used as the ledger's time. With
         *       `sentAt`, the error of the device's clock is known, and the corrected time is stored, too. If that is more than 5 minutes in the future: 400, unless the key was already applied or refused; then the stored answer is returned.
         *     - `dryRun: true` with `atomic`: the answer of the real call; nothing is stored and no key is used. An operation under a key that was used gets the stored
         *       answer, with `replayed: true`. A single operation of a batch cannot have a dry run.
         *     - **Large answers.** A move of 1,000 lots has an answer of more than 100 kB, and a batch may have 500 of them. In mode `each`, once new answers of
         *       more than 4 kB have reached 2 MiB, no further operation begins: the rest is `notApplied` with a message that says so. Send it in another batch, or send the
         *       whole list again with its keys. In both modes, answers of earlier sends have another 2 MiB.
         *       Beyond that, an operation is still `applied`, but its `body` is `{transactionNo, leftOut: true, dryRun: false}`. Send its `key` alone to get the answer;
         *       `GET /Inventory/Transactions/{transactionNo}` shows what was done. While a client has not read 16 MiB of large answers, mode `each` leaves large answers out, and an
         *       atomic list gets 503 with a message that says that it was applied.
         *
         *     **Permission:** that of each operation. **Writes:** a read-only client gets 403.
         */
        post: operations["batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Item": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List active items, get one by ShortID or alias, or list a category
         * @description Active items, by `shortID` unless sorted otherwise. Two look-ups share this path; both ignore the paging parameters:
         *
         *     - `key` with `type=id` or `type=alias`: one Item, discontinued or not; 404 if there is none.
         *     - `Category`: a flat array of the category's active items by `shortID`; empty if no item has the category. A large one is sent as fast
         *       as it is read, and must be read within a minute; accept gzip.
         *
         *     *Extension:* `search` leaves the items whose ShortID, description or an alias contains the text. Letters count as equal in any case, in every language
         *     (`straße` is `STRASSE`), and so do composed and decomposed ones; accents count. The list is paged as ever, with its exact total.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients.
         */
        get: operations["listItems"];
        /**
         * Update an item: only the fields that are sent
         * @description Fields that are not sent do not change. `partNo`, `created` and `createdBy` never change, whatever is sent.
         *     An Item may be sent as it was read: what cannot be changed is not read. `discontinued: false` reactivates the item. If nothing changes, `modified` stays.
         *
         *     **Permission:** Create/Modify Item Master Record (116), else 403. **Writes:** a read-only client gets 403.
         */
        put: operations["updateItem"];
        /**
         * Create an item
         * @description Only `shortID` is required, or `itemID`, another spelling of it. Defaults: empty texts, `uOM` EA, `units` 1, all other numbers 0. A
         *     `shortID` that another item or an alias already has: 400 `validation_error`. Either spelling of a field is accepted; if both are sent with different values: `validation_error`.
         *     The other fields of an Item may be sent, too, and are not read.
         *
         *     **Permission:** Create/Modify Item Master Record (116), else 403. **Writes:** a read-only client gets 403.
         */
        post: operations["createItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Item/All": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all items, including discontinued ones
         * @description By `shortID` unless sorted otherwise. `search` as in `GET /Item`.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients.
         */
        get: operations["listAllItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Item/{partNoOrShortID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one item by its part number, discontinued or not
         * @description The path contains a part number, never a ShortID: `/Item/7` is the item with `partNo` 7, even if another item has the
         *     ShortID 7; get that one with `/Item?key=7&type=id`. A part number that is not an integer: 404 with its own message.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients.
         */
        get: operations["getItem"];
        put?: never;
        post?: never;
        /**
         * Discontinue an item; its inventory records remain
         * @description Removes the item from the default list; it stays in `/Item/All`. A repeat returns the same answer.
         *
         *     **Permission:** Create/Modify Item Master Record (116), else 403. **Writes:** a read-only client gets 403.
         */
        delete: operations["discontinueItem"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Item/{partNo}/Aliases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the aliases of an item
         * @description *Extension.* By `alias`. Empty if the item has none.
         *     An alias can be used wherever a transaction names an item (`itemID`), with `GET /Item?key=…&type=alias`, and `POST /Scan` finds the item by it. It is unique over all items, and never
         *     equals a ShortID. A GTIN of 8, 12, 13 or 14 digits with the right check digit is one alias in all these spellings: taught in any of them, it is found by any, and no second item can
         *     have it in another. An item has at most 100 aliases.
         *
         *     `units` is what one scan of the alias stands for: the code of a case of twelve has 12. `POST /Scan` tells it and fills it into the operation. `itemID` never multiplies: `units` of a
         *     call are units, whatever name the item has in it.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients.
         */
        get: operations["listAliases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Item/{partNo}/Aliases/{alias}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Teach an alias: the item is found by it
         * @description *Extension.* So that a fleet can teach the service a code that it has just met. The body may be left out. `units` of an alias that the item
         *     has already are changed (`changed`); without `units` they stay. A repeat returns `unchanged`. A name that belongs to another item, or that is a
         *     ShortID: 409 with `nameTaken`. An item with 100 aliases or more gets no further ones: 409 with `tooManyAliases`.
         *     An alias can be used wherever a transaction names an item (`itemID`), with `GET /Item?key=…&type=alias`, and `POST /Scan` finds the item by it. It is unique over all items, and never
         *     equals a ShortID. A GTIN of 8, 12, 13 or 14 digits with the right check digit is one alias in all these spellings: taught in any of them, it is found by any, and no second item can
         *     have it in another. An item has at most 100 aliases.
         *
         *     `units` is what one scan of the alias stands for: the code of a case of twelve has 12. `POST /Scan` tells it and fills it into the operation. `itemID` never multiplies: `units` of a
         *     call are units, whatever name the item has in it.
         *
         *     **Permission:** Create/Modify Item Master Record (116), else 403. **Writes:** a read-only client gets 403.
         */
        put: operations["teachAlias"];
        post?: never;
        /**
         * Remove an alias: the item is no longer found by it
         * @description *Extension.* In all spellings of a GTIN. Transactions that used the alias keep their item. An alias that the item does not have: 404.
         *
         *     **Permission:** Create/Modify Item Master Record (116), else 403. **Writes:** a read-only client gets 403.
         */
        delete: operations["removeAlias"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Reasons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the reasons that have names
         * @description *Extension.* What the reason codes of receipts, issues and counts mean, by `reasonCode`; the operator names them. Any token may read them. By default an operation
         *     may have any reason code. Where the operator enforces the list, a code that is not listed for the operation is refused with `validation_error`.
         *
         *     **Permission:** none; a token is enough. **Reads:** open to read-only clients.
         */
        get: operations["listReasons"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/Scan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What is this code? All that codes name, with operations that are ready to be sent
         * @description *Extension.* Send what the scanner read, up to 500 codes. Each result has **all** matches in the scope, at most 20 of them: items by ShortID (`item`)
         *     and by alias (`alias`), lots by `recNo` (`lot`), `serial`, `serial2` and `rfidTag`, and spots. `ambiguous: true`: ask the user which one is meant.
         *     A lot with one of these values that is used up is found, too, after those in stock. Discontinued items are found.
         *
         *     **Size.** An answer is at most 1 MiB. Each code gets its first match before any gets its second; `moreMatches` tells that matches of a code did not fit: send it again
         *     with fewer codes. A code that stands in the list again is looked up once: its further results have `sameAs`, the place of the first one (counted from 0), and only its first match.
         *     The `description` of an item stands in its first match in a result, and is empty in the others and beside `sameAs`.
         *
         *     **Operations.** `operation` is a body for the call in `op`, or, together with `op`, an operation for `POST /Inventory/Batch`. It can be sent once the fields named in
         *     `missing` are filled in. An item is received, a lot is issued (or moved, if it is on hold or has expired), and units are moved to a spot.
         *
         *     **Units.** An alias has the `units` that one scan of it stands for: 12 for the code of a case. The operation has them times the count of the code (AI 30 or 37). A code that tells neither
         *     leaves `units` to be filled in, and so does an alias of 1 without a count. A weight is no number of units.
         *
         *     **GS1.** A code is read as GS1 only if something says so: a symbology identifier (`]C1`, `]e0`, `]d2`, `]Q3`, `]J1`), FNC1 (U+001D), brackets, as in `(01)…(10)…`, a GS1 Digital Link,
         *     or the check digit of a GTIN or an SSCC (`]E0`: also a UPC-E of 8 digits): a text that begins with `01` and a valid GTIN, or with `00` and a valid SSCC, and a GTIN alone. So `10D9T` is no lot `D9T`. In brackets, write `\(` for a
         *     bracket within a value. Lengths, characters, dates and check digits are checked. A code that claims to be GS1 and is not valid, or says two things at once,
         *     has `gs1: null`, and `fault` names the Application Identifier. Its text is still looked up like any other.
         *
         *     A GTIN finds the alias that is this GTIN, however it was taught. AI 10 is `serial`, 21 `serial2`, 17 the expiration, 30 or 37 the count, 310n the net weight. With a GTIN, lots of
         *     that item alone are found, and only those in stock. An SSCC is looked up as an alias, `serial`, `serial2` and `rfidTag`.
         *
         *     **Permission:** Item Master List (11), else 403. **Reads:** open to read-only clients. **Scope:** a warehouse outside the scope of the client gets 403, one that does not exist too.
         */
        post: operations["scanCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            /** @description Mirrors the HTTP status */
            statusCode: number;
            /**
             * @description Machine-readable code
             * @enum {string}
             */
            error: "bad_request" | "validation_error" | "unauthorized" | "forbidden" | "not_found" | "conflict" | "internal_error" | "not_implemented";
            /** @description Human-readable description */
            message: string;
            /** @description Only with `validation_error`: every offending field with its messages */
            details?: {
                [key: string]: string[];
            };
            /**
             * @description Extension: what stands in the way, with `conflict`. There may be more reasons one day.
             *
             *     - `insufficientStock`: too few matching units can be taken
             *     - `onHold`: the units are there, but on hold
             *     - `expired`: the units are there, but have expired
             *     - `nothingToMove`: all matching units are already at the destination
             *     - `lotDiffers`: the lot that `recno` names does not match the other filters
             *     - `countDiffers`: `expected` differs from the current quantity
             *     - `tooManyLots`: more lots, or lines of the ledger, than one transaction or batch may touch
             *     - `noRoom`: the lot, or the stock of the item in the warehouse, would be too large
             *     - `alreadyReversed`: the transaction was reversed before
             *     - `isReversal`: a reversal cannot be reversed
             *     - `hasNoReversal`: a hold has no reversal: the opposite hold undoes it
             *     - `lotNotInStock`: the lot is used up
             *     - `unitsMovedOn`: some units are no longer where the transaction left them
             *     - `nameTaken`: the alias is an alias of another item, or the ShortID of an item
             *     - `tooManyAliases`: the item has as many aliases as an item may have
             *     - `keyReused`: the `Idempotency-Key` was used with another request
             *     - `cursorOutdated`: the cursor is of a database that was restored from a backup since
             *     - `operationRefused`: an operation of an atomic batch was refused, so none was applied; its own error says why
             * @enum {string}
             */
            reason?: "insufficientStock" | "onHold" | "expired" | "nothingToMove" | "lotDiffers" | "countDiffers" | "tooManyLots" | "noRoom" | "alreadyReversed" | "isReversal" | "hasNoReversal" | "lotNotInStock" | "unitsMovedOn" | "nameTaken" | "tooManyAliases" | "keyReused" | "cursorOutdated" | "operationRefused";
            /** @description Extension: the exact figures for the reason */
            figures?: {
                /**
                 * Format: decimal
                 * @description requested units, or units that would go back
                 */
                asked?: number;
                /**
                 * Format: decimal
                 * @description matching units that can be taken
                 */
                available?: number;
                /**
                 * Format: decimal
                 * @description matching units on hold
                 */
                onHold?: number;
                /**
                 * Format: decimal
                 * @description matching units that have expired
                 */
                expired?: number;
                /**
                 * Format: decimal
                 * @description like `onHold`, if there are too many lots to add up
                 */
                onHoldAtLeast?: number;
                /**
                 * Format: decimal
                 * @description like `expired`, if there are too many lots to add up
                 */
                expiredAtLeast?: number;
                /**
                 * Format: decimal
                 * @description matching units already at the destination
                 */
                atDestination?: number;
                /**
                 * Format: decimal
                 * @description like `atDestination`, if there are too many lots to add up
                 */
                atDestinationAtLeast?: number;
                /**
                 * Format: decimal
                 * @description current quantity
                 */
                present?: number;
                /**
                 * Format: decimal
                 * @description units that the call expected
                 */
                expected?: number;
                /**
                 * Format: decimal
                 * @description units that were counted
                 */
                counted?: number;
                /**
                 * Format: decimal
                 * @description most units that are possible, or that one request may ask for
                 */
                unitsMax?: number;
                /** @description lots concerned */
                lots?: number;
                /** @description like `lots`, if there are more than this */
                lotsMoreThan?: number;
                /** @description most lots that one transaction may touch */
                lotsMax?: number;
                /** @description most ledger lines that one batch may write */
                linesMax?: number;
                /** @description most lots that are examined to find matching ones */
                lookedAtMax?: number;
                /** @description the lot */
                recNo?: number;
                /** @description the transaction */
                transactionNo?: number;
                /** @description the item that has the name */
                partNo?: number;
                /** @description most aliases of an item */
                aliasesMax?: number;
                /** @description operations of the batch that were refused */
                operations?: number;
                /** @description index of the first of them in the list */
                index?: number;
            };
            /**
             * @description Extension: only with 503. `unknown`: whether it was applied is not known. `applied`: it was, and only its answer could not be given. Without it, nothing was applied
             * @enum {string}
             */
            outcome?: "unknown" | "applied";
        };
        RateLimited: {
            /** @description States the limit */
            message: string;
        };
        BatchError: {
            statusCode: number;
            error: string;
            message: string;
            details?: {
                [key: string]: string[];
            };
            /**
             * @description Extension: what stands in the way, with `conflict`. There may be more reasons one day.
             *
             *     - `insufficientStock`: too few matching units can be taken
             *     - `onHold`: the units are there, but on hold
             *     - `expired`: the units are there, but have expired
             *     - `nothingToMove`: all matching units are already at the destination
             *     - `lotDiffers`: the lot that `recno` names does not match the other filters
             *     - `countDiffers`: `expected` differs from the current quantity
             *     - `tooManyLots`: more lots, or lines of the ledger, than one transaction or batch may touch
             *     - `noRoom`: the lot, or the stock of the item in the warehouse, would be too large
             *     - `alreadyReversed`: the transaction was reversed before
             *     - `isReversal`: a reversal cannot be reversed
             *     - `hasNoReversal`: a hold has no reversal: the opposite hold undoes it
             *     - `lotNotInStock`: the lot is used up
             *     - `unitsMovedOn`: some units are no longer where the transaction left them
             *     - `nameTaken`: the alias is an alias of another item, or the ShortID of an item
             *     - `tooManyAliases`: the item has as many aliases as an item may have
             *     - `keyReused`: the `Idempotency-Key` was used with another request
             *     - `cursorOutdated`: the cursor is of a database that was restored from a backup since
             *     - `operationRefused`: an operation of an atomic batch was refused, so none was applied; its own error says why
             * @enum {string}
             */
            reason?: "insufficientStock" | "onHold" | "expired" | "nothingToMove" | "lotDiffers" | "countDiffers" | "tooManyLots" | "noRoom" | "alreadyReversed" | "isReversal" | "hasNoReversal" | "lotNotInStock" | "unitsMovedOn" | "nameTaken" | "tooManyAliases" | "keyReused" | "cursorOutdated" | "operationRefused";
            /** @description Extension: the exact figures for the reason */
            figures?: {
                /**
                 * Format: decimal
                 * @description requested units, or units that would go back
                 */
                asked?: number;
                /**
                 * Format: decimal
                 * @description matching units that can be taken
                 */
                available?: number;
                /**
                 * Format: decimal
                 * @description matching units on hold
                 */
                onHold?: number;
                /**
                 * Format: decimal
                 * @description matching units that have expired
                 */
                expired?: number;
                /**
                 * Format: decimal
                 * @description like `onHold`, if there are too many lots to add up
                 */
                onHoldAtLeast?: number;
                /**
                 * Format: decimal
                 * @description like `expired`, if there are too many lots to add up
                 */
                expiredAtLeast?: number;
                /**
                 * Format: decimal
                 * @description matching units already at the destination
                 */
                atDestination?: number;
                /**
                 * Format: decimal
                 * @description like `atDestination`, if there are too many lots to add up
                 */
                atDestinationAtLeast?: number;
                /**
                 * Format: decimal
                 * @description current quantity
                 */
                present?: number;
                /**
                 * Format: decimal
                 * @description units that the call expected
                 */
                expected?: number;
                /**
                 * Format: decimal
                 * @description units that were counted
                 */
                counted?: number;
                /**
                 * Format: decimal
                 * @description most units that are possible, or that one request may ask for
                 */
                unitsMax?: number;
                /** @description lots concerned */
                lots?: number;
                /** @description like `lots`, if there are more than this */
                lotsMoreThan?: number;
                /** @description most lots that one transaction may touch */
                lotsMax?: number;
                /** @description most ledger lines that one batch may write */
                linesMax?: number;
                /** @description most lots that are examined to find matching ones */
                lookedAtMax?: number;
                /** @description the lot */
                recNo?: number;
                /** @description the transaction */
                transactionNo?: number;
                /** @description the item that has the name */
                partNo?: number;
                /** @description most aliases of an item */
                aliasesMax?: number;
                /** @description operations of the batch that were refused */
                operations?: number;
                /** @description index of the first of them in the list */
                index?: number;
            };
            /**
             * @description Extension: only with 503. `unknown`: whether it was applied is not known. `applied`: it was, and only its answer could not be given. Without it, nothing was applied
             * @enum {string}
             */
            outcome?: "unknown" | "applied";
            /** @description The refused operations, those applied earlier under their keys, and the others, which were not applied */
            results?: components["schemas"]["OperationResult"][];
        };
        OperationResult: components["schemas"]["OperationApplied"] | components["schemas"]["OperationNotApplied"];
        OperationApplied: {
            /** @description Index in the list, from 0 */
            index: number;
            /** @description The operation's own key */
            key: string | null;
            /** @description The status of the single call */
            statusCode: number;
            /** @description The stored answer of an earlier send */
            replayed: boolean;
            /** @constant */
            status: "applied";
            body: components["schemas"]["ReceiveAnswer"] | components["schemas"]["MoveAnswer"] | components["schemas"]["IssueAnswer"] | components["schemas"]["CountAnswer"] | components["schemas"]["ReverseAnswer"] | components["schemas"]["HoldAnswer"] | components["schemas"]["AnswerLeftOut"];
        };
        ReceiveAnswer: {
            /** @description Record number of the new lot */
            recNo: number;
            /** @constant */
            status: "received";
            /** @description Number of this transaction */
            transactionNo: number;
            lot: components["schemas"]["Lot"];
            /**
             * @description false: it was done
             * @constant
             */
            dryRun: false;
        };
        Lot: {
            /** @description Unique lot record number */
            recNo: number;
            /** @description Item part number */
            partNo: number;
            /** @description Item SKU */
            shortID: string;
            /** @description Item description */
            description: string;
            /** @description Owner: blank means own stock, otherwise the customer id of the item’s default owner at receipt */
            associate: string;
            /** @description Warehouse name */
            warehouse: string;
            /** @description Warehouse ID */
            wID: number;
            /** @description Bin/location within the warehouse; blank if none was given */
            spot: string;
            /**
             * Format: decimal
             * @description Quantity in this lot
             */
            units: number;
            /**
             * Format: date-time
             * @description Date received
             */
            received: string;
            /** @description Date shipped: when the lot was used up, or emptied by a move to another warehouse; null while still in stock */
            shipped: string | null;
            /** @description Serial/lot number */
            serial: string;
            /** @description Secondary serial number */
            serial2: string | null;
            /** @description RFID tag value */
            rFIDTag: string | null;
            /** @description Notes */
            remark: string;
            /** @description Lot is on hold */
            hold: boolean;
            /** @description Associated job/project ID (0 when none) */
            jobID: number;
            /** @description Job/project name; always null, because jobs are not stored here */
            jobName: string | null;
            /** @description Lot is active */
            active: boolean;
        };
        MoveAnswer: {
            /** @description Record number of the first destination lot */
            recNo: number;
            /** @constant */
            status: "moved";
            /** @description Number of this transaction */
            transactionNo: number;
            /**
             * Format: decimal
             * @description Quantity moved
             */
            units: number;
            lots: {
                /** @description Destination lot */
                recNo: number;
                /** @description Source lot; the same lot if a whole lot moved inside its warehouse */
                fromRecNo: number;
                /**
                 * Format: decimal
                 * @description Units moved
                 */
                units: number;
                /**
                 * Format: decimal
                 * @description In the lot `fromRecNo` afterwards
                 */
                remaining: number;
                wID: number;
                spot: string;
            }[];
            /** @description Extension: the ShortID of the item; only if `itemID` was an alias or a GTIN */
            shortID?: string;
            /**
             * @description false: it was done
             * @constant
             */
            dryRun: false;
        };
        IssueAnswer: {
            /** @description Record number of the first lot that units were taken from */
            recNo: number;
            /** @constant */
            status: "issued";
            /** @description Number of this transaction */
            transactionNo: number;
            /**
             * Format: decimal
             * @description Quantity issued
             */
            units: number;
            lots: {
                recNo: number;
                /**
                 * Format: decimal
                 * @description Units taken from this lot
                 */
                units: number;
                /**
                 * Format: decimal
                 * @description Units left in this lot; at 0 it is shipped
                 */
                remaining: number;
            }[];
            /** @description Extension: the ShortID of the item; only if `itemID` was an alias or a GTIN */
            shortID?: string;
            /**
             * @description false: it was done
             * @constant
             */
            dryRun: false;
        };
        CountAnswer: {
            /** @description Record number of the first changed lot; null if none changed */
            recNo: number | null;
            /** @constant */
            status: "counted";
            /** @description Number of this transaction */
            transactionNo: number;
            /**
             * Format: decimal
             * @description Recorded units before the count
             */
            before: number;
            /**
             * Format: decimal
             * @description Units after the count
             */
            counted: number;
            /**
             * Format: decimal
             * @description counted - before
             */
            difference: number;
            lots: {
                recNo: number;
                /**
                 * Format: decimal
                 * @description Units that this lot gained; negative: lost
                 */
                units: number;
                /**
                 * Format: decimal
                 * @description Units in this lot now; at 0 it is shipped
                 */
                remaining: number;
            }[];
            /** @description Extension: the ShortID of the item; only if `itemID` was an alias or a GTIN */
            shortID?: string;
            /**
             * @description false: it was done
             * @constant
             */
            dryRun: false;
        };
        ReverseAnswer: {
            /** @description Record number of the first of `lots`; null when there is none */
            recNo: number | null;
            /** @constant */
            status: "reversed";
            /** @description Number of this transaction */
            transactionNo: number;
            /** @description Number of the reversed transaction */
            reverses: number;
            lots: {
                recNo: number;
                /**
                 * Format: decimal
                 * @description Units that this lot gained; negative: lost
                 */
                units: number;
                /**
                 * Format: decimal
                 * @description Units in this lot now; at 0 it is shipped
                 */
                remaining: number;
            }[];
            /**
             * @description false: it was done
             * @constant
             */
            dryRun: false;
        };
        HoldAnswer: {
            /** @description Record number of the lot */
            recNo: number;
            /** @enum {string} */
            status: "held" | "released";
            /** @description Number of this transaction */
            transactionNo: number;
            /** @description false: the lot was so already, and keeps the reason of its hold */
            changed: boolean;
            /**
             * Format: decimal
             * @description Units in the lot
             */
            units: number;
            /**
             * @description false: it was done
             * @constant
             */
            dryRun: false;
        };
        AnswerLeftOut: {
            /** @description GET /Inventory/Transactions/{transactionNo} returns the rest */
            transactionNo: number;
            /** @constant */
            leftOut: true;
            /**
             * @description false: it was done
             * @constant
             */
            dryRun: false;
        };
        OperationNotApplied: {
            /** @description Index in the list, from 0 */
            index: number;
            /** @description The operation's own key */
            key: string | null;
            /** @description The status of the single call */
            statusCode: number;
            /** @description The stored answer of an earlier send */
            replayed: boolean;
            /**
             * @description `notApplied`: certainly not applied; send it again
             * @enum {string}
             */
            status: "refused" | "notApplied";
            error: {
                statusCode: number;
                error: string;
                message: string;
                details?: {
                    [key: string]: string[];
                };
                /**
                 * @description Extension: what stands in the way, with `conflict`. There may be more reasons one day.
                 *
                 *     - `insufficientStock`: too few matching units can be taken
                 *     - `onHold`: the units are there, but on hold
                 *     - `expired`: the units are there, but have expired
                 *     - `nothingToMove`: all matching units are already at the destination
                 *     - `lotDiffers`: the lot that `recno` names does not match the other filters
                 *     - `countDiffers`: `expected` differs from the current quantity
                 *     - `tooManyLots`: more lots, or lines of the ledger, than one transaction or batch may touch
                 *     - `noRoom`: the lot, or the stock of the item in the warehouse, would be too large
                 *     - `alreadyReversed`: the transaction was reversed before
                 *     - `isReversal`: a reversal cannot be reversed
                 *     - `hasNoReversal`: a hold has no reversal: the opposite hold undoes it
                 *     - `lotNotInStock`: the lot is used up
                 *     - `unitsMovedOn`: some units are no longer where the transaction left them
                 *     - `nameTaken`: the alias is an alias of another item, or the ShortID of an item
                 *     - `tooManyAliases`: the item has as many aliases as an item may have
                 *     - `keyReused`: the `Idempotency-Key` was used with another request
                 *     - `cursorOutdated`: the cursor is of a database that was restored from a backup since
                 *     - `operationRefused`: an operation of an atomic batch was refused, so none was applied; its own error says why
                 * @enum {string}
                 */
                reason?: "insufficientStock" | "onHold" | "expired" | "nothingToMove" | "lotDiffers" | "countDiffers" | "tooManyLots" | "noRoom" | "alreadyReversed" | "isReversal" | "hasNoReversal" | "lotNotInStock" | "unitsMovedOn" | "nameTaken" | "tooManyAliases" | "keyReused" | "cursorOutdated" | "operationRefused";
                /** @description Extension: the exact figures for the reason */
                figures?: {
                    /**
                     * Format: decimal
                     * @description requested units, or units that would go back
                     */
                    asked?: number;
                    /**
                     * Format: decimal
                     * @description matching units that can be taken
                     */
                    available?: number;
                    /**
                     * Format: decimal
                     * @description matching units on hold
                     */
                    onHold?: number;
                    /**
                     * Format: decimal
                     * @description matching units that have expired
                     */
                    expired?: number;
                    /**
                     * Format: decimal
                     * @description like `onHold`, if there are too many lots to add up
                     */
                    onHoldAtLeast?: number;
                    /**
                     * Format: decimal
                     * @description like `expired`, if there are too many lots to add up
                     */
                    expiredAtLeast?: number;
                    /**
                     * Format: decimal
                     * @description matching units already at the destination
                     */
                    atDestination?: number;
                    /**
                     * Format: decimal
                     * @description like `atDestination`, if there are too many lots to add up
                     */
                    atDestinationAtLeast?: number;
                    /**
                     * Format: decimal
                     * @description current quantity
                     */
                    present?: number;
                    /**
                     * Format: decimal
                     * @description units that the call expected
                     */
                    expected?: number;
                    /**
                     * Format: decimal
                     * @description units that were counted
                     */
                    counted?: number;
                    /**
                     * Format: decimal
                     * @description most units that are possible, or that one request may ask for
                     */
                    unitsMax?: number;
                    /** @description lots concerned */
                    lots?: number;
                    /** @description like `lots`, if there are more than this */
                    lotsMoreThan?: number;
                    /** @description most lots that one transaction may touch */
                    lotsMax?: number;
                    /** @description most ledger lines that one batch may write */
                    linesMax?: number;
                    /** @description most lots that are examined to find matching ones */
                    lookedAtMax?: number;
                    /** @description the lot */
                    recNo?: number;
                    /** @description the transaction */
                    transactionNo?: number;
                    /** @description the item that has the name */
                    partNo?: number;
                    /** @description most aliases of an item */
                    aliasesMax?: number;
                    /** @description operations of the batch that were refused */
                    operations?: number;
                    /** @description index of the first of them in the list */
                    index?: number;
                };
            };
        };
        TokenError: {
            /** @description Mirrors the HTTP status */
            statusCode: number;
            /**
             * @description Code of RFC 6749, 5.2
             * @enum {string}
             */
            error: "invalid_request" | "invalid_client" | "unsupported_grant_type";
            /** @description Human-readable description */
            message: string;
            /** @description The same text, where RFC 6749 has it */
            error_description: string;
        };
        TokenRequest: {
            /** @constant */
            grant_type: "client_credentials";
            /** @description Required unless HTTP Basic carries it */
            client_id?: string;
            /**
             * Format: password
             * @description Required unless HTTP Basic carries it
             */
            client_secret?: string;
        };
        TokenAnswer: {
            /** @description Goes into `Authorization: Bearer …` */
            access_token: string;
            /** @constant */
            token_type: "bearer";
            /** @description Lifetime in seconds */
            expires_in: number;
        };
        Me: {
            /** @description The client of the token */
            clientId: string;
            /** @description true: every write is refused */
            readOnly: boolean;
            /** @description Permissions, by securityID */
            permissions: {
                securityID: number;
                name: string;
            }[];
            /** @description The calls that it may make, by operationId; that of a stock transaction is also its `op` in a batch */
            operations: string[];
            /** @description The scope, by wID */
            warehouses: {
                /** @description Warehouse ID */
                wID: number;
                /** @description Warehouse name */
                name: string;
            }[];
            limits: {
                /** @description Requests in a window of 60 s */
                requestsPerMinute: number;
                /** @description Batch operations in a window of 60 s */
                operationsPerMinute: number;
                /** @description Operations in one batch */
                operationsPerBatch: number;
                /** @description Records on one page */
                pageSize: number;
            };
            /**
             * Format: date-time
             * @description When this token ends
             */
            tokenExpires: string;
            /**
             * Format: date-time
             * @description The clock of the service
             */
            serverTime: string;
            /** @description The position of the change feed now, for `after` of `GET /Changes` */
            cursor: string;
        };
        ActivityPage: {
            /** @description Records of the current page */
            value: components["schemas"]["Activity"][];
            /** @description Total records matching the query, before paging */
            totalCount: number;
            /** @description Current page number */
            page: number;
            /** @description Items per page: the requested size, capped at the maximum */
            pageSize: number;
            /** @description Total pages available */
            pageCount: number;
            /** @description true when more pages follow this one */
            hasMore: boolean;
        };
        Activity: {
            /**
             * Format: date-time
             * @description When the hour or the day of UTC begins
             */
            start: string;
            /**
             * @description The kind of transaction
             * @enum {string}
             */
            kind: "receive" | "move" | "issue" | "count" | "reverse" | "hold";
            /** @description The client that requested it */
            clientId: string;
            /** @description How many there were */
            transactions: number;
        };
        TransactionPage: {
            /** @description Records of the current page */
            value: components["schemas"]["Transaction"][];
            /** @description Total records matching the query, before paging */
            totalCount: number;
            /** @description Current page number */
            page: number;
            /** @description Items per page: the requested size, capped at the maximum */
            pageSize: number;
            /** @description Total pages available */
            pageCount: number;
            /** @description true when more pages follow this one */
            hasMore: boolean;
        };
        Transaction: {
            /** @description Unique transaction number */
            transactionNo: number;
            /**
             * @description The kind of transaction
             * @enum {string}
             */
            kind: "receive" | "move" | "issue" | "count" | "reverse" | "hold";
            /**
             * Format: date-time
             * @description When it was applied, by the clock of the service
             */
            at: string;
            /** @description The client that requested it */
            clientId: string;
            /** @description Item ShortID */
            itemID: string;
            /** @description Reason code; null if the call has none */
            reasonCode: number | null;
            /** @description External reference */
            reference: string | null;
            /** @description Notes */
            remark: string | null;
            /** @description When the work was done, by the clock of the device */
            capturedAt: string | null;
            /** @description The device */
            deviceID: string | null;
            /** @description The number that the device gave the work */
            deviceSeq: number | null;
            /** @description The transaction that this one reversed */
            reverses: number | null;
            /** @description The transaction that reversed this one */
            reversedBy: number | null;
            /** @description Of a hold or a release; null for other kinds */
            hold: {
                /** @description The lot */
                recNo: number;
                /** @description true: it was put on hold; false: released */
                hold: boolean;
                /** @description Why */
                reason: string | null;
                /** @description false: the lot was so already */
                changed: boolean;
            } | null;
            /** @description In order; empty for a hold, and for a count that changed nothing. In a list: the first 100, or fewer in a page whose lines would take more than 2 MiB */
            lines: components["schemas"]["TransactionLine"][];
            /**
             * @description In a list: whether there are more lines; get the transaction by number to see them
             * @constant
             */
            moreLines?: true;
        };
        TransactionLine: {
            /** @description The lot */
            recNo: number;
            /** @description Item part number */
            partNo: number;
            /** @description Item SKU */
            shortID: string;
            /** @description Warehouse ID */
            wID: number;
            /** @description Bin/location within the warehouse; blank if none was given */
            spot: string;
            /**
             * Format: decimal
             * @description Units that the lot gained there; negative: lost
             */
            delta: number;
            /**
             * Format: decimal
             * @description Units of the lot there afterwards
             */
            balance: number;
        };
        LotWithHistory: {
            /** @description Unique lot record number */
            recNo: number;
            /** @description Item part number */
            partNo: number;
            /** @description Item SKU */
            shortID: string;
            /** @description Item description */
            description: string;
            /** @description Owner: blank means own stock, otherwise the customer id of the item’s default owner at receipt */
            associate: string;
            /** @description Warehouse name */
            warehouse: string;
            /** @description Warehouse ID */
            wID: number;
            /** @description Bin/location within the warehouse; blank if none was given */
            spot: string;
            /**
             * Format: decimal
             * @description Quantity in this lot
             */
            units: number;
            /**
             * Format: date-time
             * @description Date received
             */
            received: string;
            /** @description Date shipped: when the lot was used up, or emptied by a move to another warehouse; null while still in stock */
            shipped: string | null;
            /** @description Serial/lot number */
            serial: string;
            /** @description Secondary serial number */
            serial2: string | null;
            /** @description RFID tag value */
            rFIDTag: string | null;
            /** @description Notes */
            remark: string;
            /** @description Lot is on hold */
            hold: boolean;
            /** @description Associated job/project ID (0 when none) */
            jobID: number;
            /** @description Job/project name; always null, because jobs are not stored here */
            jobName: string | null;
            /** @description Lot is active */
            active: boolean;
            /** @description Expiration; for a date, the last millisecond of the day; null: none */
            expires: string | null;
            /** @description Unit cost */
            price: number | null;
            /** @description Net weight: as received, minus shares that moves split off */
            netWeight: number | null;
            /** @description Gross weight: as received, minus shares that moves split off */
            grossWeight: number | null;
            /** @description Vendor/supplier ID */
            supplier: number | null;
            /** @description PO line number */
            line: number | null;
            /** @description External reference of the receipt */
            reference: string | null;
            /** @description Reason code of the receipt */
            reasonCode: number | null;
            /** @description Why the lot is on hold */
            holdReason: string | null;
            /**
             * Format: date-time
             * @description Last modification timestamp
             */
            modified: string;
            /** @description The lot from which a move split this one; null if it is out of scope */
            fromRecNo: number | null;
            /** @description The last 50 lines of the ledger and holds together, newest first */
            history: components["schemas"]["LotHistoryLine"][];
        };
        LotHistoryLine: {
            /** @description Unique transaction number */
            transactionNo: number;
            /**
             * @description The kind of transaction
             * @enum {string}
             */
            kind: "receive" | "move" | "issue" | "count" | "reverse" | "hold";
            /**
             * Format: date-time
             * @description When it was applied, by the clock of the service
             */
            at: string;
            /** @description The client that requested it */
            clientId: string;
            /** @description Reason code; null if the call has none */
            reasonCode: number | null;
            /** @description External reference */
            reference: string | null;
            /** @description Notes */
            remark: string | null;
            /** @description Bin/location within the warehouse */
            spot: string;
            /**
             * Format: decimal
             * @description Units that the lot gained there; negative: lost
             */
            delta: number;
            /**
             * Format: decimal
             * @description Units of the lot there afterwards
             */
            balance: number;
            /** @description Of a hold or a release; null for other kinds */
            hold: {
                /** @description The lot */
                recNo: number;
                /** @description true: it was put on hold; false: released */
                hold: boolean;
                /** @description Why */
                reason: string | null;
                /** @description false: the lot was so already */
                changed: boolean;
            } | null;
        };
        ChangePage: {
            /** @description The changes, in order */
            value: components["schemas"]["Change"][];
            /** @description The value for the next `after`. It is given even if there are no changes */
            nextCursor: string;
            /** @description true when more changes follow now */
            hasMore: boolean;
            /** @description For each change the cursor behind it, so that a reader can stop in the middle of a page */
            cursors?: string[];
        };
        Change: components["schemas"]["StockChange"] | components["schemas"]["HoldChange"] | components["schemas"]["ItemChange"] | components["schemas"]["LevelChange"] | components["schemas"]["LowChange"] | components["schemas"]["WarehouseChange"] | components["schemas"]["ScopeChange"];
        StockChange: {
            /**
             * @description An applied stock transaction
             * @constant
             */
            type: "stock";
            /** @description Unique transaction number */
            transactionNo: number;
            /**
             * @description The kind of transaction
             * @enum {string}
             */
            kind: "receive" | "move" | "issue" | "count" | "reverse" | "hold";
            /**
             * Format: date-time
             * @description When it was applied, by the clock of the service
             */
            at: string;
            /** @description The client that requested it */
            clientId: string;
            /** @description Item ShortID */
            itemID: string;
            /** @description Reason code; null if the call has none */
            reasonCode: number | null;
            /** @description External reference */
            reference: string | null;
            /** @description Notes */
            remark: string | null;
            /** @description When the work was done, by the clock of the device */
            capturedAt: string | null;
            /** @description The device */
            deviceID: string | null;
            /** @description The number that the device gave the work */
            deviceSeq: number | null;
            /** @description The transaction that this one reversed */
            reverses: number | null;
            /** @description The transaction that reversed this one */
            reversedBy: number | null;
            /** @description Of a hold or a release; null for other kinds */
            hold: {
                /** @description The lot */
                recNo: number;
                /** @description true: it was put on hold; false: released */
                hold: boolean;
                /** @description Why */
                reason: string | null;
                /** @description false: the lot was so already */
                changed: boolean;
            } | null;
            /** @description All lines in scope, in order; empty for a count that changed nothing */
            lines: components["schemas"]["TransactionLine"][];
            /**
             * @description Only in a message of a webhook: true if it has no room for all lines and lots. Read the transaction and its lots
             * @constant
             */
            moreLines?: true;
            /** @description The lots of the lines as they are now, whole; one that is gone is `active: false` */
            lots: components["schemas"]["FullLot"][];
        };
        FullLot: {
            /** @description Unique lot record number */
            recNo: number;
            /** @description Item part number */
            partNo: number;
            /** @description Item SKU */
            shortID: string;
            /** @description Item description */
            description: string;
            /** @description Owner: blank means own stock, otherwise the customer id of the item’s default owner at receipt */
            associate: string;
            /** @description Warehouse name */
            warehouse: string;
            /** @description Warehouse ID */
            wID: number;
            /** @description Bin/location within the warehouse; blank if none was given */
            spot: string;
            /**
             * Format: decimal
             * @description Quantity in this lot
             */
            units: number;
            /**
             * Format: date-time
             * @description Date received
             */
            received: string;
            /** @description Date shipped: when the lot was used up, or emptied by a move to another warehouse; null while still in stock */
            shipped: string | null;
            /** @description Serial/lot number */
            serial: string;
            /** @description Secondary serial number */
            serial2: string | null;
            /** @description RFID tag value */
            rFIDTag: string | null;
            /** @description Notes */
            remark: string;
            /** @description Lot is on hold */
            hold: boolean;
            /** @description Associated job/project ID (0 when none) */
            jobID: number;
            /** @description Job/project name; always null, because jobs are not stored here */
            jobName: string | null;
            /** @description Lot is active */
            active: boolean;
            /** @description Expiration; for a date, the last millisecond of the day; null: none */
            expires: string | null;
            /** @description Unit cost */
            price: number | null;
            /** @description Net weight: as received, minus shares that moves split off */
            netWeight: number | null;
            /** @description Gross weight: as received, minus shares that moves split off */
            grossWeight: number | null;
            /** @description Vendor/supplier ID */
            supplier: number | null;
            /** @description PO line number */
            line: number | null;
            /** @description External reference of the receipt */
            reference: string | null;
            /** @description Reason code of the receipt */
            reasonCode: number | null;
            /** @description Why the lot is on hold */
            holdReason: string | null;
            /**
             * Format: date-time
             * @description Last modification timestamp
             */
            modified: string;
            /** @description The lot from which a move split this one; null if it is out of scope */
            fromRecNo: number | null;
        };
        HoldChange: {
            /**
             * @description A lot that was put on hold or released, as it is now
             * @constant
             */
            type: "hold";
            /** @description Unique lot record number */
            recNo: number;
            /** @description Item part number */
            partNo: number;
            /** @description Item SKU */
            shortID: string;
            /** @description Item description */
            description: string;
            /** @description Owner: blank means own stock, otherwise the customer id of the item’s default owner at receipt */
            associate: string;
            /** @description Warehouse name */
            warehouse: string;
            /** @description Warehouse ID */
            wID: number;
            /** @description Bin/location within the warehouse; blank if none was given */
            spot: string;
            /**
             * Format: decimal
             * @description Quantity in this lot
             */
            units: number;
            /**
             * Format: date-time
             * @description Date received
             */
            received: string;
            /** @description Date shipped: when the lot was used up, or emptied by a move to another warehouse; null while still in stock */
            shipped: string | null;
            /** @description Serial/lot number */
            serial: string;
            /** @description Secondary serial number */
            serial2: string | null;
            /** @description RFID tag value */
            rFIDTag: string | null;
            /** @description Notes */
            remark: string;
            /** @description Lot is on hold */
            hold: boolean;
            /** @description Associated job/project ID (0 when none) */
            jobID: number;
            /** @description Job/project name; always null, because jobs are not stored here */
            jobName: string | null;
            /** @description Lot is active */
            active: boolean;
            /** @description Expiration; for a date, the last millisecond of the day; null: none */
            expires: string | null;
            /** @description Unit cost */
            price: number | null;
            /** @description Net weight: as received, minus shares that moves split off */
            netWeight: number | null;
            /** @description Gross weight: as received, minus shares that moves split off */
            grossWeight: number | null;
            /** @description Vendor/supplier ID */
            supplier: number | null;
            /** @description PO line number */
            line: number | null;
            /** @description External reference of the receipt */
            reference: string | null;
            /** @description Reason code of the receipt */
            reasonCode: number | null;
            /** @description Why the lot is on hold */
            holdReason: string | null;
            /**
             * Format: date-time
             * @description Last modification timestamp
             */
            modified: string;
            /** @description The lot from which a move split this one; null if it is out of scope */
            fromRecNo: number | null;
        };
        ItemChange: {
            /**
             * @description An item that was created or changed, or whose aliases were, as it is now
             * @constant
             */
            type: "item";
            /** @description Internal part number; auto-assigned, immutable */
            partNo: number;
            /** @description SKU / part number; unique; cannot be renamed */
            shortID: string;
            /** @description Item description */
            description: string;
            /** @description Category ID */
            category: number;
            /** @description Sub-category ID */
            subCategory: number;
            /** @description Unit of measure (for example EA, KG, M) */
            uOM: string;
            /** @description Packaging description */
            putUp: string;
            /**
             * Format: decimal
             * @description Units per package
             */
            units: number;
            /** @description Default owner as customer ID; 0 means own stock */
            dfltOwner: number;
            /**
             * Format: date-time
             * @description Record creation timestamp
             */
            created: string;
            /** @description Client that created the item */
            createdBy: string;
            /**
             * Format: date-time
             * @description Last modification timestamp
             */
            modified: string;
            /** @description Item is discontinued */
            discontinued: boolean;
            /** @description All aliases of the item */
            aliases: string[];
            /** @description The aliases of which one scan stands for other than 1 unit, if there are any */
            aliasUnits?: {
                alias: string;
                /** Format: decimal */
                units: number;
            }[];
        };
        LevelChange: {
            /**
             * @description Order quantities or the minimum of an item in a warehouse that were set, as they are now
             * @constant
             */
            type: "level";
            /** @description Item part number */
            partNo: number;
            /** @description SKU / part number; unique; cannot be renamed */
            shortID: string;
            /** @description Warehouse ID */
            wID: number;
            /**
             * Format: decimal
             * @description On open purchase orders
             */
            onOrder: number;
            /**
             * Format: decimal
             * @description Allocated to shipping orders
             */
            committed: number;
            /**
             * Format: decimal
             * @description Packed and awaiting shipment
             */
            packed: number;
            /**
             * Format: decimal
             * @description In transit (advance ship notice)
             */
            aSN: number;
            /**
             * Format: decimal
             * @description The units that should be available; missing: no minimum is set
             */
            minimum?: number;
        };
        LowChange: {
            /**
             * @description An item of which `available` fell below its minimum in a warehouse, or is back. `minimum` and `available` are those of that moment
             * @constant
             */
            type: "low";
            /** @description Item part number */
            partNo: number;
            /** @description Item SKU */
            shortID: string;
            /** @description Warehouse ID */
            wID: number;
            /** @description The units that should be available; null: none is set */
            minimum: number | null;
            /**
             * Format: decimal
             * @description inStock - onHold - committed - packed
             */
            available: number;
            /** @description Whether fewer units than the minimum are available */
            low: boolean;
        };
        WarehouseChange: {
            /**
             * @description A warehouse that was renamed
             * @constant
             */
            type: "warehouse";
            /** @description Warehouse ID */
            wID: number;
            /** @description Warehouse name */
            name: string;
        };
        ScopeChange: {
            /**
             * @description Your warehouses are others than when the cursor was given: read the lists again
             * @constant
             */
            type: "scope";
            /** @description The scope now, by wID */
            warehouses: {
                /** @description Warehouse ID */
                wID: number;
                /** @description Warehouse name */
                name: string;
            }[];
        };
        WebhookList: {
            /** @description The webhooks of the client, by number */
            value: components["schemas"]["Webhook"][];
        };
        Webhook: {
            /** @description Webhook number */
            webhookID: number;
            /** @description The address to which messages are sent */
            url: string;
            /** @description The types of changes that are sent; null: all */
            kinds: string[] | null;
            /**
             * @description `failing`: tried again. `paused`: the client may not read changes. `disabled`: for good
             * @enum {string}
             */
            state: "active" | "failing" | "paused" | "disabled";
            /** @description The reason why it is paused or disabled */
            reason: string | null;
            /** @description Since when it has failed, or is disabled */
            since: string | null;
            /**
             * Format: date-time
             * @description When it was added
             */
            created: string;
            /** @description When a message was last sent */
            lastAttempt: string | null;
            /** @description The status of the last answer, or a word for what went wrong before one came */
            lastOutcome: string | null;
            /** @description When the message that has failed is sent again */
            nextAttempt: string | null;
        };
        StockAtPage: {
            /** @description Records of the current page */
            value: components["schemas"]["StockAt"][];
            /** @description Total records matching the query, before paging */
            totalCount: number;
            /** @description Current page number */
            page: number;
            /** @description Items per page: the requested size, capped at the maximum */
            pageSize: number;
            /** @description Total pages available */
            pageCount: number;
            /** @description true when more pages follow this one */
            hasMore: boolean;
        };
        StockAt: {
            /** @description Item part number */
            partNo: number;
            /** @description Item SKU */
            shortID: string;
            /** @description Item description */
            description: string;
            /**
             * Format: decimal
             * @description The units in stock at the end of that moment
             */
            inStock: number;
        };
        StockDayList: {
            /** @description A record for each day, in order */
            value: components["schemas"]["StockDay"][];
        };
        StockDay: {
            /**
             * Format: date
             * @description A day of UTC
             */
            day: string;
            /**
             * Format: decimal
             * @description Units that were received, less receipts that were undone
             */
            received: number;
            /**
             * Format: decimal
             * @description Units that were issued, less issues that were undone
             */
            issued: number;
            /**
             * Format: decimal
             * @description Units that came from other warehouses
             */
            movedIn: number;
            /**
             * Format: decimal
             * @description Units that went to other warehouses
             */
            movedOut: number;
            /**
             * Format: decimal
             * @description By how much counts changed the stock; negative: units were missing
             */
            counted: number;
            /**
             * Format: decimal
             * @description The units in stock at the end of the day
             */
            inStock: number;
        };
        FullLotPage: {
            /** @description Records of the current page */
            value: components["schemas"]["FullLot"][];
            /** @description Total records matching the query, before paging */
            totalCount: number;
            /** @description Current page number */
            page: number;
            /** @description Items per page: the requested size, capped at the maximum */
            pageSize: number;
            /** @description Total pages available */
            pageCount: number;
            /** @description true when more pages follow this one */
            hasMore: boolean;
        };
        LotPage: {
            /** @description Records of the current page */
            value: components["schemas"]["Lot"][];
            /** @description Total records matching the query, before paging */
            totalCount: number;
            /** @description Current page number */
            page: number;
            /** @description Items per page: the requested size, capped at the maximum */
            pageSize: number;
            /** @description Total pages available */
            pageCount: number;
            /** @description true when more pages follow this one */
            hasMore: boolean;
        };
        FullStockLevelPage: {
            /** @description Records of the current page */
            value: components["schemas"]["FullStockLevel"][];
            /** @description Total records matching the query, before paging */
            totalCount: number;
            /** @description Current page number */
            page: number;
            /** @description Items per page: the requested size, capped at the maximum */
            pageSize: number;
            /** @description Total pages available */
            pageCount: number;
            /** @description true when more pages follow this one */
            hasMore: boolean;
        };
        FullStockLevel: {
            /** @description Item part number */
            partNo: number;
            /**
             * Format: decimal
             * @description Available for use: inStock - onHold - committed - packed; may be negative. Expired units count, although Issue takes them only from a lot that `recno` names
             */
            available: number;
            /**
             * Format: decimal
             * @description Total physically in the warehouse
             */
            inStock: number;
            /**
             * Format: decimal
             * @description On open purchase orders
             */
            onOrder: number;
            /**
             * Format: decimal
             * @description In stock but held (quality, inspection, etc.)
             */
            onHold: number;
            /**
             * Format: decimal
             * @description Allocated to shipping orders
             */
            committed: number;
            /**
             * Format: decimal
             * @description Packed and awaiting shipment
             */
            packed: number;
            /**
             * Format: decimal
             * @description In transit (advance ship notice)
             */
            aSN: number;
            /** @description Item SKU */
            shortID: string;
            /** @description Item description */
            description: string;
            /** @description The sum of the minimums of the item in these warehouses; null: none is set */
            minimum: number | null;
            /**
             * Format: date-time
             * @description When any of it was last modified
             */
            modified: string;
        };
        StockLevelPage: {
            /** @description Records of the current page */
            value: components["schemas"]["StockLevel"][];
            /** @description Total records matching the query, before paging */
            totalCount: number;
            /** @description Current page number */
            page: number;
            /** @description Items per page: the requested size, capped at the maximum */
            pageSize: number;
            /** @description Total pages available */
            pageCount: number;
            /** @description true when more pages follow this one */
            hasMore: boolean;
        };
        StockLevel: {
            /** @description Item part number */
            partNo: number;
            /**
             * Format: decimal
             * @description Available for use: inStock - onHold - committed - packed; may be negative. Expired units count, although Issue takes them only from a lot that `recno` names
             */
            available: number;
            /**
             * Format: decimal
             * @description Total physically in the warehouse
             */
            inStock: number;
            /**
             * Format: decimal
             * @description On open purchase orders
             */
            onOrder: number;
            /**
             * Format: decimal
             * @description In stock but held (quality, inspection, etc.)
             */
            onHold: number;
            /**
             * Format: decimal
             * @description Allocated to shipping orders
             */
            committed: number;
            /**
             * Format: decimal
             * @description Packed and awaiting shipment
             */
            packed: number;
            /**
             * Format: decimal
             * @description In transit (advance ship notice)
             */
            aSN: number;
        };
        MinimumToSet: {
            /** @description The units that should be available; null: no minimum */
            minimum: number | null;
        };
        Minimum: {
            /** @description Item part number */
            partNo: number;
            /** @description Item SKU */
            shortID: string;
            /** @description Warehouse ID */
            wID: number;
            /** @description The units that should be available; null: none is set */
            minimum: number | null;
            /**
             * Format: decimal
             * @description inStock - onHold - committed - packed
             */
            available: number;
            /** @description Whether fewer units than the minimum are available */
            low: boolean;
        };
        ReceiveCall: {
            /** @description Item ShortID. Extension: or an alias, a GTIN in any of its spellings */
            itemID: string;
            /**
             * Format: decimal
             * @description Quantity received. Exact: at most 6 digits after the point, less than 1000000000000.
             */
            units: number;
            /**
             * Format: int32
             * @description Destination warehouse ID
             */
            wid: number;
            /**
             * Format: int32
             * @description Reason code of the adjustment
             */
            reasonCode: number;
            /** @description Bin/location */
            spot?: string | null;
            /** @description Serial or lot number */
            serial?: string | null;
            /** @description Secondary serial */
            serial2?: string | null;
            /** @description RFID tag */
            rfidTag?: string | null;
            /** @description External reference, such as a PO number */
            reference?: string | null;
            /** @description Notes */
            remark?: string | null;
            /**
             * Format: decimal
             * @description Net weight. Exact: at most 6 digits after the point, less than 1000000000000.
             */
            netWeight?: number | null;
            /**
             * Format: decimal
             * @description Gross weight. Exact: at most 6 digits after the point, less than 1000000000000.
             */
            grossWeight?: number | null;
            /**
             * Format: decimal
             * @description Unit cost. Exact: at most 6 digits after the point, less than 1000000000000.
             */
            price?: number | null;
            /** @description Expiration; without an offset, UTC. A date is good through that day, and kept as its last millisecond. */
            expires?: string | null;
            /**
             * Format: int32
             * @description Vendor/supplier ID
             */
            supplier?: number | null;
            /**
             * Format: int32
             * @description PO line number when receiving against a PO
             */
            line?: number | null;
            /**
             * Format: int32
             * @description Job/project ID
             */
            jobid?: number | null;
            /** @description Extension: not for a single receipt; use a dry run of an atomic batch */
            dryRun?: boolean | null;
        };
        MoveCall: {
            /** @description Item ShortID. Extension: or an alias, a GTIN in any of its spellings */
            itemID: string;
            /**
             * Format: decimal
             * @description Quantity to move. Exact: at most 6 digits after the point, less than 1000000000000.
             */
            units: number;
            /**
             * Format: int32
             * @description Source warehouse ID
             */
            wid: number;
            /** @description Source bin/location */
            fromSpot?: string | null;
            /** @description Destination bin/location */
            toSpot?: string | null;
            /**
             * Format: int32
             * @description Destination warehouse, for a move between warehouses
             */
            shipToWid?: number | null;
            /** @description Transit slip reference */
            transitSlip?: string | null;
            /** @description Serial/lot to move */
            serial?: string | null;
            /** @description Secondary serial */
            serial2?: string | null;
            /** @description RFID tag */
            rfidTag?: string | null;
            /** @description External reference */
            reference?: string | null;
            /** @description Specific lot record to move */
            recno?: number | null;
            /** @description Received on this UTC day (a date) or in this second (a datetime) */
            received?: string | null;
            /** @description Extension; true: returns the answer but stores nothing, uses no key and draws no number */
            dryRun?: boolean | null;
        };
        MoveDryRun: {
            /** @description null for a new lot */
            recNo: number | null;
            /** @constant */
            status: "moved";
            /** @description Nothing was done */
            transactionNo: null;
            /**
             * Format: decimal
             * @description Quantity moved
             */
            units: number;
            lots: {
                recNo: number | null;
                /** @description Source lot; the same lot if a whole lot moved inside its warehouse */
                fromRecNo: number;
                /**
                 * Format: decimal
                 * @description Units moved
                 */
                units: number;
                /**
                 * Format: decimal
                 * @description In the lot `fromRecNo` afterwards
                 */
                remaining: number;
                wID: number;
                spot: string;
            }[];
            /** @description Extension: the ShortID of the item; only if `itemID` was an alias or a GTIN */
            shortID?: string;
            /**
             * @description true: nothing was done
             * @constant
             */
            dryRun: true;
            /** @description At most 50 lots of the item in stock in the warehouse that would not be taken, and why */
            skipped: {
                recNo: number;
                /** @enum {string} */
                reason: "onHold" | "expired" | "filter";
            }[];
        };
        IssueCall: {
            /** @description Item ShortID. Extension: or an alias, a GTIN in any of its spellings */
            itemID: string;
            /**
             * Format: decimal
             * @description Quantity to issue. Exact: at most 6 digits after the point, less than 1000000000000000.
             */
            units: number;
            /**
             * Format: int32
             * @description Source warehouse ID
             */
            wid: number;
            /**
             * Format: int32
             * @description Reason code of the adjustment
             */
            reasonCode: number;
            /** @description Bin/location to issue from */
            spot?: string | null;
            /** @description Serial/lot number */
            serial?: string | null;
            /** @description Secondary serial */
            serial2?: string | null;
            /** @description RFID tag */
            rfidTag?: string | null;
            /** @description External reference */
            reference?: string | null;
            /** @description Notes */
            remark?: string | null;
            /**
             * Format: decimal
             * @description Net weight. Exact: at most 6 digits after the point, less than 1000000000000.
             */
            netWeight?: number | null;
            /**
             * Format: int32
             * @description Ship-to customer ID
             */
            shipto?: number | null;
            /** @description Production/assembly ID */
            prodID?: string | null;
            /** @description Specific lot record to issue from */
            recno?: number | null;
            /**
             * Format: int32
             * @description Order line number
             */
            line?: number | null;
            /** @description Extension; true: returns the answer but stores nothing, uses no key and draws no number */
            dryRun?: boolean | null;
        };
        IssueDryRun: {
            /** @description null for a new lot */
            recNo: number | null;
            /** @constant */
            status: "issued";
            /** @description Nothing was done */
            transactionNo: null;
            /**
             * Format: decimal
             * @description Quantity issued
             */
            units: number;
            lots: {
                recNo: number;
                /**
                 * Format: decimal
                 * @description Units taken from this lot
                 */
                units: number;
                /**
                 * Format: decimal
                 * @description Units left in this lot; at 0 it is shipped
                 */
                remaining: number;
            }[];
            /** @description Extension: the ShortID of the item; only if `itemID` was an alias or a GTIN */
            shortID?: string;
            /**
             * @description true: nothing was done
             * @constant
             */
            dryRun: true;
            /** @description At most 50 lots of the item in stock in the warehouse that would not be taken, and why */
            skipped: {
                recNo: number;
                /** @enum {string} */
                reason: "onHold" | "expired" | "filter";
            }[];
        };
        CountCall: {
            /** @description Item ShortID. Extension: or an alias, a GTIN in any of its spellings */
            itemID: string;
            /**
             * Format: int32
             * @description Warehouse ID
             */
            wid: number;
            /**
             * Format: decimal
             * @description Counted quantity. Exact: at most 6 digits after the point, less than 1000000000000000.
             */
            counted: number;
            /**
             * Format: int32
             * @description Reason code of the adjustment
             */
            reasonCode: number;
            /** @description Only this lot record was counted */
            recno?: number | null;
            /** @description Counted bin/location */
            spot?: string | null;
            /** @description Only lots with this serial/lot number were counted */
            serial?: string | null;
            /** @description true: the whole warehouse was counted; needed where no `recno`, `spot` or `serial` says what */
            everywhere?: boolean | null;
            /**
             * Format: decimal
             * @description Expected quantity; 409 if the current one differs. Exact: at most 6 digits after the point, less than 1000000000000000.
             */
            expected?: number | null;
            /** @description Notes */
            remark?: string | null;
            /** @description External reference */
            reference?: string | null;
            /** @description Extension; true: returns the answer but stores nothing, uses no key and draws no number */
            dryRun?: boolean | null;
        };
        CountDryRun: {
            /** @description null for a new lot */
            recNo: number | null;
            /** @constant */
            status: "counted";
            /** @description Nothing was done */
            transactionNo: null;
            /**
             * Format: decimal
             * @description Recorded units before the count
             */
            before: number;
            /**
             * Format: decimal
             * @description Units after the count
             */
            counted: number;
            /**
             * Format: decimal
             * @description counted - before
             */
            difference: number;
            lots: {
                recNo: number | null;
                /**
                 * Format: decimal
                 * @description Units that this lot gained; negative: lost
                 */
                units: number;
                /**
                 * Format: decimal
                 * @description Units in this lot now; at 0 it is shipped
                 */
                remaining: number;
            }[];
            /** @description Extension: the ShortID of the item; only if `itemID` was an alias or a GTIN */
            shortID?: string;
            /**
             * @description true: nothing was done
             * @constant
             */
            dryRun: true;
        };
        ReverseCall: {
            /** @description The transaction to reverse */
            transactionNo: number;
            /** @description Notes */
            remark?: string | null;
            /** @description External reference */
            reference?: string | null;
            /** @description Extension; true: returns the answer but stores nothing, uses no key and draws no number */
            dryRun?: boolean | null;
        };
        ReverseDryRun: {
            /** @description null for a new lot */
            recNo: number | null;
            /** @constant */
            status: "reversed";
            /** @description Nothing was done */
            transactionNo: null;
            /** @description Number of the reversed transaction */
            reverses: number;
            lots: {
                recNo: number;
                /**
                 * Format: decimal
                 * @description Units that this lot gained; negative: lost
                 */
                units: number;
                /**
                 * Format: decimal
                 * @description Units in this lot now; at 0 it is shipped
                 */
                remaining: number;
            }[];
            /**
             * @description true: nothing was done
             * @constant
             */
            dryRun: true;
        };
        HoldCall: {
            /** @description The lot */
            recno: number;
            /** @description true: put it on hold; false: release it */
            hold: boolean;
            /** @description Why: `holdReason` of a lot on hold. That of a release is in the history alone */
            reason?: string | null;
            /** @description Notes */
            remark?: string | null;
            /** @description External reference */
            reference?: string | null;
            /** @description Extension; true: returns the answer but stores nothing, uses no key and draws no number */
            dryRun?: boolean | null;
        };
        HoldDryRun: {
            /** @description Record number of the lot */
            recNo: number;
            /** @enum {string} */
            status: "held" | "released";
            /** @description Nothing was done */
            transactionNo: null;
            /** @description false: the lot was so already, and keeps the reason of its hold */
            changed: boolean;
            /**
             * Format: decimal
             * @description Units in the lot
             */
            units: number;
            /**
             * @description true: nothing was done
             * @constant
             */
            dryRun: true;
        };
        BatchRequest: {
            /**
             * @description `each`: every operation is a transaction of its own. `atomic`: all or nothing
             * @enum {string}
             */
            mode: "each" | "atomic";
            /** @description When the batch was sent, by the clock of the device; shows the error of that clock */
            sentAt?: string | null;
            /** @description Only with `atomic`; true: returns the answer but stores nothing, uses no key and draws no number */
            dryRun?: boolean | null;
            /** @description In this order */
            operations: components["schemas"]["Operation"][];
        };
        Operation: components["schemas"]["ReceiveOperation"] | components["schemas"]["MoveOperation"] | components["schemas"]["IssueOperation"] | components["schemas"]["CountOperation"] | components["schemas"]["ReverseOperation"] | components["schemas"]["HoldOperation"];
        ReceiveOperation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            op: "receive";
            /** @description The Idempotency-Key of this operation, the same as for a single call */
            key?: string | null;
            /** @description Evidence: when the work was done, by the clock of the device */
            capturedAt?: string | null;
            /** @description Evidence: the device */
            deviceID?: string | null;
            /** @description Evidence: the number that the device gave the work */
            deviceSeq?: number | null;
            /** @description Item ShortID. Extension: or an alias, a GTIN in any of its spellings */
            itemID: string;
            /**
             * Format: decimal
             * @description Quantity received. Exact: at most 6 digits after the point, less than 1000000000000.
             */
            units: number;
            /**
             * Format: int32
             * @description Destination warehouse ID
             */
            wid: number;
            /**
             * Format: int32
             * @description Reason code of the adjustment
             */
            reasonCode: number;
            /** @description Bin/location */
            spot?: string | null;
            /** @description Serial or lot number */
            serial?: string | null;
            /** @description Secondary serial */
            serial2?: string | null;
            /** @description RFID tag */
            rfidTag?: string | null;
            /** @description External reference, such as a PO number */
            reference?: string | null;
            /** @description Notes */
            remark?: string | null;
            /**
             * Format: decimal
             * @description Net weight. Exact: at most 6 digits after the point, less than 1000000000000.
             */
            netWeight?: number | null;
            /**
             * Format: decimal
             * @description Gross weight. Exact: at most 6 digits after the point, less than 1000000000000.
             */
            grossWeight?: number | null;
            /**
             * Format: decimal
             * @description Unit cost. Exact: at most 6 digits after the point, less than 1000000000000.
             */
            price?: number | null;
            /** @description Expiration; without an offset, UTC. A date is good through that day, and kept as its last millisecond. */
            expires?: string | null;
            /**
             * Format: int32
             * @description Vendor/supplier ID
             */
            supplier?: number | null;
            /**
             * Format: int32
             * @description PO line number when receiving against a PO
             */
            line?: number | null;
            /**
             * Format: int32
             * @description Job/project ID
             */
            jobid?: number | null;
        };
        MoveOperation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            op: "move";
            /** @description The Idempotency-Key of this operation, the same as for a single call */
            key?: string | null;
            /** @description Evidence: when the work was done, by the clock of the device */
            capturedAt?: string | null;
            /** @description Evidence: the device */
            deviceID?: string | null;
            /** @description Evidence: the number that the device gave the work */
            deviceSeq?: number | null;
            /** @description Item ShortID. Extension: or an alias, a GTIN in any of its spellings */
            itemID: string;
            /**
             * Format: decimal
             * @description Quantity to move. Exact: at most 6 digits after the point, less than 1000000000000.
             */
            units: number;
            /**
             * Format: int32
             * @description Source warehouse ID
             */
            wid: number;
            /** @description Source bin/location */
            fromSpot?: string | null;
            /** @description Destination bin/location */
            toSpot?: string | null;
            /**
             * Format: int32
             * @description Destination warehouse, for a move between warehouses
             */
            shipToWid?: number | null;
            /** @description Transit slip reference */
            transitSlip?: string | null;
            /** @description Serial/lot to move */
            serial?: string | null;
            /** @description Secondary serial */
            serial2?: string | null;
            /** @description RFID tag */
            rfidTag?: string | null;
            /** @description External reference */
            reference?: string | null;
            /** @description Specific lot record to move */
            recno?: number | null;
            /** @description Received on this UTC day (a date) or in this second (a datetime) */
            received?: string | null;
        };
        IssueOperation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            op: "issue";
            /** @description The Idempotency-Key of this operation, the same as for a single call */
            key?: string | null;
            /** @description Evidence: when the work was done, by the clock of the device */
            capturedAt?: string | null;
            /** @description Evidence: the device */
            deviceID?: string | null;
            /** @description Evidence: the number that the device gave the work */
            deviceSeq?: number | null;
            /** @description Item ShortID. Extension: or an alias, a GTIN in any of its spellings */
            itemID: string;
            /**
             * Format: decimal
             * @description Quantity to issue. Exact: at most 6 digits after the point, less than 1000000000000000.
             */
            units: number;
            /**
             * Format: int32
             * @description Source warehouse ID
             */
            wid: number;
            /**
             * Format: int32
             * @description Reason code of the adjustment
             */
            reasonCode: number;
            /** @description Bin/location to issue from */
            spot?: string | null;
            /** @description Serial/lot number */
            serial?: string | null;
            /** @description Secondary serial */
            serial2?: string | null;
            /** @description RFID tag */
            rfidTag?: string | null;
            /** @description External reference */
            reference?: string | null;
            /** @description Notes */
            remark?: string | null;
            /**
             * Format: decimal
             * @description Net weight. Exact: at most 6 digits after the point, less than 1000000000000.
             */
            netWeight?: number | null;
            /**
             * Format: int32
             * @description Ship-to customer ID
             */
            shipto?: number | null;
            /** @description Production/assembly ID */
            prodID?: string | null;
            /** @description Specific lot record to issue from */
            recno?: number | null;
            /**
             * Format: int32
             * @description Order line number
             */
            line?: number | null;
        };
        CountOperation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            op: "count";
            /** @description The Idempotency-Key of this operation, the same as for a single call */
            key?: string | null;
            /** @description Evidence: when the work was done, by the clock of the device */
            capturedAt?: string | null;
            /** @description Evidence: the device */
            deviceID?: string | null;
            /** @description Evidence: the number that the device gave the work */
            deviceSeq?: number | null;
            /** @description Item ShortID. Extension: or an alias, a GTIN in any of its spellings */
            itemID: string;
            /**
             * Format: int32
             * @description Warehouse ID
             */
            wid: number;
            /**
             * Format: decimal
             * @description Counted quantity. Exact: at most 6 digits after the point, less than 1000000000000000.
             */
            counted: number;
            /**
             * Format: int32
             * @description Reason code of the adjustment
             */
            reasonCode: number;
            /** @description Only this lot record was counted */
            recno?: number | null;
            /** @description Counted bin/location */
            spot?: string | null;
            /** @description Only lots with this serial/lot number were counted */
            serial?: string | null;
            /** @description true: the whole warehouse was counted; needed where no `recno`, `spot` or `serial` says what */
            everywhere?: boolean | null;
            /**
             * Format: decimal
             * @description Expected quantity; 409 if the current one differs. Exact: at most 6 digits after the point, less than 1000000000000000.
             */
            expected?: number | null;
            /** @description Notes */
            remark?: string | null;
            /** @description External reference */
            reference?: string | null;
        };
        ReverseOperation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            op: "reverse";
            /** @description The Idempotency-Key of this operation, the same as for a single call */
            key?: string | null;
            /** @description Evidence: when the work was done, by the clock of the device */
            capturedAt?: string | null;
            /** @description Evidence: the device */
            deviceID?: string | null;
            /** @description Evidence: the number that the device gave the work */
            deviceSeq?: number | null;
            /** @description The transaction to reverse */
            transactionNo: number;
            /** @description Notes */
            remark?: string | null;
            /** @description External reference */
            reference?: string | null;
        };
        HoldOperation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            op: "hold";
            /** @description The Idempotency-Key of this operation, the same as for a single call */
            key?: string | null;
            /** @description Evidence: when the work was done, by the clock of the device */
            capturedAt?: string | null;
            /** @description Evidence: the device */
            deviceID?: string | null;
            /** @description Evidence: the number that the device gave the work */
            deviceSeq?: number | null;
            /** @description The lot */
            recno: number;
            /** @description true: put it on hold; false: release it */
            hold: boolean;
            /** @description Why: `holdReason` of a lot on hold. That of a release is in the history alone */
            reason?: string | null;
            /** @description Notes */
            remark?: string | null;
            /** @description External reference */
            reference?: string | null;
        };
        BatchAnswer: {
            /** @enum {string} */
            mode: "each" | "atomic";
            results: components["schemas"]["OperationResult"][];
            summary: {
                applied: number;
                refused: number;
                notApplied: number;
            };
            /**
             * @description false: it was done
             * @constant
             */
            dryRun: false;
        };
        BatchDryRun: {
            /** @constant */
            mode: "atomic";
            /** @description An operation whose key was used has the stored answer */
            results: (components["schemas"]["OperationTried"] | components["schemas"]["OperationApplied"])[];
            summary: {
                applied: number;
                refused: number;
                notApplied: number;
            };
            /**
             * @description true: nothing was done
             * @constant
             */
            dryRun: true;
        };
        OperationTried: {
            /** @description Index in the list, from 0 */
            index: number;
            /** @description The operation's own key */
            key: string | null;
            /** @description The status of the single call */
            statusCode: number;
            /** @description The stored answer of an earlier send */
            replayed: boolean;
            /** @constant */
            status: "applied";
            body: components["schemas"]["ReceiveTried"] | components["schemas"]["MoveTried"] | components["schemas"]["IssueTried"] | components["schemas"]["CountDryRun"] | components["schemas"]["ReverseDryRun"] | components["schemas"]["HoldDryRun"];
        };
        ReceiveTried: {
            recNo: null;
            /** @constant */
            status: "received";
            transactionNo: null;
            lot: {
                recNo: null;
                /** @description Item part number */
                partNo: number;
                /** @description Item SKU */
                shortID: string;
                /** @description Item description */
                description: string;
                /** @description Owner: blank means own stock, otherwise the customer id of the item’s default owner at receipt */
                associate: string;
                /** @description Warehouse name */
                warehouse: string;
                /** @description Warehouse ID */
                wID: number;
                /** @description Bin/location within the warehouse; blank if none was given */
                spot: string;
                /**
                 * Format: decimal
                 * @description Quantity in this lot
                 */
                units: number;
                /**
                 * Format: date-time
                 * @description Date received
                 */
                received: string;
                /** @description Date shipped: when the lot was used up, or emptied by a move to another warehouse; null while still in stock */
                shipped: string | null;
                /** @description Serial/lot number */
                serial: string;
                /** @description Secondary serial number */
                serial2: string | null;
                /** @description RFID tag value */
                rFIDTag: string | null;
                /** @description Notes */
                remark: string;
                /** @description Lot is on hold */
                hold: boolean;
                /** @description Associated job/project ID (0 when none) */
                jobID: number;
                /** @description Job/project name; always null, because jobs are not stored here */
                jobName: string | null;
                /** @description Lot is active */
                active: boolean;
            };
            /** @constant */
            dryRun: true;
        };
        MoveTried: {
            /** @description null for a new lot */
            recNo: number | null;
            /** @constant */
            status: "moved";
            /** @description Nothing was done */
            transactionNo: null;
            /**
             * Format: decimal
             * @description Quantity moved
             */
            units: number;
            lots: {
                recNo: number | null;
                fromRecNo: number | null;
                /**
                 * Format: decimal
                 * @description Units moved
                 */
                units: number;
                /**
                 * Format: decimal
                 * @description In the lot `fromRecNo` afterwards
                 */
                remaining: number;
                wID: number;
                spot: string;
            }[];
            /** @description Extension: the ShortID of the item; only if `itemID` was an alias or a GTIN */
            shortID?: string;
            /**
             * @description true: nothing was done
             * @constant
             */
            dryRun: true;
        };
        IssueTried: {
            /** @description null for a new lot */
            recNo: number | null;
            /** @constant */
            status: "issued";
            /** @description Nothing was done */
            transactionNo: null;
            /**
             * Format: decimal
             * @description Quantity issued
             */
            units: number;
            lots: {
                recNo: number | null;
                /**
                 * Format: decimal
                 * @description Units taken from this lot
                 */
                units: number;
                /**
                 * Format: decimal
                 * @description Units left in this lot; at 0 it is shipped
                 */
                remaining: number;
            }[];
            /** @description Extension: the ShortID of the item; only if `itemID` was an alias or a GTIN */
            shortID?: string;
            /**
             * @description true: nothing was done
             * @constant
             */
            dryRun: true;
        };
        ItemPage: {
            /** @description Records of the current page */
            value: components["schemas"]["Item"][];
            /** @description Total records matching the query, before paging */
            totalCount: number;
            /** @description Current page number */
            page: number;
            /** @description Items per page: the requested size, capped at the maximum */
            pageSize: number;
            /** @description Total pages available */
            pageCount: number;
            /** @description true when more pages follow this one */
            hasMore: boolean;
        };
        Item: {
            /** @description Internal part number; auto-assigned, immutable */
            partNo: number;
            /** @description SKU / part number; unique; cannot be renamed */
            shortID: string;
            /** @description Item description */
            description: string;
            /** @description Category ID */
            category: number;
            /** @description Sub-category ID */
            subCategory: number;
            /** @description Unit of measure (for example EA, KG, M) */
            uOM: string;
            /** @description Packaging description */
            putUp: string;
            /**
             * Format: decimal
             * @description Units per package
             */
            units: number;
            /** @description Default owner as customer ID; 0 means own stock */
            dfltOwner: number;
            /**
             * Format: date-time
             * @description Record creation timestamp
             */
            created: string;
            /** @description Client that created the item */
            createdBy: string;
            /**
             * Format: date-time
             * @description Last modification timestamp
             */
            modified: string;
            /** @description Item is discontinued */
            discontinued: boolean;
        };
        ItemCreateRequest: {
            /** @description SKU; identifies the item */
            shortID?: string | null;
            /** @description Other spelling of shortID */
            itemID?: string | null;
            /** @description Item description */
            description?: string | null;
            /**
             * Format: int32
             * @description Category ID
             */
            category?: number | null;
            /**
             * Format: int32
             * @description Sub-category ID
             */
            subCategory?: number | null;
            /** @description Unit of measure */
            uOM?: string | null;
            /** @description Packaging description */
            putUp?: string | null;
            /**
             * Format: decimal
             * @description Units per package. Exact: at most 6 digits after the point, less than 1000000000000.
             */
            units?: number | null;
            /**
             * Format: int32
             * @description Default owner as customer ID; 0 means own stock
             */
            dfltOwner?: number | null;
            /** @description true discontinues the item, false reactivates it */
            discontinued?: boolean | null;
            /**
             * Format: int32
             * @description Other spelling of category
             */
            categoryID?: number | null;
            /** @description Other spelling of uOM */
            unit?: string | null;
            /** @description Opposite of discontinued */
            active?: boolean | null;
        } | {
            shortID: unknown;
        } | {
            itemID: unknown;
        };
        ItemCreated: {
            /** @description Internal part number; auto-assigned, immutable */
            partNo: number;
            /** @description SKU / part number; unique; cannot be renamed */
            shortID: string;
            /** @description Item description */
            description: string;
            /** @description Category ID */
            category: number;
            /** @description Sub-category ID */
            subCategory: number;
            /** @description Unit of measure (for example EA, KG, M) */
            uOM: string;
            /** @description Packaging description */
            putUp: string;
            /**
             * Format: decimal
             * @description Units per package
             */
            units: number;
            /** @description Default owner as customer ID; 0 means own stock */
            dfltOwner: number;
            /**
             * Format: date-time
             * @description Record creation timestamp
             */
            created: string;
            /** @description Client that created the item */
            createdBy: string;
            /**
             * Format: date-time
             * @description Last modification timestamp
             */
            modified: string;
            /** @description Item is discontinued */
            discontinued: boolean;
            /** @constant */
            status: "created";
        };
        ItemUpdateRequest: {
            /** @description SKU; identifies the item */
            shortID: string;
            /** @description Item description */
            description?: string | null;
            /**
             * Format: int32
             * @description Category ID
             */
            category?: number | null;
            /**
             * Format: int32
             * @description Sub-category ID
             */
            subCategory?: number | null;
            /** @description Unit of measure */
            uOM?: string | null;
            /** @description Packaging description */
            putUp?: string | null;
            /**
             * Format: decimal
             * @description Units per package. Exact: at most 6 digits after the point, less than 1000000000000.
             */
            units?: number | null;
            /**
             * Format: int32
             * @description Default owner as customer ID; 0 means own stock
             */
            dfltOwner?: number | null;
            /** @description true discontinues the item, false reactivates it */
            discontinued?: boolean | null;
            /**
             * Format: int32
             * @description Other spelling of category
             */
            categoryID?: number | null;
            /** @description Other spelling of uOM */
            unit?: string | null;
            /** @description Opposite of discontinued */
            active?: boolean | null;
        };
        AliasPage: {
            /** @description Records of the current page */
            value: components["schemas"]["Alias"][];
            /** @description Total records matching the query, before paging */
            totalCount: number;
            /** @description Current page number */
            page: number;
            /** @description Items per page: the requested size, capped at the maximum */
            pageSize: number;
            /** @description Total pages available */
            pageCount: number;
            /** @description true when more pages follow this one */
            hasMore: boolean;
        };
        Alias: {
            alias: string;
            /**
             * Format: decimal
             * @description The units that one scan of it stands for
             */
            units: number;
        };
        TaughtAlias: {
            /**
             * Format: decimal
             * @description The units that one scan of it stands for. Default: 1, or as it is. Exact: at most 6 digits after the point, less than 1000000000000.
             */
            units?: number | null;
        };
        ReasonPage: {
            /** @description Records of the current page */
            value: components["schemas"]["Reason"][];
            /** @description Total records matching the query, before paging */
            totalCount: number;
            /** @description Current page number */
            page: number;
            /** @description Items per page: the requested size, capped at the maximum */
            pageSize: number;
            /** @description Total pages available */
            pageCount: number;
            /** @description true when more pages follow this one */
            hasMore: boolean;
        };
        Reason: {
            /** @description The code, as operations send it */
            reasonCode: number;
            /** @description Its name */
            name: string;
            /** @description The operations for which it is meant */
            operations: ("receive" | "issue" | "count")[];
        };
        ScanRequest: {
            /** @description 1 to 500 codes */
            scans: {
                /** @description The code as it was read, with its symbology identifier if the scanner sends one; FNC1 is U+001D */
                data: string;
                /** @description The symbology identifier (ISO/IEC 15424), if the scanner sends it beside the data */
                symbology?: string;
            }[];
            /**
             * Format: int32
             * @description Only this warehouse; otherwise all in the scope
             */
            wid?: number | null;
        };
        ScanAnswer: {
            /** @description In the order of `scans` */
            results: {
                /** @description As sent */
                data: string;
                /** @description true: the matches are not all of one item, or a spot is in several warehouses; ask the user */
                ambiguous: boolean;
                /** @description null: the code is not read as GS1 */
                gs1: components["schemas"]["ScannedGs1"] | null;
                /** @description Why a code that claims to be GS1 is not read as GS1 */
                fault: {
                    /** @description The Application Identifier, or the characters in its place; null: the code as a whole */
                    ai: string | null;
                    message: string;
                } | null;
                /** @description At most 20, in the order of their kinds */
                matches: components["schemas"]["ScanMatch"][];
                /** @description true: there are more, or they did not fit into the answer, which is at most 1 MiB */
                moreMatches: boolean;
                /** @description Index, from 0, of an earlier scan in the list with the same code. That result has all matches; this one has only the first */
                sameAs?: number;
            }[];
        };
        ScannedGs1: {
            /**
             * @description How the data is written; `gtin`: a bare GTIN
             * @enum {string}
             */
            form: "elementString" | "brackets" | "digitalLink" | "gtin";
            /** @description AI 01, or 02, in 14 digits */
            gtin: string | null;
            /** @description AI 00 */
            sscc: string | null;
            /** @description AI 10, the batch or lot: `serial` of a lot */
            serial: string | null;
            /** @description AI 21, the serial number: `serial2` of a lot */
            serial2: string | null;
            /** @description AI 17 */
            expires: string | null;
            /** @description AI 30 or 37 */
            units: number | null;
            /** @description AI 310n, kilograms, exact */
            netWeight: number | null;
            /** @description All Application Identifiers, in the order of the code */
            elements: {
                /** @description Application Identifier */
                ai: string;
                /** @description Its value, as encoded */
                value: string;
                /**
                 * Format: date
                 * @description The date in the value; day 00 is the last of the month
                 */
                date?: string;
                /**
                 * Format: decimal
                 * @description A count or a measure, exact
                 */
                number?: number;
            }[];
            /** @description Application Identifiers that stand in it more than once, with the same value */
            repeated: string[];
        };
        ScanMatch: {
            /**
             * @description The ShortID of the item
             * @constant
             */
            kind: "item";
            partNo: number;
            shortID: string;
            /** @description Told in the first match of the item in a result; empty in further ones, and where `sameAs` stands */
            description: string;
            operation: components["schemas"]["ScanOperation"];
        } | {
            /**
             * @description An alias of the item; a GTIN in the spelling in which it was taught
             * @constant
             */
            kind: "alias";
            alias: string;
            /**
             * Format: decimal
             * @description The units that one scan of the alias stands for
             */
            units: number;
            partNo: number;
            shortID: string;
            /** @description Told in the first match of the item in a result; empty in further ones, and where `sameAs` stands */
            description: string;
            operation: components["schemas"]["ScanOperation"];
        } | {
            /**
             * @description The field of the lot that has the code; `lot`: recNo
             * @enum {string}
             */
            kind: "lot" | "serial" | "serial2" | "rfidTag";
            recNo: number;
            partNo: number;
            shortID: string;
            /** @description Told in the first match of the item in a result; empty in further ones, and where `sameAs` stands */
            description: string;
            wID: number;
            spot: string;
            /** Format: decimal */
            units: number;
            serial: string;
            serial2: string | null;
            rFIDTag: string | null;
            expires: string | null;
            hold: boolean;
            active: boolean;
            /** @description null: the lot is used up */
            operation: components["schemas"]["ScanOperation"] | null;
        } | {
            /**
             * @description A spot that has or had lots
             * @constant
             */
            kind: "spot";
            wID: number;
            spot: string;
            operation: components["schemas"]["ScanOperation"];
        };
        ScanOperation: {
            /**
             * @description The call, and `op` of an operation in a batch
             * @enum {string}
             */
            op: "receive" | "move" | "issue";
            /** @description Can be sent as it stands once the missing fields are filled in */
            body: {
                itemID?: string;
                wid?: number;
                recno?: number;
                /** Format: decimal */
                units?: number;
                toSpot?: string;
                serial?: string;
                serial2?: string;
                /** Format: date */
                expires?: string;
                /** Format: decimal */
                netWeight?: number;
            };
            /** @description The required fields that the code does not tell */
            missing: string[];
        };
    };
    responses: {
        /** @description The token is missing, invalid or expired */
        Unauthorized: {
            headers: {
                "X-API-Version": components["headers"]["X-API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                "RateLimit-Policy"?: string;
                /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                RateLimit?: string;
                /** @description handling=strict: no unknown name was ignored (extension) */
                "Preference-Applied"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is too large */
        TooLarge: {
            headers: {
                "X-API-Version": components["headers"]["X-API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                "RateLimit-Policy"?: string;
                /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                RateLimit?: string;
                /** @description handling=strict: no unknown name was ignored (extension) */
                "Preference-Applied"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is compressed; it was not read */
        Compressed: {
            headers: {
                "X-API-Version": components["headers"]["X-API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "Accept-Encoding": components["headers"]["Accept-Encoding"];
                /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                "RateLimit-Policy"?: string;
                /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                RateLimit?: string;
                /** @description handling=strict: no unknown name was ignored (extension) */
                "Preference-Applied"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body did not come in time; the connection ends */
        TooSlow: {
            headers: {
                "X-API-Version": components["headers"]["X-API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                "RateLimit-Policy"?: string;
                /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                RateLimit?: string;
                /** @description handling=strict: no unknown name was ignored (extension) */
                "Preference-Applied"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too many requests: wait for `Retry-After` seconds */
        RateLimited: {
            headers: {
                "X-API-Version": components["headers"]["X-API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RateLimited"];
            };
        };
        /** @description The service failed; nothing was applied */
        InternalError: {
            headers: {
                "X-API-Version": components["headers"]["X-API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                "RateLimit-Policy"?: string;
                /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                RateLimit?: string;
                /** @description handling=strict: no unknown name was ignored (extension) */
                "Preference-Applied"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Temporarily unavailable */
        Unavailable: {
            headers: {
                "X-API-Version": components["headers"]["X-API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Cache-Control": components["headers"]["Cache-Control"];
                "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                "Retry-After": components["headers"]["Retry-After"];
                /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                "RateLimit-Policy"?: string;
                /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                RateLimit?: string;
                /** @description handling=strict: no unknown name was ignored (extension) */
                "Preference-Applied"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description Extension: any text of your own, unique per request that should be applied once. With it the request can be sent again: it is applied once, and the stored answer comes back for at least 7 days. 1 to 255 visible ASCII characters, such as a UUID. */
        "Idempotency-Key": string;
        /** @description Extension: the id of the last event that a reader of server-sent events got; it goes before `after`. */
        "Last-Event-ID": string;
        /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
        Prefer: string;
        /** @description An id of your own for this request; the answer and our logs carry it. */
        "X-Request-Id": string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The version of the API
         * @example v1
         */
        "X-API-Version": string;
        /**
         * @description The request's id: the one that was sent, or else a generated one
         * @example 3f6c1b9e-0d0b-4a54-9c1b-9f0f7b1d7c55
         */
        "X-Request-Id": string;
        /**
         * @description Total matching records
         * @example 1
         */
        "X-Total-Count": number;
        /**
         * @description Current page
         * @example 1
         */
        "X-Page": number;
        /**
         * @description Items per page
         * @example 25
         */
        "X-Page-Size": number;
        /**
         * @description The value for the next `modifiedSince`, so that no change is missed (extension). If you read several pages, use the value of the first
         * @example 2026-01-31T08:00:00.000Z
         */
        "X-Next-Modified-Since": string;
        /**
         * @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension)
         * @example "default";q=100;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Requests left (r) in this window, and the seconds until it ends (t)
         * @example "default";r=99;t=60
         */
        RateLimit: string;
        /**
         * @description Seconds to wait before trying again
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description handling=strict: no unknown name was ignored (extension)
         * @example handling=strict
         */
        "Preference-Applied": string;
        /**
         * @description How to authenticate
         * @example Bearer
         */
        "WWW-Authenticate": string;
        /**
         * @description The accepted encoding of a body: none
         * @example identity
         */
        "Accept-Encoding": string;
        /**
         * @description Answers must not be cached
         * @example no-store
         */
        "Cache-Control": string;
        /**
         * @description Answers are JSON, whatever they look like
         * @example nosniff
         */
        "X-Content-Type-Options": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description A token */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenAnswer"];
                };
            };
            /** @description The request is malformed */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description The client is unknown or its secret is wrong */
            401: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    /** @description How to authenticate */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            /** @description A wrong secret, and too many came before it: wait for `Retry-After` seconds */
            429: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RateLimited"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listActivity: {
        parameters: {
            query: {
                /** @description Page number, 1-based */
                page?: number;
                /** @description Items per page; more than 1000 is capped to 1000 */
                pageSize?: number;
                /**
                 * @description The first moment
                 * @example 2026-01-01
                 */
                from: string;
                /**
                 * @description The last moment; a date: through its end, UTC
                 * @example 2026-01-31
                 */
                to: string;
                /** @description How long each record is, UTC */
                by?: "hour" | "day";
            };
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "X-Page": components["headers"]["X-Page"];
                    "X-Page-Size": components["headers"]["X-Page-Size"];
                    "X-Next-Modified-Since": components["headers"]["X-Next-Modified-Since"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityPage"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                /** @description Page number, 1-based */
                page?: number;
                /** @description Items per page; more than 250 is capped to 250 */
                pageSize?: number;
                /** @description Column to sort by. Empty fields, null or blank, come last in both directions, text in the order of its code points. Any other value: the default order; `direction` is ignored */
                sort?: "transactionNo";
                /** @description ASC or DESC (any case); anything else is ASC. Only together with `sort` */
                direction?: "ASC" | "DESC";
                /** @description Only records modified at this moment or later (UTC when it has no offset). To miss nothing, a value of `X-Next-Modified-Since` */
                modifiedSince?: string;
                /** @description Only transactions of this kind */
                kind?: "receive" | "move" | "issue" | "count" | "reverse" | "hold";
                /** @description Only transactions of the item with this ShortID */
                itemID?: string;
                /** @description Only transactions that touched this warehouse */
                wid?: number;
                /** @description Only transactions with a line of this lot, and its holds */
                recNo?: number;
                /** @description Only transactions with a line of a lot with this serial, and its holds */
                serial?: string;
                /** @description Only transactions with this external reference */
                reference?: string;
                /** @description Only transactions of this client */
                clientId?: string;
                /** @description Only transactions of this device */
                deviceID?: string;
                /** @description Only transactions applied at this moment or later */
                startDate?: string;
                /** @description Only transactions applied at this moment or earlier; a date: through its end, UTC */
                endDate?: string;
            };
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "X-Page": components["headers"]["X-Page"];
                    "X-Page-Size": components["headers"]["X-Page-Size"];
                    "X-Next-Modified-Since": components["headers"]["X-Next-Modified-Since"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionPage"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTransaction: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description Transaction number
                 * @example 17
                 */
                transactionNo: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such resource */
            404: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getLot: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description Lot record number
                 * @example 6
                 */
                recNo: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LotWithHistory"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such resource */
            404: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getChanges: {
        parameters: {
            query?: {
                /** @description A `nextCursor`, or the `cursor` of `GET /Me`: only changes behind it. `now`: none, only a cursor. Without it: from the beginning */
                after?: string;
                /** @description The most changes of one answer; more than 1000 is capped to 1000 */
                limit?: number;
                /** @description Seconds to wait for a change if there is none; more than 25 is capped to 25 */
                wait?: number;
            };
            header?: {
                /** @description Extension: the id of the last event that a reader of server-sent events got; it goes before `after`. */
                "Last-Event-ID"?: components["parameters"]["Last-Event-ID"];
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangePage"];
                    "text/event-stream": string;
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The current state does not allow it */
            409: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhooks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listStockAt: {
        parameters: {
            query: {
                /** @description Page number, 1-based */
                page?: number;
                /** @description Items per page; more than 250 is capped to 250 */
                pageSize?: number;
                /**
                 * @description The moment; a date: its end, UTC
                 * @example 2026-01-31
                 */
                time: string;
                /** @description Only stock in this warehouse */
                wid?: number;
                /** @description Only the item with this ShortID */
                itemID?: string;
                /** @description Only the item with this part number */
                partNo?: number;
                /** @description Only items with these part numbers, up to 100 */
                partNos?: string;
            };
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "X-Page": components["headers"]["X-Page"];
                    "X-Page-Size": components["headers"]["X-Page-Size"];
                    "X-Next-Modified-Since": components["headers"]["X-Next-Modified-Since"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StockAtPage"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getStockDays: {
        parameters: {
            query: {
                /**
                 * @description The item with this part number
                 * @example 5
                 */
                partNo: number;
                /** @description Only in this warehouse */
                wid?: number;
                /**
                 * @description The first day, UTC
                 * @example 2026-01-01
                 */
                from: string;
                /**
                 * @description The last day, UTC; at most a year after the first
                 * @example 2026-01-31
                 */
                to: string;
            };
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StockDayList"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such resource */
            404: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listLots: {
        parameters: {
            query?: {
                /** @description Page number, 1-based */
                page?: number;
                /** @description Items per page; more than 250 is capped to 250 */
                pageSize?: number;
                /** @description Column to sort by. Empty fields, null or blank, come last in both directions, text in the order of its code points. Any other value: the default order; `direction` is ignored */
                sort?: "recNo" | "partNo" | "shortID" | "description" | "associate" | "warehouse" | "wID" | "spot" | "units" | "received" | "shipped" | "serial" | "serial2" | "rFIDTag" | "remark" | "hold" | "jobID" | "jobName" | "active" | "expires";
                /** @description ASC or DESC (any case); anything else is ASC. Only together with `sort` */
                direction?: "ASC" | "DESC";
                /** @description Only records modified at this moment or later (UTC when it has no offset). To miss nothing, a value of `X-Next-Modified-Since` */
                modifiedSince?: string;
                /** @description Extension: only lots that are (not) in stock */
                inStock?: boolean;
                /** @description Extension: only lots of the item with this ShortID */
                itemID?: string;
                /** @description Extension: only lots at this spot */
                spot?: string;
                /** @description Extension: only lots with this serial */
                serial?: string;
                /** @description Extension: only lots that are (not) on hold */
                hold?: boolean;
                /** @description Extension: only this lot */
                recNo?: number;
                /** @description Extension: only lots with this RFID tag */
                rfidTag?: string;
                /** @description Extension: only lots with this secondary serial */
                serial2?: string;
                /** @description Extension: only lots of this job */
                jobID?: number;
                /** @description Extension: only lots that expire before this time, or before this UTC day begins; a lot that was received with a date is good through that day */
                expiresBefore?: string;
                /** @description Extension: full shows every field that is stored */
                view?: "full";
            };
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "X-Page": components["headers"]["X-Page"];
                    "X-Page-Size": components["headers"]["X-Page-Size"];
                    "X-Next-Modified-Since": components["headers"]["X-Next-Modified-Since"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullLotPage"] | components["schemas"]["LotPage"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listStockLevels: {
        parameters: {
            query?: {
                /** @description Page number, 1-based */
                page?: number;
                /** @description Items per page; more than 250 is capped to 250 */
                pageSize?: number;
                /** @description Column to sort by. Empty fields, null or blank, come last in both directions, text in the order of its code points. Any other value: the default order; `direction` is ignored */
                sort?: "partNo" | "available" | "inStock" | "onOrder" | "onHold" | "committed" | "packed" | "aSN" | "shortID" | "description";
                /** @description ASC or DESC (any case); anything else is ASC. Only together with `sort` */
                direction?: "ASC" | "DESC";
                /** @description Only records modified at this moment or later (UTC when it has no offset). To miss nothing, a value of `X-Next-Modified-Since` */
                modifiedSince?: string;
                /** @description Extension: only the item with this ShortID */
                itemID?: string;
                /** @description Extension: only the item with this part number */
                partNo?: number;
                /** @description Extension: only items with these part numbers, up to 100 */
                partNos?: string;
                /** @description Extension: true: only items below their minimum in at least one of the warehouses; false: in none */
                belowMinimum?: boolean;
                /** @description Extension: full shows every field that is stored */
                view?: "full";
            };
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "X-Page": components["headers"]["X-Page"];
                    "X-Page-Size": components["headers"]["X-Page-Size"];
                    "X-Next-Modified-Since": components["headers"]["X-Next-Modified-Since"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullStockLevelPage"] | components["schemas"]["StockLevelPage"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWarehouseStockLevels: {
        parameters: {
            query?: {
                /** @description Page number, 1-based */
                page?: number;
                /** @description Items per page; more than 250 is capped to 250 */
                pageSize?: number;
                /** @description Column to sort by. Empty fields, null or blank, come last in both directions, text in the order of its code points. Any other value: the default order; `direction` is ignored */
                sort?: "partNo" | "available" | "inStock" | "onOrder" | "onHold" | "committed" | "packed" | "aSN" | "shortID" | "description";
                /** @description ASC or DESC (any case); anything else is ASC. Only together with `sort` */
                direction?: "ASC" | "DESC";
                /** @description Only records modified at this moment or later (UTC when it has no offset). To miss nothing, a value of `X-Next-Modified-Since` */
                modifiedSince?: string;
                /** @description Extension: only the item with this ShortID */
                itemID?: string;
                /** @description Extension: only the item with this part number */
                partNo?: number;
                /** @description Extension: only items with these part numbers, up to 100 */
                partNos?: string;
                /** @description Extension: true: only items below their minimum in at least one of the warehouses; false: in none */
                belowMinimum?: boolean;
                /** @description Extension: full shows every field that is stored */
                view?: "full";
            };
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description Warehouse ID
                 * @example 2
                 */
                wid: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "X-Page": components["headers"]["X-Page"];
                    "X-Page-Size": components["headers"]["X-Page-Size"];
                    "X-Next-Modified-Since": components["headers"]["X-Next-Modified-Since"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullStockLevelPage"] | components["schemas"]["StockLevelPage"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such resource */
            404: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    setMinimum: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description Warehouse ID
                 * @example 2
                 */
                wid: number;
                /**
                 * @description Internal part number
                 * @example 5
                 */
                partNo: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MinimumToSet"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Minimum"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such resource */
            404: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description Busy or unavailable; nothing was applied unless `outcome` says otherwise */
            503: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "Retry-After": components["headers"]["Retry-After"];
                    /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                    "RateLimit-Policy"?: string;
                    /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                    RateLimit?: string;
                    /** @description handling=strict: no unknown name was ignored (extension) */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWarehouseLots: {
        parameters: {
            query?: {
                /** @description Page number, 1-based */
                page?: number;
                /** @description Items per page; more than 250 is capped to 250 */
                pageSize?: number;
                /** @description Column to sort by. Empty fields, null or blank, come last in both directions, text in the order of its code points. Any other value: the default order; `direction` is ignored */
                sort?: "recNo" | "partNo" | "shortID" | "description" | "associate" | "warehouse" | "wID" | "spot" | "units" | "received" | "shipped" | "serial" | "serial2" | "rFIDTag" | "remark" | "hold" | "jobID" | "jobName" | "active" | "expires";
                /** @description ASC or DESC (any case); anything else is ASC. Only together with `sort` */
                direction?: "ASC" | "DESC";
                /** @description Only records modified at this moment or later (UTC when it has no offset). To miss nothing, a value of `X-Next-Modified-Since` */
                modifiedSince?: string;
                /** @description Extension: only lots that are (not) in stock */
                inStock?: boolean;
                /** @description Extension: only lots of the item with this ShortID */
                itemID?: string;
                /** @description Extension: only lots at this spot */
                spot?: string;
                /** @description Extension: only lots with this serial */
                serial?: string;
                /** @description Extension: only lots that are (not) on hold */
                hold?: boolean;
                /** @description Extension: only this lot */
                recNo?: number;
                /** @description Extension: only lots with this RFID tag */
                rfidTag?: string;
                /** @description Extension: only lots with this secondary serial */
                serial2?: string;
                /** @description Extension: only lots of this job */
                jobID?: number;
                /** @description Extension: only lots that expire before this time, or before this UTC day begins; a lot that was received with a date is good through that day */
                expiresBefore?: string;
                /** @description Extension: full shows every field that is stored */
                view?: "full";
            };
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description Warehouse ID
                 * @example 2
                 */
                wid: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "X-Page": components["headers"]["X-Page"];
                    "X-Page-Size": components["headers"]["X-Page-Size"];
                    "X-Next-Modified-Since": components["headers"]["X-Next-Modified-Since"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullLotPage"] | components["schemas"]["LotPage"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such resource */
            404: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    receive: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: any text of your own, unique per request that should be applied once. With it the request can be sent again: it is applied once, and the stored answer comes back for at least 7 days. 1 to 255 visible ASCII characters, such as a UUID. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReceiveCall"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiveAnswer"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            408: components["responses"]["TooSlow"];
            /** @description The stock does not allow it, or the key was used with another body */
            409: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description Busy or unavailable; nothing was applied unless `outcome` says otherwise */
            503: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "Retry-After": components["headers"]["Retry-After"];
                    /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                    "RateLimit-Policy"?: string;
                    /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                    RateLimit?: string;
                    /** @description handling=strict: no unknown name was ignored (extension) */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    move: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: any text of your own, unique per request that should be applied once. With it the request can be sent again: it is applied once, and the stored answer comes back for at least 7 days. 1 to 255 visible ASCII characters, such as a UUID. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoveCall"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MoveAnswer"] | components["schemas"]["MoveDryRun"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            408: components["responses"]["TooSlow"];
            /** @description The stock does not allow it, or the key was used with another body */
            409: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description Busy or unavailable; nothing was applied unless `outcome` says otherwise */
            503: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "Retry-After": components["headers"]["Retry-After"];
                    /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                    "RateLimit-Policy"?: string;
                    /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                    RateLimit?: string;
                    /** @description handling=strict: no unknown name was ignored (extension) */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    issue: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: any text of your own, unique per request that should be applied once. With it the request can be sent again: it is applied once, and the stored answer comes back for at least 7 days. 1 to 255 visible ASCII characters, such as a UUID. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssueCall"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssueAnswer"] | components["schemas"]["IssueDryRun"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            408: components["responses"]["TooSlow"];
            /** @description The stock does not allow it, or the key was used with another body */
            409: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description Busy or unavailable; nothing was applied unless `outcome` says otherwise */
            503: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "Retry-After": components["headers"]["Retry-After"];
                    /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                    "RateLimit-Policy"?: string;
                    /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                    RateLimit?: string;
                    /** @description handling=strict: no unknown name was ignored (extension) */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    count: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: any text of your own, unique per request that should be applied once. With it the request can be sent again: it is applied once, and the stored answer comes back for at least 7 days. 1 to 255 visible ASCII characters, such as a UUID. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CountCall"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CountAnswer"] | components["schemas"]["CountDryRun"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            408: components["responses"]["TooSlow"];
            /** @description The stock does not allow it, or the key was used with another body */
            409: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description Busy or unavailable; nothing was applied unless `outcome` says otherwise */
            503: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "Retry-After": components["headers"]["Retry-After"];
                    /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                    "RateLimit-Policy"?: string;
                    /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                    RateLimit?: string;
                    /** @description handling=strict: no unknown name was ignored (extension) */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reverse: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: any text of your own, unique per request that should be applied once. With it the request can be sent again: it is applied once, and the stored answer comes back for at least 7 days. 1 to 255 visible ASCII characters, such as a UUID. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReverseCall"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReverseAnswer"] | components["schemas"]["ReverseDryRun"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such resource */
            404: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            408: components["responses"]["TooSlow"];
            /** @description The stock does not allow it, or the key was used with another body */
            409: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description Busy or unavailable; nothing was applied unless `outcome` says otherwise */
            503: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "Retry-After": components["headers"]["Retry-After"];
                    /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                    "RateLimit-Policy"?: string;
                    /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                    RateLimit?: string;
                    /** @description handling=strict: no unknown name was ignored (extension) */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    hold: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: any text of your own, unique per request that should be applied once. With it the request can be sent again: it is applied once, and the stored answer comes back for at least 7 days. 1 to 255 visible ASCII characters, such as a UUID. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HoldCall"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HoldAnswer"] | components["schemas"]["HoldDryRun"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such resource */
            404: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            408: components["responses"]["TooSlow"];
            /** @description The stock does not allow it, or the key was used with another body */
            409: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description Busy or unavailable; nothing was applied unless `outcome` says otherwise */
            503: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "Retry-After": components["headers"]["Retry-After"];
                    /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                    "RateLimit-Policy"?: string;
                    /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                    RateLimit?: string;
                    /** @description handling=strict: no unknown name was ignored (extension) */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    batch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: any text of your own, unique per request that should be applied once. With it the request can be sent again: it is applied once, and the stored answer comes back for at least 7 days. 1 to 255 visible ASCII characters, such as a UUID. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchAnswer"] | components["schemas"]["BatchDryRun"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            408: components["responses"]["TooSlow"];
            /** @description The stock does not allow it, or the key was used with another body */
            409: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description true: the stored answer of an earlier request with this key (extension) */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchError"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description Busy or unavailable; nothing was applied unless `outcome` says otherwise */
            503: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "Retry-After": components["headers"]["Retry-After"];
                    /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                    "RateLimit-Policy"?: string;
                    /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                    RateLimit?: string;
                    /** @description handling=strict: no unknown name was ignored (extension) */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchError"];
                };
            };
        };
    };
    listItems: {
        parameters: {
            query?: {
                /** @description With `type`: one item by ShortID or alias */
                key?: string;
                /** @description Whether `key` is a ShortID (id) or an alias; required with `key` */
                type?: "id" | "alias";
                /** @description All active items of this category, as a flat array */
                Category?: number;
                /** @description Page number, 1-based */
                page?: number;
                /** @description Items per page; more than 250 is capped to 250 */
                pageSize?: number;
                /** @description Column to sort by. Empty fields, null or blank, come last in both directions, text in the order of its code points. Any other value: the default order; `direction` is ignored */
                sort?: "partNo" | "shortID" | "description" | "category" | "subCategory" | "uOM" | "putUp" | "units" | "dfltOwner" | "created" | "createdBy" | "modified" | "discontinued";
                /** @description ASC or DESC (any case); anything else is ASC. Only together with `sort` */
                direction?: "ASC" | "DESC";
                /** @description Only records modified at this moment or later (UTC when it has no offset). To miss nothing, a value of `X-Next-Modified-Since` */
                modifiedSince?: string;
                /** @description Extension: only items whose ShortID, description or an alias contains this text, in any case. No character has a special meaning */
                search?: string;
                /** @description Extension: full shows every field that is stored */
                view?: string;
            };
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    /** @description Total matching records */
                    "X-Total-Count"?: number;
                    /** @description Current page */
                    "X-Page"?: number;
                    /** @description Items per page */
                    "X-Page-Size"?: number;
                    /** @description The value for the next `modifiedSince`, so that no change is missed (extension). If you read several pages, use the value of the first */
                    "X-Next-Modified-Since"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemPage"] | components["schemas"]["Item"] | components["schemas"]["Item"][];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such resource */
            404: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateItem: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ItemUpdateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        shortID: string;
                        /** @constant */
                        status: "updated";
                    };
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such resource */
            404: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description Busy or unavailable; nothing was applied unless `outcome` says otherwise */
            503: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "Retry-After": components["headers"]["Retry-After"];
                    /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                    "RateLimit-Policy"?: string;
                    /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                    RateLimit?: string;
                    /** @description handling=strict: no unknown name was ignored (extension) */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createItem: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ItemCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemCreated"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description Busy or unavailable; nothing was applied unless `outcome` says otherwise */
            503: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "Retry-After": components["headers"]["Retry-After"];
                    /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                    "RateLimit-Policy"?: string;
                    /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                    RateLimit?: string;
                    /** @description handling=strict: no unknown name was ignored (extension) */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAllItems: {
        parameters: {
            query?: {
                /** @description Page number, 1-based */
                page?: number;
                /** @description Items per page; more than 250 is capped to 250 */
                pageSize?: number;
                /** @description Column to sort by. Empty fields, null or blank, come last in both directions, text in the order of its code points. Any other value: the default order; `direction` is ignored */
                sort?: "partNo" | "shortID" | "description" | "category" | "subCategory" | "uOM" | "putUp" | "units" | "dfltOwner" | "created" | "createdBy" | "modified" | "discontinued";
                /** @description ASC or DESC (any case); anything else is ASC. Only together with `sort` */
                direction?: "ASC" | "DESC";
                /** @description Only records modified at this moment or later (UTC when it has no offset). To miss nothing, a value of `X-Next-Modified-Since` */
                modifiedSince?: string;
                /** @description Extension: only items whose ShortID, description or an alias contains this text, in any case. No character has a special meaning */
                search?: string;
                /** @description Extension: full shows every field that is stored */
                view?: "full";
            };
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "X-Page": components["headers"]["X-Page"];
                    "X-Page-Size": components["headers"]["X-Page-Size"];
                    "X-Next-Modified-Since": components["headers"]["X-Next-Modified-Since"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemPage"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getItem: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description Internal part number
                 * @example 1
                 */
                partNoOrShortID: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Item"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such resource */
            404: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    discontinueItem: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description SKU, percent-encoded
                 * @example CABLE-3G15
                 */
                partNoOrShortID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        shortID: string;
                        /** @constant */
                        status: "discontinued";
                    };
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such resource */
            404: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description Busy or unavailable; nothing was applied unless `outcome` says otherwise */
            503: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "Retry-After": components["headers"]["Retry-After"];
                    /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                    "RateLimit-Policy"?: string;
                    /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                    RateLimit?: string;
                    /** @description handling=strict: no unknown name was ignored (extension) */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAliases: {
        parameters: {
            query?: {
                /** @description Page number, 1-based */
                page?: number;
                /** @description Items per page; more than 250 is capped to 250 */
                pageSize?: number;
            };
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description Internal part number
                 * @example 1
                 */
                partNo: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "X-Page": components["headers"]["X-Page"];
                    "X-Page-Size": components["headers"]["X-Page-Size"];
                    "X-Next-Modified-Since": components["headers"]["X-Next-Modified-Since"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AliasPage"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such resource */
            404: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    teachAlias: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description Internal part number
                 * @example 1
                 */
                partNo: number;
                /**
                 * @description The other name, percent-encoded; a GTIN in any of its spellings
                 * @example 614141000036
                 */
                alias: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TaughtAlias"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        alias: string;
                        partNo: number;
                        /** @enum {string} */
                        status: "added" | "changed" | "unchanged";
                        /**
                         * Format: decimal
                         * @description The units that one scan of it stands for
                         */
                        units: number;
                    };
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such resource */
            404: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            408: components["responses"]["TooSlow"];
            /** @description The current state does not allow it */
            409: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description Busy or unavailable; nothing was applied unless `outcome` says otherwise */
            503: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "Retry-After": components["headers"]["Retry-After"];
                    /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                    "RateLimit-Policy"?: string;
                    /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                    RateLimit?: string;
                    /** @description handling=strict: no unknown name was ignored (extension) */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeAlias: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description Internal part number
                 * @example 1
                 */
                partNo: number;
                /**
                 * @description The other name, percent-encoded; a GTIN in any of its spellings
                 * @example 614141000036
                 */
                alias: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        alias: string;
                        partNo: number;
                        /** @constant */
                        status: "removed";
                    };
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is no such resource */
            404: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            /** @description Busy or unavailable; nothing was applied unless `outcome` says otherwise */
            503: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "Retry-After": components["headers"]["Retry-After"];
                    /** @description The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension) */
                    "RateLimit-Policy"?: string;
                    /** @description Requests left (r) in this window, and the seconds until it ends (t) */
                    RateLimit?: string;
                    /** @description handling=strict: no unknown name was ignored (extension) */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listReasons: {
        parameters: {
            query?: {
                /** @description Page number, 1-based */
                page?: number;
                /** @description Items per page; more than 250 is capped to 250 */
                pageSize?: number;
            };
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    "X-Page": components["headers"]["X-Page"];
                    "X-Page-Size": components["headers"]["X-Page-Size"];
                    "X-Next-Modified-Since": components["headers"]["X-Next-Modified-Since"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReasonPage"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    scanCodes: {
        parameters: {
            query?: never;
            header?: {
                /** @description Extension: `handling=strict` (RFC 7240) refuses fields and parameters that are not known, with 400 that names 20 of them and tells how many more; else they are ignored, and a mistyped `Spot` says nothing. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description An id of your own for this request; the answer and our logs carry it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScanRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScanAnswer"];
                };
            };
            /** @description The request is malformed or fails validation */
            400: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The client may not do this */
            403: {
                headers: {
                    "X-API-Version": components["headers"]["X-API-Version"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-Content-Type-Options": components["headers"]["X-Content-Type-Options"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
}
