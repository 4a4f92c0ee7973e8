import type { paths } from './api/schema.ts';
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

type Method = 'get' | 'post' | 'put' | 'delete';

/** How to reach the service. `exact: true`: quantities come out as decimal texts. */
export type ClientOptions<Exact extends boolean = boolean> = TransportOptions & { exact?: Exact | undefined };

/** For any call. */
export type CallOptions = { signal?: AbortSignal | undefined };

/** For a write. `idempotencyKey`: the same for every send of one piece of work; a new one by default. */
export type WriteOptions = CallOptions & { idempotencyKey?: string | undefined };

/** Which item: its number, its ShortID, or one of its aliases. */
export type ItemName = number | string | { partNo: number } | { shortID: string } | { alias: string };

const ofItem = (options: CallOptions): How => ({ ...options, mark: 'shortID' });

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
    return this.#post('/Inventory/Receive', body, options);
  }

  /** Moves stock between spots or warehouses. */
  move(body: Api.Trying<Api.MoveBody>, options?: WriteOptions): Promise<Api.MoveTried<Exact>>;
  move(body: Api.MoveBody, options?: WriteOptions): Promise<Api.Moved<Exact>>;
  move(body: Api.MoveBody, options?: WriteOptions): Promise<Api.MoveTried<Exact> | Api.Moved<Exact>> {
    return this.#post('/Inventory/Move', body, options);
  }

  /** Takes stock out. */
  issue(body: Api.Trying<Api.IssueBody>, options?: WriteOptions): Promise<Api.IssueTried<Exact>>;
  issue(body: Api.IssueBody, options?: WriteOptions): Promise<Api.Issued<Exact>>;
  issue(body: Api.IssueBody, options?: WriteOptions): Promise<Api.IssueTried<Exact> | Api.Issued<Exact>> {
    return this.#post('/Inventory/Issue', body, options);
  }

  /** Makes the recorded units those that were counted. */
  count(body: Api.Trying<Api.CountBody>, options?: WriteOptions): Promise<Api.CountTried<Exact>>;
  count(body: Api.CountBody, options?: WriteOptions): Promise<Api.Counted<Exact>>;
  count(body: Api.CountBody, options?: WriteOptions): Promise<Api.CountTried<Exact> | Api.Counted<Exact>> {
    return this.#post('/Inventory/Count', body, options);
  }

  /** Undoes a transaction, once. */
  reverse(body: Api.Trying<Api.ReverseBody>, options?: WriteOptions): Promise<Api.ReverseTried<Exact>>;
  reverse(body: Api.ReverseBody, options?: WriteOptions): Promise<Api.Reversed<Exact>>;
  reverse(
    body: Api.ReverseBody,
    options?: WriteOptions,
  ): Promise<Api.ReverseTried<Exact> | Api.Reversed<Exact>> {
    return this.#post('/Inventory/Reverse', body, options);
  }

  /** Puts a lot on hold, or releases it. */
  hold(body: Api.Trying<Api.HoldBody>, options?: WriteOptions): Promise<Api.HoldTried<Exact>>;
  hold(body: Api.HoldBody, options?: WriteOptions): Promise<Api.Held<Exact>>;
  hold(body: Api.HoldBody, options?: WriteOptions): Promise<Api.HoldTried<Exact> | Api.Held<Exact>> {
    return this.#post('/Inventory/Hold', body, options);
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
    const post = <Answer>(sent: Api.BatchBody, how: How) =>
      this.#call<Answer>('post', '/Inventory/Batch', { body: sent }, how);
    if (body.mode !== 'each') return post(body, options);
    const { signal, idempotencyKey } = options;
    const isResend =
      idempotencyKey !== undefined || body.operations.some(({ key }) => typeof key === 'string');
    const send = (list: Api.BatchBody, timeoutMs: number) =>
      post<Api.Batched>(list, { signal, timeoutMs, isResend });
    const each = {
      ...{ signal, isResend, idempotencyKey: idempotencyKey ?? newKey(), timeoutMs: this.#timeoutMs },
    };
    return (await sendEach(body, send, each)) as unknown as Api.Batched<Exact>;
  }

  /** The lots of one warehouse (`wid`) or of all in scope, the most recent first. */
  lots(query: Api.LotsQuery & { view: 'full' }, options?: CallOptions): Listing<Api.FullLot<Exact>>;
  lots(query?: Api.LotsQuery, options?: CallOptions): Listing<Api.Lot<Exact>>;
  lots(
    { wid, ...rest }: Api.LotsQuery = {},
    options?: CallOptions,
  ): Listing<Api.FullLot<Exact>> | Listing<Api.Lot<Exact>> {
    return this.#list(wid === undefined ? '/Inventory' : '/Inventory/{wid}', rest, options, wid);
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
    const path = wid === undefined ? '/Inventory/StockLevels' : '/Inventory/StockLevels/{wid}';
    return this.#list(path, rest, options, wid);
  }

  /** The units of each item that were in stock at the end of a moment. */
  stockAt(query: Api.StockAtQuery, options?: CallOptions): Listing<Api.StockAt<Exact>> {
    return this.#list('/Inventory/StockAt', query, options);
  }

  /** What happened to the stock of an item, day by day, up to 366 days. */
  async stockDays(query: Api.StockDaysQuery, options: CallOptions = {}): Promise<Api.StockDay<Exact>[]> {
    type Answer = { value: Api.StockDay<Exact>[] };
    return (await this.#get<Answer>('/Inventory/StockDays', { query }, { ...options, mark: 'value' })).value;
  }

  /** How many transactions of each kind each client made, by hour or day. */
  activity(query: Api.ActivityQuery, options?: CallOptions): Listing<Api.Activity> {
    return this.#list('/Inventory/Activity', query, options);
  }

  /** Sets the minimum of an item in a warehouse, or removes it. It may be repeated. */
  setMinimum(
    { wid, partNo, ...body }: Api.MinimumBody,
    options: CallOptions = {},
  ): Promise<Api.Minimum<Exact>> {
    const params = { path: { wid, partNo } };
    const how = { ...options, mark: 'partNo' };
    return this.#call('put', '/Inventory/StockLevels/{wid}/{partNo}', { params, body }, how);
  }

  /** The items by ShortID; with `all: true`, discontinued ones, too. */
  items(query: Api.ItemsQuery = {}, options?: CallOptions): Listing<Api.Item<Exact>> {
    const { all, ...rest } = query;
    return this.#list(all ? '/Item/All' : '/Item', rest, options);
  }

  /** What reason codes mean, by code. */
  reasons(query: Api.ReasonsQuery = {}, options?: CallOptions): Listing<Api.Reason> {
    return this.#list('/Reasons', query, options);
  }

  /** The applied transactions, the newest first. */
  transactions(query: Api.TransactionsQuery = {}, options?: CallOptions): Listing<Api.Transaction<Exact>> {
    return this.#list('/Inventory/Transactions', query, options);
  }

  /**
   * Every change behind `after`, in order and without gaps, and then those to come. Lost connections are made
   * again. Keep `cursor` of what this returns to go on there later.
   */
  changes(query: Api.ChangesQuery = {}, options: CallOptions = {}): Feed<Api.Change<Exact>> {
    const { signal } = options;
    return createFeed(
      query,
      (asked) => {
        const how = { signal, isPatient: true, waitMs: (asked.wait ?? 0) * 1000 };
        return this.#get('/Changes', { query: asked }, how);
      },
      signal,
    );
  }

  /** One item. */
  item(name: ItemName, options: CallOptions = {}): Promise<Api.Item<Exact>> {
    if (typeof name === 'number') return this.item({ partNo: name }, options);
    if (typeof name === 'string') return this.item({ shortID: name }, options);
    if ('partNo' in name) {
      return this.#get(
        '/Item/{partNoOrShortID}',
        { path: { partNoOrShortID: name.partNo } },
        ofItem(options),
      );
    }
    const query = 'alias' in name ? { key: name.alias, type: 'alias' } : { key: name.shortID, type: 'id' };
    return this.#get('/Item', { query }, ofItem(options));
  }

  /** One lot with all that is stored of it, and its last changes. */
  lot(recNo: number, options: CallOptions = {}): Promise<Api.LotWithHistory<Exact>> {
    return this.#get('/Inventory/Lots/{recNo}', { path: { recNo } }, { ...options, mark: 'recNo' });
  }

  /** One transaction with all of its lines. */
  transaction(transactionNo: number, options: CallOptions = {}): Promise<Api.Transaction<Exact>> {
    const how = { ...options, mark: 'transactionNo' };
    return this.#get('/Inventory/Transactions/{transactionNo}', { path: { transactionNo } }, how);
  }

  /** Looks up codes: all matching items, lots, serials, tags and spots, with the operations open to each. */
  scan(body: Api.ScanBody, options: CallOptions = {}): Promise<Api.Scanned<Exact>> {
    return this.#call('post', '/Scan', { body }, options);
  }

  /** This client itself: its rights, its warehouses, its limits, and the position of the change feed. */
  me(options: CallOptions = {}): Promise<Api.Me> {
    return this.#get('/Me', {}, options);
  }

  /** Creates an item. After a lost answer, a resend is refused as a duplicate, and `outcome` is `unknown`. */
  createItem(body: Api.ItemCreateBody, options: CallOptions = {}): Promise<Api.ItemCreated<Exact>> {
    return this.#call('post', '/Item', { body }, ofItem(options));
  }

  /** Changes the fields that are given, of the item with this `shortID`. */
  updateItem(
    body: Api.ItemUpdateBody,
    options: CallOptions = {},
  ): Promise<{ shortID: string; status: 'updated' }> {
    return this.#call('put', '/Item', { body }, ofItem(options));
  }

  /** Discontinues an item; its lots stay. */
  discontinueItem(
    shortID: string,
    options: CallOptions = {},
  ): Promise<{ shortID: string; status: 'discontinued' }> {
    const params = { path: { partNoOrShortID: shortID } };
    return this.#call('delete', '/Item/{partNoOrShortID}', { params }, ofItem(options));
  }

  /**
   * Work that must not be lost without a network: `push` stores an operation, and the queue sends it when it
   * can, each once and in order.
   */
  offlineQueue(options: OfflineQueueOptions): OfflineQueue {
    return openOfflineQueue(
      (body, signal) => this.#call('post', '/Inventory/Batch', { body }, { signal, isResend: false }),
      options,
    );
  }

  /** Keeps `store` equal to the lists: reads them once, and then every change. */
  mirror(options: MirrorOptions<Exact>): Mirror {
    return startMirror(this as unknown as MirrorSource, options as unknown as MirrorOptions);
  }

  async #call<Answer>(method: Method, path: keyof paths, init: object, how: How): Promise<Answer> {
    return (await this.#transport.call<Answer>(method, path, init, how)).body;
  }

  #get<Answer>(path: keyof paths, params: object, how: How): Promise<Answer> {
    return this.#call('get', path, { params }, how);
  }

  /** A stock transaction. */
  #post<Answer>(path: keyof paths, body: object, options: WriteOptions = {}): Promise<Answer> {
    return this.#call('post', path, { body }, options);
  }

  /** `wid`: for a path that has one. */
  #list<Item>(
    path: keyof paths,
    query: PageQuery,
    { signal }: CallOptions = {},
    wid?: number,
  ): Listing<Item> {
    return createListing<Item>(query, async (asked, isPatient) => {
      const params = { path: { wid }, query: asked };
      const how = { signal, isPatient, mark: 'value' };
      const { body, headers } = await this.#transport.call<Page<Item>>('get', path, { params }, how);
      return { ...body, nextModifiedSince: headers.get('X-Next-Modified-Since') };
    });
  }
}
