import type { z } from 'zod';
import type { Needed } from '../permission.ts';
import type { Quantity } from '../quantity.ts';
import type { Refusal } from '../refusals/refused.ts';
import type { Batch } from '../stock/batch.ts';
import type { Decision } from '../stock/decision.ts';
import type { LotFilter } from '../stock/lot-filter.ts';

/**
 * The facts that never change of what a request names by number, a transaction to reverse or a lot: its item
 * and its warehouses; of a transaction, also its kind and its number of lines. For a lot, the kind is that of
 * the request. So they can be read before the gates are locked.
 */
export type Subject = { kind: string; itemID: string; wids: number[]; lines: number };

/** A transaction as requested. `of`: only if it names no item. */
export type AnyRequest = { kind: string; body: object; of?: Subject };

/** The lots from which a transaction may take units. `units`: null if it needs all of them. */
export type Pick = { lots: LotFilter; units: Quantity | null };

/**
 * How a transaction is reversed, and the permission for that. `lines`: each line by itself, or in pairs: the
 * units that left a lot, then the same units where they arrived.
 */
export type Undo = { permission: Needed; lines: 'each' | 'pairs' };

type NamesOf<T> = T extends unknown ? keyof T & string : never;
type ExampleBodies<Value> = Record<string, { summary: string; value: Value }>;

/** The texts of a call in the OpenAPI document. */
export type KindWords<Body, Answer> = {
  /** One line. */
  summary: string;
  /** Markdown. */
  notes: string;
  bodies: ExampleBodies<Body>;
  answers: ExampleBodies<Answer>;
  /** Refusals with 400 and 409. */
  refusals: Record<string, { summary: string; refusal: Refusal }>;
};

/** Everything that makes an operation one of this kind. */
export type Kind<Request extends AnyRequest> = {
  /** The name of the call's path under `/Inventory`; in lower case `op`, and the kind in the history. */
  path: string;
  /** Whether the contract lacks it. */
  isExtension: boolean;
  body: z.ZodObject;
  /** The body of a call alone, which has a field `dryRun`. */
  call: z.ZodObject;
  answer: z.ZodObject;
  /** The answer of a dry run of a call alone; null: it has none. */
  dryRun: z.ZodObject | null;
  /** The answer of an operation in a dry run of a list. */
  tried: z.ZodObject;
  /**
   * The version of envelopes in which the kind and each field of its body was introduced; see
   * `request-versions.ts` of the queue.
   */
  since: number;
  fields: Readonly<Record<NamesOf<Request['body']>, number>>;
  /** The status of an applied call. */
  status: 200 | 201;
  /** What its body names: its item, or by number a transaction to reverse, or a lot. */
  names: 'item' | 'transaction' | 'lot';
  /** null: what its `undo` says of the transaction that it reverses. */
  permission: Needed | null;
  /** null: it cannot be reversed. */
  undo: Undo | null;
  /** Whether it creates a lot as a rule, so that the number is drawn with the facts of the batch. */
  createsLot: boolean;
  /**
   * The sum of its entries, for the audit: a field of the body or the answer, with its sign. `orNone`: it may
   * have no entries. 'none': it never has. null: it is compared with what it reverses.
   */
  sum: { of: 'body' | 'result'; field: string; sign: 1 | -1; orNone?: true } | 0 | 'none' | null;
  itemID(request: Request): string;
  /** All warehouses that it touches. Each must be in the client's scope. */
  warehouses(request: Request): number[];
  /** null: it takes from no lots, or from those of the transaction that it reverses. */
  pick(partNo: number, request: Request): Pick | null;
  /** Decides it. If it is applied, changes the batch. */
  decide(batch: Batch, request: Request, undoOf: (kind: string) => Undo | null): Decision;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own body and answer.
  words: KindWords<any, any>;
};
