import type { AliasToTeach, Taught } from '@inventory/db/catalog/aliases';
import { aliasesOfItem, unitsOfScan } from '@inventory/db/lists/list-aliases';
import { itemExists } from '@inventory/db/lists/list-items';
import { lengthMax, name, Units } from '@inventory/domain/fields';
import { type JsonAnswer, jsonText } from '@inventory/domain/json-text';
import { Permission } from '@inventory/domain/permission';
import { parseQuantity } from '@inventory/domain/quantity';
import { nameTaken, tooManyAliases } from '@inventory/domain/refusals/conflict';
import { noItem, noPartNo } from '@inventory/domain/refusals/refused';
import { partNoParams } from '@inventory/paging/parameters';
import type { Wait } from '@inventory/postgres/statement-pool';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { answerBytes } from '../http/answer-bytes.ts';
import { Refused } from '../http/errors.ts';
import { noWarehouses, type Reply, route } from '../http/route.ts';
import { addAliasOf, removeAliasOf } from '../item-writes.ts';
import { forgetAlias, teachAlias } from '../openapi/descriptions/aliases.ts';
import { listRoute } from './list-route.ts';

const TaughtAlias = z
  .object({ units: Units.optional().describe(`${unitsOfScan}. Default: 1, or as it is`) })
  .meta({ id: 'TaughtAlias' });
const aliasParams = partNoParams(1).extend({
  alias: name(lengthMax.shortId).meta({
    description: 'The other name, percent-encoded; a GTIN in any of its spellings',
    example: '614141000036',
  }),
});
const misfit = `${noPartNo.message} An alias has 1 to ${lengthMax.shortId} characters.`;
const aliasStatus = <S extends z.ZodType>(status: S) =>
  z.object({ alias: z.string(), partNo: z.int(), status });

/** `/Item/{partNo}/Aliases`: the other names of an item. */
export function aliasRoutes(database: Database) {
  return [
    listRoute(aliasesOfItem, database),
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
      notFound: noItem.message,
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

function isItem({ reads }: Database, partNo: number, wait: Wait): Promise<boolean> {
  return reads.run((sql) => itemExists(sql, partNo), wait);
}

function statusOf({ isNew, isChanged }: Taught) {
  if (isNew) return 'added';
  return isChanged ? 'changed' : 'unchanged';
}

function ok(answer: JsonAnswer): Reply {
  return { status: 200, text: jsonText(answer) };
}
