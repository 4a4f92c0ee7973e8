import { findItem } from '@inventory/db/catalog/items';
import { activeItems, allItems } from '@inventory/db/lists/list-items';
import {
  Item,
  ItemCreateRequest,
  ItemUpdateRequest,
  itemFieldsOf,
  shortIdOf,
} from '@inventory/domain/contract/item';
import { Code, Text } from '@inventory/domain/fields';
import { Permission } from '@inventory/domain/permission';
import { invalid, noItem, noPartNo } from '@inventory/domain/refusals/refused';
import { partNoParams } from '@inventory/paging/parameters';
import { violatedUnique } from '@inventory/postgres/pool';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { answerBytes } from '../http/answer-bytes.ts';
import { Refused } from '../http/errors.ts';
import { noWarehouses, type Reply, route } from '../http/route.ts';
import { addItem, changeItem } from '../item-writes.ts';
import { wholeCategoryMax } from '../lists/lists.ts';
import { createItem, discontinueItem, oneItem, updateItem } from '../openapi/descriptions/items.ts';
import { listRoute, pageReply } from './list-route.ts';

// One item by key, or a category. Paging parameters are ignored then, whatever their values. `readItemsQuery`
// checks all parameters together.
const lookUpQuery = z.looseObject({
  key: z.string().meta({ description: 'With `type`: one item by ShortID or alias' }).optional(),
  type: z
    .string()
    .meta({
      description: 'Whether `key` is a ShortID (id) or an alias; required with `key`',
      enum: ['id', 'alias'],
    })
    .optional(),
  Category: z
    .string()
    .meta({
      description: 'All active items of this category, as a flat array',
      type: 'integer',
      minimum: 0,
      maximum: 2 ** 31 - 1,
    })
    .optional(),
  ...described(activeItems.query.shape),
});
const category = z
  .string()
  .regex(/^-?\d+$/, { error: 'must be an integer.' })
  // Clamped, so that the message is about the range, however many digits it has.
  .transform((text) => Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number(text), Number.MAX_SAFE_INTEGER)))
  .pipe(Code);
const shortIdParams = z.object({
  shortID: Text.meta({ description: 'SKU, percent-encoded', example: 'CABLE-3G15' }),
});

// An item may be sent back as it was read.
const ownFields = Object.keys(Item.shape);
const ItemCreated = Item.extend({ status: z.literal('created') }).meta({ id: 'ItemCreated' });
const itemStatus = <S extends string>(status: S) =>
  z.object({ shortID: z.string(), status: z.literal(status) });

/** `/Item`: the catalog. */
export function itemRoutes(database: Database) {
  return [
    activeRoute(database),
    listRoute(allItems, database),
    oneRoute(database),
    createRoute(database),
    updateRoute(database),
    discontinueRoute(database),
  ];
}

/** The list of active items, and two look-ups. */
function activeRoute(database: Database) {
  const { words, path, permission } = activeItems;
  return route({
    method: 'GET',
    path,
    summary: words.summary,
    permission,
    writes: false,
    query: lookUpQuery.transform(readItemsQuery),
    warehouses: noWarehouses,
    answer: { 200: z.union([activeItems.answer, Item, z.array(Item)]) },
    answerBytes: ({ query }) => {
      if ('category' in query) return answerBytes.category(wholeCategoryMax);
      return 'key' in query ? answerBytes.small() : activeItems.bytes(query);
    },
    keyed: false,
    paged: 'unlessLookedUp',
    notFound: noItem.message,
    description: words,
    handle: async ({ query, ...asker }) => {
      if ('category' in query) {
        return { status: 200, ...(await database.lists.category(query.category, asker)) };
      }
      if ('key' in query) {
        const { key } = query;
        return found(await database.reads.run((sql) => findItem(sql, key), asker.wait));
      }
      const page = activeItems.page({ params: undefined, query, scope: [] });
      return pageReply(query, await database.lists.page(page, asker));
    },
  });
}

function oneRoute(database: Database) {
  return route({
    method: 'GET',
    path: '/Item/:partNo',
    summary: 'Get one item by its part number, discontinued or not',
    permission: Permission.ItemMasterList,
    writes: false,
    params: partNoParams(1),
    warehouses: noWarehouses,
    answer: { 200: Item },
    answerBytes: answerBytes.small,
    keyed: false,
    paged: 'never',
    notFound: noItem.message,
    misfit: noPartNo.message,
    description: oneItem,
    handle: async ({ params, wait }) => found(await database.reads.run((sql) => findItem(sql, params), wait)),
  });
}

function createRoute(database: Database) {
  return route({
    method: 'POST',
    path: '/Item',
    summary: 'Create an item',
    permission: Permission.ModifyItemMaster,
    writes: true,
    body: ItemCreateRequest,
    passedOver: ownFields,
    warehouses: noWarehouses,
    answer: { 201: ItemCreated },
    answerBytes: answerBytes.small,
    keyed: false,
    paged: 'never',
    notFound: null,
    description: createItem,
    handle: async ({ body, client, wait }) => {
      const created = await addItem(
        database,
        shortIdOf(body),
        itemFieldsOf(body),
        client.clientId,
        wait,
      ).catch((error) => {
        const taken = takenBy[violatedUnique(error) ?? ''];
        throw taken === undefined ? error : new Refused(invalid({ shortID: [taken] }));
      });
      return { status: 201, text: `${created.slice(0, -1)},"status":"created"}` };
    },
  });
}

function updateRoute(database: Database) {
  return route({
    method: 'PUT',
    path: '/Item',
    summary: 'Update an item: only the fields that are sent',
    permission: Permission.ModifyItemMaster,
    writes: true,
    body: ItemUpdateRequest,
    passedOver: ownFields,
    warehouses: noWarehouses,
    answer: { 200: itemStatus('updated') },
    answerBytes: answerBytes.small,
    keyed: false,
    paged: 'never',
    notFound: noItem.message,
    description: updateItem,
    handle: async ({ body, wait }) => {
      if (!(await changeItem(database, body.shortID, itemFieldsOf(body), wait))) return null;
      return ok(JSON.stringify({ shortID: body.shortID, status: 'updated' }));
    },
  });
}

function discontinueRoute(database: Database) {
  return route({
    method: 'DELETE',
    path: '/Item/:shortID',
    summary: 'Discontinue an item; its inventory records remain',
    permission: Permission.ModifyItemMaster,
    writes: true,
    params: shortIdParams,
    warehouses: noWarehouses,
    answer: { 200: itemStatus('discontinued') },
    answerBytes: answerBytes.small,
    keyed: false,
    paged: 'never',
    notFound: noItem.message,
    description: discontinueItem,
    handle: async ({ params, wait }) => {
      if (!(await changeItem(database, params.shortID, { discontinued: true }, wait))) return null;
      return ok(JSON.stringify({ shortID: params.shortID, status: 'discontinued' }));
    },
  });
}

const takenBy: Record<string, string> = {
  item_short_id_key: 'is taken: an item with this ShortID already exists.',
  item_alias_pkey: 'is taken: it is an alias of another item.',
};

/** Documents these parameters in the OpenAPI document without checking them yet. */
function described(shape: z.ZodRawShape) {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => {
      const meta = z.globalRegistry.get(schema) ?? {};
      return [name, z.string().meta(meta).optional()];
    }),
  );
}

function readItemsQuery(query: Record<string, unknown>, context: z.core.$RefinementCtx) {
  const fail = (field: string, message: string) => {
    context.addIssue({ code: 'custom', path: [field], message, input: query });
    return z.NEVER;
  };
  if (query.key !== undefined) {
    const key = Text.safeParse(query.key);
    for (const { message } of key.error?.issues ?? []) fail('key', message);
    if (query.type !== 'id' && query.type !== 'alias') return fail('type', 'must be id or alias.');
    if (!key.success) return z.NEVER;
    return { key: query.type === 'id' ? { shortId: key.data } : { alias: key.data } };
  }
  if (query.Category !== undefined) {
    const found = category.safeParse(query.Category);
    if (found.success) return { category: found.data };
    for (const { message } of found.error.issues) fail('Category', message);
    return z.NEVER;
  }
  const page = activeItems.query.safeParse(query);
  if (page.success) return page.data;
  for (const issue of page.error.issues) context.addIssue({ ...issue, code: 'custom', input: query });
  return z.NEVER;
}

function found(item: string | null): Reply | null {
  return item === null ? null : ok(item);
}

function ok(text: string): Reply {
  return { status: 200, text };
}
