import type { Client } from '@inventory/auth/client';
import { kindOf, reasonOf } from '@inventory/domain/kinds/kinds';
import { operationsOf, type QueuedRequest } from '@inventory/domain/request';
import type { Batch } from '@inventory/domain/stock/batch';
import type { StoredOutcome } from '@inventory/domain/stock/outcome';
import { piece, send } from '@inventory/postgres/piece';
import type { Tx } from '@inventory/postgres/pool';
import { onStandbys } from '@inventory/postgres/servers/on-standbys';
import { namedItems } from '../catalog/named-items.ts';
import { isKeyed, type KeyRow, keyRows, outcomesOfKeys } from '../requests/idempotency-keys.ts';
import { isLarge, type OutcomeRow, outcomeOfRow, smallResult } from '../requests/large-answers.ts';
import { plainArray } from './array-text.ts';
import type { GateId } from './gates.ts';
import { missingBefore } from './list-order.ts';

/** The facts that a batch needs besides its levels and lots. */
export type Facts = {
  /**
   * The moment of the batch. It is taken after the locks are won, so moments follow the order of the ledger.
   */
  now: Date;
  /** The moment of the batch's changes, for `modified`: `now`, or later if Postgres' clock was set back. */
  moment: Date;
  /**
   * One for each request, in order. They are drawn under the locks, so they follow the true order of a gate's
   * ledger.
   */
  transactionNos: number[];
  /** One for each request. A batch may need more. */
  recNos: number[];
  /**
   * Outcomes of requests that are already decided, as such or under their keys, and of the requests that they
   * must follow. Large answers are not included, only where they are stored.
   */
  outcomes: Map<string, StoredOutcome>;
  /** The current rights of each client. Deleted and disabled clients are missing. */
  clients: Map<string, Client>;
  items: Batch['items'];
  warehouses: Batch['warehouses'];
  reasons: Batch['reasons'];
  /** The shortIDs of the items that the requests name otherwise. */
  named: ReadonlyMap<string, string>;
};

type ClientRow = { client_id: string; read_only: boolean; permissions: number[]; wids: number[] };

/**
 * Reads the facts in one statement, which must come after the statement that locks the gates. `draws`:
 * whether numbers are drawn and a change is announced.
 */
export async function readFacts(
  tx: Tx,
  requests: readonly QueuedRequest[],
  gateIds: readonly GateId[],
  { draws }: { draws: boolean } = { draws: true },
): Promise<Facts> {
  const drawn = draws ? requests.length : 0;
  // A moment of change holds up the followers of changes until the transaction ends.
  const moment = draws ? piece`change_moment()` : piece`date_trunc('milliseconds', clock_timestamp())`;
  // Other kinds rarely create lots; if they do, more numbers are drawn.
  const lotsDrawn = draws
    ? requests.filter(({ kind }) => kind !== 'batch' && kindOf(kind).createsLot).length
    : 0;
  const looked = [...requests, ...missingBefore(requests)];
  const requestIds = looked.map(({ requestId }) => requestId);
  const clientIds = [...new Set(requests.map((request) => request.clientId))];
  const partNos = [...new Set(gateIds.map((gate) => gate.partNo))];
  const wids = [...new Set(gateIds.map((gate) => gate.wid))];
  const keyed = looked.filter(isKeyed);
  const keys =
    keyed.length === 0
      ? piece`null::json`
      : piece`(select json_agg(found) from (${keyRows(keyed)}) as found)`;
  const operations = requests.flatMap(operationsOf);
  const reasonCodes = [...new Set(operations.flatMap((request) => reasonOf(request) ?? []))];
  const sentNames = new Set(operations.flatMap(({ sentName = [] }) => sentName));
  const named =
    sentNames.size === 0
      ? piece`null::json`
      : piece`(select json_agg(found) from (${namedItems([...sentNames])}) as found)`;
  const [row] = await send<{
    now: Date;
    moment: Date;
    transaction_nos: number[];
    rec_nos: number[];
    outcomes: OutcomeRow[] | null;
    keys: KeyRow[] | null;
    clients: ClientRow[] | null;
    items: { part_no: number; short_id: string; description: string; dflt_owner: number }[] | null;
    warehouses: { wid: number; name: string }[] | null;
    reasons: { reason_code: number; operations: string[] }[] | null;
    named: { name: string; short_id: string }[] | null;
  }>(tx)`
    select least(moment.now, date_trunc('milliseconds', clock_timestamp())) as now, moment.now as moment,
      -- For the rest of the transaction, without a statement of its own. If most items have few lots, a plan
      -- that reads and sorts all lots of an item looks cheap, and would then be kept for an item with a
      -- hundred thousand.
      set_config('enable_sort', 'off', true) as sort,
      -- After the moment, which announces them; see schema/02-changes.sql.
      array(
        select nextval('stock_transaction_no_seq') from generate_series(1, ${drawn}) where moment.now is not null
      ) as transaction_nos,
      array(select nextval('lot_rec_no_seq') from generate_series(1, ${lotsDrawn})) as rec_nos,
      (
        select json_agg(json_build_object('request_id', request_id, 'status', status, 'is_large', ${isLarge},
          'result', ${smallResult}, 'on_standbys', ${onStandbys}))
        from stock_transaction
        where request_id = any(${plainArray(requestIds)}::uuid[])
      ) as outcomes,
      ${keys} as keys,
      (
        select json_agg(json_build_object('client_id', client_id, 'read_only', read_only, 'permissions', permissions, 'wids',
          array(select wid from client_warehouse where client_warehouse.client_id = client.client_id)))
        from client
        join security_group on security_group.group_id = any(array[client.group_id])
        where client_id = any(${clientIds}::text[]) and not disabled
      ) as clients,
      (
        select json_agg(json_build_object('part_no', part_no, 'short_id', short_id, 'description', description,
          'dflt_owner', dflt_owner))
        from item
        where part_no = any(${plainArray(partNos)}::integer[])
      ) as items,
      (
        select json_agg(json_build_object('wid', wid, 'name', name))
        from warehouse
        where wid = any(${plainArray(wids)}::integer[])
      ) as warehouses,
      case when exists (select from reason_enforcement where is_only) then (
        select coalesce(json_agg(json_build_object('reason_code', reason_code, 'operations', operations)), '[]')
        from reason
        where reason_code = any(${plainArray(reasonCodes)}::integer[])
      ) end as reasons,
      ${named} as named
    from (select ${moment} as now offset 0) as moment`;
  const { clients, items, warehouses, reasons } = row!;
  const outcomes = outcomesOfKeys(keyed, row!.keys ?? []);
  for (const each of row!.outcomes ?? []) outcomes.set(each.request_id, outcomeOfRow(each));
  return {
    now: row!.now,
    moment: row!.moment,
    transactionNos: row!.transaction_nos.map(Number),
    recNos: row!.rec_nos.map(Number),
    outcomes,
    clients: new Map(clients?.map((each) => [each.client_id, clientOf(each)])),
    items: new Map(
      items?.map((each) => [
        each.short_id,
        {
          partNo: each.part_no,
          shortId: each.short_id,
          description: each.description,
          dfltOwner: each.dflt_owner,
        },
      ]),
    ),
    warehouses: new Map(warehouses?.map((each) => [each.wid, each.name])),
    reasons: reasons && new Map(reasons.map((each) => [each.reason_code, each.operations])),
    named: new Map(row!.named?.map((each) => [each.name, each.short_id])),
  };
}

function clientOf(row: ClientRow): Client {
  return {
    clientId: row.client_id,
    readOnly: row.read_only,
    permissions: new Set(row.permissions),
    scope: new Set(row.wids),
    rateLimit: null,
    operationsPerMinute: null,
  };
}
