import { findItem } from '@inventory/db/catalog/items';
import { aliasPage } from '@inventory/db/lists/list-aliases';
import type { Wait } from '@inventory/db/postgres/statement-pool';
import { lengthMax, name } from '@inventory/domain/fields';
import { Permission } from '@inventory/domain/permission';
import { nameTaken, tooManyAliases } from '@inventory/domain/refusals/conflict';
import { pageQueryShape } from '@inventory/paging/page-query';
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
const AliasPage = pageAnswer(z.object({ alias: z.string() }).meta({ id: 'Alias' }), 'AliasPage');
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
      warehouses: noWarehouses,
      answer: { 200: aliasStatus(z.enum(['added', 'unchanged'])) },
      answerBytes: answerBytes.small,
      keyed: false,
      paged: 'never',
      notFound: noSuchItem,
      misfit,
      description: teachAlias,
      handle: async ({ params: { partNo, alias }, wait }) => {
        const taught = await addAliasOf(database, partNo, alias, wait);
        if (taught === 'tooMany') throw new Refused(tooManyAliases());
        if (taught.partNo === null) return null;
        if (taught.partNo !== partNo || taught.isShortId) throw new Refused(nameTaken(taught.partNo));
        return ok({ alias, partNo, status: taught.isNew ? 'added' : 'unchanged' });
      },
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

async function isItem({ reads }: Database, partNo: number, wait: Wait): Promise<boolean> {
  return (await reads.run((sql) => findItem(sql, { partNo }), wait)) !== null;
}

function ok(answer: object): Reply {
  return { status: 200, text: JSON.stringify(answer) };
}
