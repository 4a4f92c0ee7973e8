import type { components } from './api/schema.ts';
import type * as Api from './api/types.ts';
import { sendEach } from './batch.ts';
import { createFeed, type Feed } from './changes/feed.ts';
import { type Mirror, type MirrorOptions, type MirrorSource, startMirror } from './changes/mirror.ts';
import { newKey } from './http/new-key.ts';
import {
  type How,
  openTransport,
  type Transport,
  type TransportOptions,
  timeoutDefaultMs,
} from './http/transport.ts';
import { createListing, type Listing, type Page, type PageQuery } from './lists/listing.ts';
import { type OfflineQueue, type OfflineQueueOptions, openOfflineQueue } from './queue/offline-queue.ts';

type Schemas = components['schemas'];

/** How to reach the service. `exact: true`: quantities come out as decimal texts. */
export type ClientOptions<Exact extends boolean = boolean> = TransportOptions & { exact?: Exact | undefined };

/** For any call. */
export type CallOptions = { signal?: AbortSignal | undefined };

/** For a write. `idempotencyKey`: the same for every send of one piece of work; a new one by default. */
export type WriteOptions = CallOptions & { idempotencyKey?: string | undefined };

/** Which item: its number, its ShortID, or one of its aliases. */
export type ItemName = number | string | { partNo: number } | { shortID: string } | { alias: string };

/**
 * The client of the Inventory Management Service. Its methods are the calls of the API, with the API's own
 * words. It gets its token, tries again what may be tried again, and throws `InventoryError`.
 */
export class InventoryClient<Exact extends boolean = false> {
  readonly #transport: Transport;
  readonly #timeoutMs: number;

  constructor(options: ClientOptions<Exact>) {
    this.#transport = openTransport(options);
    this.#timeoutMs = options.timeoutMs ?? timeoutDefaultMs;
  }

  /** Every call of the OpenAPI document by its path, also those without a method here. */
  get api(): Transport['api'] {
    return this.#transport.api;
  }

  /** Receives stock: a new lot. */
  receive(body: Api.ReceiveBody, options?: WriteOptions): Promise<Api.Received<Exact>> {
    const { api } = this.#transport;
    return this.#write(options, (how) =>
      api.POST('/Inventory/Receive', { body: body as Schemas['ReceiveCall'], ...how }),
    );
  }

  /** Moves stock between spots or warehouses. */
  move(body: Api.Trying<Api.MoveBody>, options?: WriteOptions): Promise<Api.MoveTried<Exact>>;
  move(body: Api.MoveBody, options?: WriteOptions): Promise<Api.Moved<Exact>>;
  move(body: Api.MoveBody, options?: WriteOptions): Promise<Api.MoveTried<Exact> | Api.Moved<Exact>> {
    const { api } = this.#transport;
    return this.#write(options, (how) =>
      api.POST('/Inventory/Move', { body: body as Schemas['MoveCall'], ...how }),
    );
  }

  /** Takes stock out. */
  issue(body: Api.Trying<Api.IssueBody>, options?: WriteOptions): Promise<Api.IssueTried<Exact>>;
  issue(body: Api.IssueBody, options?: WriteOptions): Promise<Api.Issued<Exact>>;
  issue(body: Api.IssueBody, options?: WriteOptions): Promise<Api.IssueTried<Exact> | Api.Issued<Exact>> {
    const { api } = this.#transport;
    return this.#write(options, (how) =>
      api.POST('/Inventory/Issue', { body: body as Schemas['IssueCall'], ...how }),
    );
  }

  /** Makes the recorded units those that were counted. */
  count(body: Api.Trying<Api.CountBody>, options?: WriteOptions): Promise<Api.CountTried<Exact>>;
  count(body: Api.CountBody, options?: WriteOptions): Promise<Api.Counted<Exact>>;
  count(body: Api.CountBody, options?: WriteOptions): Promise<Api.CountTried<Exact> | Api.Counted<Exact>> {
    const { api } = this.#transport;
    return this.#write(options, (how) =>
      api.POST('/Inventory/Count', { body: body as Schemas['CountCall'], ...how }),
    );
  }

  /** Undoes a transaction, once. */
  reverse(body: Api.Trying<Api.ReverseBody>, options?: WriteOptions): Promise<Api.ReverseTried<Exact>>;
  reverse(body: Api.ReverseBody, options?: WriteOptions): Promise<Api.Reversed<Exact>>;
  reverse(
    body: Api.ReverseBody,
    options?: WriteOptions,
  ): Promise<Api.ReverseTried<Exact> | Api.Reversed<Exact>> {
    const { api } = this.#transport;
    return this.#write(options, (how) =>
      api.POST('/Inventory/Reverse', { body: body as Schemas['ReverseCall'], ...how }),
    );
  }

  /** Puts a lot on hold, or releases it. */
  hold(body: Api.Trying<Api.HoldBody>, options?: WriteOptions): Promise<Api.HoldTried<Exact>>;
  hold(body: Api.HoldBody, options?: WriteOptions): Promise<Api.Held<Exact>>;
  hold(body: Api.HoldBody, options?: WriteOptions): Promise<Api.HoldTried<Exact> | Api.Held<Exact>> {
    const { api } = this.#transport;
    return this.#write(options, (how) =>
      api.POST('/Inventory/Hold', { body: body as Schemas['HoldCall'], ...how }),
    );
  }

  /**
   * Many transactions in one call. Mode `each` takes any number of operations and sends them in lists of up
   * to 500; each gets a `key` unless it has one. Mode `atomic` is one list, all or nothing.
   */
  batch(body: Api.Trying<Api.BatchBody>, options?: WriteOptions): Promise<Api.BatchTried<Exact>>;
  batch(body: Api.BatchBody, options?: WriteOptions): Promise<Api.Batched<Exact>>;
  async batch(
    body: Api.BatchBody,
    options: WriteOptions = {},
  ): Promise<Api.BatchTried<Exact> | Api.Batched<Exact>> {
    const { api } = this.#transport;
    const post = (sent: Api.BatchBody, how: ReturnType<Transport['how']>) =>
      api.POST('/Inventory/Batch', { body: sent as Schemas['BatchRequest'], ...how });
    const { signal, idempotencyKey = newKey() } = options;
    const isResend =
      options.idempotencyKey !== undefined || body.operations.some(({ key }) => typeof key === 'string');
    if (body.mode !== 'each')
      return this.#read({ signal, idempotencyKey, isResend }, (how) => post(body, how));
    const send = (list: Api.BatchBody, timeoutMs: number) =>
      this.#read<Api.Batched>({ signal, timeoutMs, kind: 'keyed', isResend }, (how) => post(list, how));
    const each = { signal, idempotencyKey, isResend, timeoutMs: this.#timeoutMs };
    return (await sendEach(body, send, each)) as unknown as Api.Batched<Exact>;
  }

  /** The lots of one warehouse (`wid`) or of all in scope, the most recent first. */
  lots(query: Api.LotsQuery & { view: 'full' }, options?: CallOptions): Listing<Api.FullLot<Exact>>;
  lots(query?: Api.LotsQuery, options?: CallOptions): Listing<Api.Lot<Exact>>;
  lots(
    { wid, ...rest }: Api.LotsQuery = {},
    options?: CallOptions,
  ): Listing<Api.FullLot<Exact>> | Listing<Api.Lot<Exact>> {
    const { api } = this.#transport;
    return this.#list(rest, options, (asked, how) =>
      wid === undefined
        ? api.GET('/Inventory', { params: { query: asked as object }, ...how })
        : api.GET('/Inventory/{wid}', { params: { path: { wid }, query: asked as object }, ...how }),
    );
  }

  /** The figures of each item, in one warehouse (`wid`) or summed over all in scope. */
  stockLevels(
    query: Api.StockLevelsQuery & { view: 'full' },
    options?: CallOptions,
  ): Listing<Api.FullStockLevel<Exact>>;
  stockLevels(query?: Api.StockLevelsQuery, options?: CallOptions): Listing<Api.StockLevel<Exact>>;
  stockLevels(
    { wid, ...rest }: Api.StockLevelsQuery = {},
    options?: CallOptions,
  ): Listing<Api.FullStockLevel<Exact>> | Listing<Api.StockLevel<Exact>> {
    const { api } = this.#transport;
    return this.#list(rest, options, (asked, how) =>
      wid === undefined
        ? api.GET('/Inventory/StockLevels', { params: { query: asked as object }, ...how })
        : api.GET('/Inventory/StockLevels/{wid}', {
            params: { path: { wid }, query: asked as object },
            ...how,
          }),
    );
  }

  /** The units of each item that were in stock at the end of a moment. */
  stockAt(query: Api.StockAtQuery, options?: CallOptions): Listing<Api.StockAt<Exact>> {
    const { api } = this.#transport;
    return this.#list(query, options, (asked, how) =>
      api.GET('/Inventory/StockAt', { params: { query: asked as never }, ...how }),
    );
  }

  /** What happened to the stock of an item, day by day, up to 366 days. */
  async stockDays(query: Api.StockDaysQuery, options: CallOptions = {}): Promise<Api.StockDay<Exact>[]> {
    const { api } = this.#transport;
    const { value } = await this.#read<{ value: Api.StockDay<Exact>[] }>(options, (how) =>
      api.GET('/Inventory/StockDays', { params: { query: query as never }, ...how }),
    );
    return value;
  }

  /** How many transactions of each kind each client made, by hour or day. */
  activity(query: Api.ActivityQuery, options?: CallOptions): Listing<Api.Activity> {
    const { api } = this.#transport;
    return this.#list(query, options, (asked, how) =>
      api.GET('/Inventory/Activity', { params: { query: asked as never }, ...how }),
    );
  }

  /** Sets the minimum of an item in a warehouse, or removes it. It may be repeated. */
  setMinimum(
    { wid, partNo, ...body }: Api.MinimumBody,
    options: CallOptions = {},
  ): Promise<Api.Minimum<Exact>> {
    const { api } = this.#transport;
    const path = { wid, partNo };
    return this.#read(options, (how) =>
      api.PUT('/Inventory/StockLevels/{wid}/{partNo}', {
        params: { path },
        body: body as Schemas['MinimumToSet'],
        ...how,
      }),
    );
  }

  /** The items by ShortID; with `all: true`, discontinued ones, too. */
  items(query: Api.ItemsQuery = {}, options?: CallOptions): Listing<Api.Item<Exact>> {
    const { api } = this.#transport;
    const { all, ...rest } = query;
    return this.#list(rest, options, (asked, how) =>
      api.GET(all ? '/Item/All' : '/Item', { params: { query: asked as object }, ...how }),
    );
  }

  /** What reason codes mean, by code. */
  reasons(query: Api.ReasonsQuery = {}, options?: CallOptions): Listing<Api.Reason> {
    const { api } = this.#transport;
    return this.#list(query, options, (asked, how) =>
      api.GET('/Reasons', { params: { query: asked as object }, ...how }),
    );
  }

  /** The applied transactions, the newest first. */
  transactions(query: Api.TransactionsQuery = {}, options?: CallOptions): Listing<Api.Transaction<Exact>> {
    const { api } = this.#transport;
    return this.#list(query, options, (asked, how) =>
      api.GET('/Inventory/Transactions', { params: { query: asked as object }, ...how }),
    );
  }

  /**
   * Every change behind `after`, in order and without gaps, and then those to come. Lost connections are made
   * again. Keep `cursor` of what this returns to go on there later.
   */
  changes(query: Api.ChangesQuery = {}, options: CallOptions = {}): Feed<Api.Change<Exact>> {
    const { api } = this.#transport;
    const { signal } = options;
    return createFeed(
      query,
      (asked) =>
        this.#read({ signal, isPatient: true, waitMs: (asked.wait ?? 0) * 1000 }, (how) =>
          api.GET('/Changes', { params: { query: asked as object }, ...how }),
        ),
      signal,
    );
  }

  /** One item. */
  item(name: ItemName, options: CallOptions = {}): Promise<Api.Item<Exact>> {
    const { api } = this.#transport;
    if (typeof name === 'number') return this.item({ partNo: name }, options);
    if (typeof name === 'string') return this.item({ shortID: name }, options);
    if ('partNo' in name) {
      const path = { partNoOrShortID: name.partNo };
      return this.#read(options, (how) => api.GET('/Item/{partNoOrShortID}', { params: { path }, ...how }));
    }
    const query =
      'alias' in name
        ? { key: name.alias, type: 'alias' as const }
        : { key: name.shortID, type: 'id' as const };
    return this.#read(options, (how) => api.GET('/Item', { params: { query }, ...how }));
  }

  /** One lot with all that is stored of it, and its last changes. */
  lot(recNo: number, options: CallOptions = {}): Promise<Api.LotWithHistory<Exact>> {
    const { api } = this.#transport;
    return this.#read(options, (how) =>
      api.GET('/Inventory/Lots/{recNo}', { params: { path: { recNo } }, ...how }),
    );
  }

  /** One transaction with all of its lines. */
  transaction(transactionNo: number, options: CallOptions = {}): Promise<Api.Transaction<Exact>> {
    const { api } = this.#transport;
    return this.#read(options, (how) =>
      api.GET('/Inventory/Transactions/{transactionNo}', { params: { path: { transactionNo } }, ...how }),
    );
  }

  /** Looks up codes: all matching items, lots, serials, tags and spots, with the operations open to each. */
  scan(body: Api.ScanBody, options: CallOptions = {}): Promise<Api.Scanned<Exact>> {
    const { api } = this.#transport;
    return this.#read({ ...options, kind: 'read' }, (how) =>
      api.POST('/Scan', { body: body as Schemas['ScanRequest'], ...how }),
    );
  }

  /** This client itself: its rights, its warehouses, its limits, and the position of the change feed. */
  me(options: CallOptions = {}): Promise<Api.Me> {
    return this.#read(options, (how) => this.#transport.api.GET('/Me', how));
  }

  /** Creates an item. After a lost answer, a resend is refused as a duplicate, and `outcome` is `unknown`. */
  createItem(body: Api.ItemCreateBody, options: CallOptions = {}): Promise<Api.ItemCreated<Exact>> {
    const { api } = this.#transport;
    return this.#read(options, (how) =>
      api.POST('/Item', { body: body as Schemas['ItemCreateRequest'], ...how }),
    );
  }

  /** Changes the fields that are given, of the item with this `shortID`. */
  updateItem(
    body: Api.ItemUpdateBody,
    options: CallOptions = {},
  ): Promise<{ shortID: string; status: 'updated' }> {
    const { api } = this.#transport;
    return this.#read(options, (how) =>
      api.PUT('/Item', { body: body as Schemas['ItemUpdateRequest'], ...how }),
    );
  }

  /** Discontinues an item; its lots stay. */
  discontinueItem(
    shortID: string,
    options: CallOptions = {},
  ): Promise<{ shortID: string; status: 'discontinued' }> {
    const { api } = this.#transport;
    const path = { partNoOrShortID: shortID };
    return this.#read(options, (how) => api.DELETE('/Item/{partNoOrShortID}', { params: { path }, ...how }));
  }

  /**
   * Work that must not be lost without a network: `push` stores an operation, and the queue sends it when it
   * can, each once and in order.
   */
  offlineQueue(options: OfflineQueueOptions): OfflineQueue {
    return openOfflineQueue((body, signal) => {
      const { api } = this.#transport;
      return this.#read({ signal, kind: 'keyed' }, (how) =>
        api.POST('/Inventory/Batch', { body: body as Schemas['BatchRequest'], ...how }),
      );
    }, options);
  }

  /** Keeps `store` equal to the lists: reads them once, and then every change. */
  mirror(options: MirrorOptions<Exact>): Mirror {
    return startMirror(this as unknown as MirrorSource, options as unknown as MirrorOptions);
  }

  async #read<Answer>(
    how: How,
    call: (how: ReturnType<Transport['how']>) => Promise<{ data?: unknown; response: Response }>,
  ): Promise<Answer> {
    return (await this.#transport.read<Answer>(call(this.#transport.how(how)))).body;
  }

  #write<Answer>(
    { signal, idempotencyKey }: WriteOptions = {},
    call: (how: ReturnType<Transport['how']>) => Promise<{ data?: unknown; response: Response }>,
  ): Promise<Answer> {
    const isResend = idempotencyKey !== undefined;
    return this.#read({ signal, idempotencyKey: idempotencyKey ?? newKey(), isResend }, call);
  }

  #list<Item>(
    query: PageQuery,
    { signal }: CallOptions = {},
    call: (
      query: PageQuery,
      how: ReturnType<Transport['how']>,
    ) => Promise<{ data?: unknown; response: Response }>,
  ): Listing<Item> {
    return createListing<Item>(query, async (asked, isPatient) => {
      const sent = call(asked, this.#transport.how({ signal, isPatient }));
      const { body, headers } = await this.#transport.read<Page<Item>>(sent);
      return { ...body, nextModifiedSince: headers.get('X-Next-Modified-Since') };
    });
  }
}
