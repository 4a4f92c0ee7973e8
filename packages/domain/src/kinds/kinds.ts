import { type Needed, permissionsIn } from '../permission.ts';
import { invalid, noLot, noTransaction, type Refusal } from '../refusals/refused.ts';
import type { Batch } from '../stock/batch.ts';
import { type Decision, unknownItem } from '../stock/decision.ts';
import { count } from './count.ts';
import { hold } from './hold.ts';
import { issue } from './issue.ts';
import type { AnyRequest, Kind, Pick, Undo } from './kind.ts';
import { move } from './move.ts';
import { receive } from './receive.ts';
import { reverse } from './reverse.ts';

/** The kinds of stock transactions. Everything that depends on a kind is made from this table. */
export const kinds = { receive, move, issue, count, reverse, hold } as const;
export type KindName = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as [KindName, ...KindName[]];

/**
 * One transaction as requested: the kind and the validated body. `sentName`: the alias or GTIN that it was
 * sent with; `itemID` is the shortID of that item then.
 */
export type SingleRequest = { sentName?: string } & {
  [Name in KindName]: Parameters<(typeof kinds)[Name]['decide']>[1];
}[KindName];

/** A kind by its name. */
export function kindOf(name: string): Kind<AnyRequest> {
  return kinds[name as KindName] as unknown as Kind<AnyRequest>;
}

/** How transactions of this kind are reversed; null: not at all. */
export function undoOf(name: string): Undo | null {
  return kindOf(name).undo;
}

// Without any of these, a client cannot reverse anything.
const anyReversal = {
  anyOf: [...new Set(kindNames.flatMap((name) => permissionsIn(undoOf(name)?.permission ?? [])))].sort(
    (one, other) => one - other,
  ),
};

/** The permissions that a client needs to ask for this kind. For a transaction: {@link neededFor}. */
export function permissionOf(name: KindName): Needed {
  return kindOf(name).permission ?? anyReversal;
}

/** What a call names by number; null if it names its item. */
export function numberedBy(
  name: KindName,
  body: object,
): { transactionNo: number } | { recNo: number } | null {
  switch (kindOf(name).names) {
    case 'transaction':
      return { transactionNo: (body as { transactionNo: number }).transactionNo };
    case 'lot':
      return { recNo: (body as { recno: number }).recno };
    default:
      return null;
  }
}

/** Whether a call names its item, and so its warehouses: those of others are looked up. */
export function namesItem(name: KindName): boolean {
  return kindOf(name).names === 'item';
}

/** The refusal of a call that names by number what is not there, or not in the client's scope. */
export function unknownSubject(name: KindName): Refusal {
  return kindOf(name).names === 'lot' ? noLot : noTransaction;
}

/** The transaction that a transaction reverses; null if it reverses none. An atomic batch is of no kind. */
export function reversedBy({ kind, body }: AnyRequest): number | null {
  const isReversal = kindOf(kind)?.names === 'transaction';
  return isReversal ? (body as { transactionNo: number }).transactionNo : null;
}

/** The permissions for a transaction. None to reverse what cannot be reversed, which is always refused. */
export function neededFor(request: SingleRequest): Needed {
  const { kind, of }: AnyRequest = request;
  const reverses = kindOf(kind).names === 'transaction';
  return reverses ? (undoOf(of!.kind)?.permission ?? []) : permissionOf(kind as KindName);
}

/** The item of a transaction. */
export function itemIdOf(request: SingleRequest): string {
  return kindOf(request.kind).itemID(request);
}

/** All warehouses that a transaction touches. Each must be in the client's scope. */
export function warehousesOf(request: SingleRequest): number[] {
  return kindOf(request.kind).warehouses(request);
}

/** The lots from which a transaction may take units; see `Kind`. */
export function pickOf(partNo: number, request: SingleRequest): Pick | null {
  return kindOf(request.kind).pick(partNo, request);
}

/** The reason of a transaction; undefined: its kind has none. */
export function reasonOf(request: SingleRequest): number | undefined {
  return (request.body as { reasonCode?: number }).reasonCode;
}

/** Why the reason of a transaction is refused; null if it is taken. */
function refuseReason({ reasons, items }: Batch, request: SingleRequest): Refusal | null {
  const code = reasonOf(request);
  if (reasons === null || code === undefined || reasons.get(code)?.includes(request.kind)) return null;
  return invalid({
    // One answer names all faults.
    ...(items.has(itemIdOf(request)) ? {} : unknownItem),
    reasonCode: [`${code} is not listed for ${request.kind}.`],
  });
}

/** Decides one transaction. If it is applied, changes the batch. */
export function decide(batch: Batch, request: SingleRequest): Decision {
  const kind = kindOf(request.kind);
  const refusal = refuseReason(batch, request);
  if (refusal !== null) return { status: 'refused', refusal };
  const decision = kind.decide(batch, request, undoOf);
  // The answer to a receipt has the whole lot instead.
  const tellsItem = request.sentName !== undefined && 'shortID' in kind.answer.shape;
  if (!tellsItem || decision.status !== 'applied') return decision;
  const shortID = itemIdOf(request);
  return { ...decision, answer: (transactionNo) => ({ ...decision.answer(transactionNo), shortID }) };
}
