import type { AliasToTeach, Taught } from '@inventory/db/catalog/aliases';
import { findItem } from '@inventory/db/catalog/items';
import { aliasPage } from '@inventory/db/lists/list-aliases';
import { lengthMax, name, Units } from '@inventory/domain/fields';
import { type JsonAnswer, jsonText } from '@inventory/domain/json-text';
import { Permission } from '@inventory/domain/permission';
import { parseQuantity } from '@inventory/domain/quantity';
import { nameTaken, tooManyAliases } from '@inventory/domain/refusals/conflict';
import { pageQueryShape } from '@inventory/paging/page-query';
import type { Wait } from '@inventory/postgres/statement-pool';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { answerBytes, pageBytes } from '../http/answer-bytes.ts';
import { Refused } from '../http/errors.ts';
import { noWarehouses, type Reply, route } from '../http/route.ts';
import { addAliasOf, removeAliasOf } from '../item-writes.ts';
import { pageAnswer, pageReply } from '../lists/page-reply.ts';
import { aliases, forgetAlias, teachAlias } from '../openapi/descriptions/aliases.ts';
import { noPartNo, noSuchItem, partNoParams } from './items.ts';

const { page, pageSize } = pageQueryShape([]);
const unitsOfScan = 'The units that one scan of it stands for';
const Alias = z.object({ alias: z.string(), units: z.number().describe(unitsOfScan) }).meta({ id: 'Alias' });
const AliasPage = pageAnswer(Alias, 'AliasPage');
const TaughtAlias = z
  .object({ units: Units.optional().describe(`${unitsOfScan}. Default: 1, or as it is`) })
  .meta({ id: 'TaughtAlias' });
const aliasParams = partNoParams.extend({
  alias: name(lengthMax.shortId).meta({
    description: 'The other name, percent-encoded; a GTIN in any of its spellings',
    example: '614141000036',
  }),
});
const misfit = `${noPartNo} An alias has 1 to ${lengthMax.shortId} characters.`;
const aliasStatus = <S extends z.ZodType>(status: S) =>
  z.object({ alias: z.string(), partNo: z.int(), status });

/** `/Item/{partNo}/Aliases`: the other names of an item. */
export function aliasRoutes(database: Database) {
  return [
    route({
      method: 'GET',
      path: '/Item/:partNo/Aliases',
      isExtension: true,
      summary: 'List the aliases of an item',
      permission: Permission.ItemMasterList,
      writes: false,
      params: partNoParams,
      query: z.object({ page, pageSize }),
      warehouses: noWarehouses,
      answer: { 200: AliasPage },
      answerBytes: ({ query }) => pageBytes('alias', query),
      keyed: false,
      paged: 'always',
      notFound: noSuchItem,
      misfit: noPartNo,
      description: aliases,
      handle: async ({ params, query, ...asker }): Promise<Reply | null> => {
        const asked = { ...query, sort: undefined, direction: 'asc' as const };
        const found = await database.lists.page(aliasPage(asked, params.partNo), asker);
        const exists = found.totalCount > 0 || (await isItem(database, params.partNo, asker.wait));
        return exists ? pageReply(asked, found) : null;
      },
    }),
    route({
      method: 'PUT',
      path: '/Item/:partNo/Aliases/:alias',
      isExtension: true,
      summary: 'Teach an alias: the item is found by it',
      permission: Permission.ModifyItemMaster,
      writes: true,
      params: aliasParams,
      body: TaughtAlias,
      isBodyOptional: true,
      warehouses: noWarehouses,
      answer: {
        200: aliasStatus(z.enum(['added', 'changed', 'unchanged'])).extend({
          units: z.number().describe(unitsOfScan),
        }),
      },
      answerBytes: answerBytes.small,
      keyed: false,
      paged: 'never',
      notFound: noSuchItem,
      misfit,
      description: teachAlias,
      handle: ({ params, body: { units = null }, wait }) => teach(database, { ...params, units }, wait),
    }),
    route({
      method: 'DELETE',
      path: '/Item/:partNo/Aliases/:alias',
      isExtension: true,
      summary: 'Remove an alias: the item is no longer found by it',
      permission: Permission.ModifyItemMaster,
      writes: true,
      params: aliasParams,
      warehouses: noWarehouses,
      answer: { 200: aliasStatus(z.literal('removed')) },
      answerBytes: answerBytes.small,
      keyed: false,
      paged: 'never',
      notFound: 'The item has no such alias.',
      misfit,
      description: forgetAlias,
      handle: async ({ params: { partNo, alias }, wait }) =>
        (await removeAliasOf(database, partNo, alias, wait))
          ? ok({ alias, partNo, status: 'removed' })
          : null,
    }),
  ];
}

/** Null: there is no such item. Throws Refused. */
async function teach(database: Database, asked: AliasToTeach, wait: Wait): Promise<Reply | null> {
  const { alias, partNo, units } = asked;
  const taught = await addAliasOf(database, asked, wait);
  if (taught === 'tooMany') throw new Refused(tooManyAliases());
  if (taught.partNo === null) return null;
  if (taught.partNo !== partNo && !(await isItem(database, partNo, wait))) return null;
  if (taught.partNo !== partNo || taught.isShortId) throw new Refused(nameTaken(taught.partNo));
  // It may be removed again by now.
  const now = taught.units ?? String(units ?? 1);
  return ok({ alias, partNo, status: statusOf(taught), units: parseQuantity(now) });
}

async function isItem({ reads }: Database, partNo: number, wait: Wait): Promise<boolean> {
  return (await reads.run((sql) => findItem(sql, { partNo }), wait)) !== null;
}

function statusOf({ isNew, isChanged }: Taught) {
  if (isNew) return 'added';
  return isChanged ? 'changed' : 'unchanged';
}

function ok(answer: JsonAnswer): Reply {
  return { status: 200, text: jsonText(answer) };
}
