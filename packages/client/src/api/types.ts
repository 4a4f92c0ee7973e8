import type { decimalNames } from './decimals.ts';
import type { components, operations } from './schema.ts';

type Schemas = components['schemas'];
type QuantityName = (typeof decimalNames)[number];
type Query<Operation extends { parameters: { query?: unknown } }> = NonNullable<
  Operation['parameters']['query']
>;

/**
 * A body as it may be given: quantities also as decimal texts, and `undefined` for what is left out.
 */
export type Given<T> = T extends readonly (infer Each)[]
  ? readonly Given<Each>[]
  : T extends object
    ? { [Name in keyof T]: GivenField<Name, T[Name]> | (undefined extends T[Name] ? undefined : never) }
    : T;
type GivenField<Name, Value> = Name extends QuantityName
  ? number extends Value
    ? Value | string
    : Value extends number | null | undefined
      ? Value | string
      : Given<Value>
  : Given<Value>;

/** An answer as it is read: in an exact client, quantities are decimal texts. */
export type Read<T, Exact extends boolean> = Exact extends true ? Textual<T> : T;
type Textual<T> = T extends readonly (infer Each)[]
  ? Textual<Each>[]
  : T extends object
    ? { [Name in keyof T]: Name extends QuantityName ? QuantityText<T[Name]> : Textual<T[Name]> }
    : T;
type QuantityText<Value> = Value extends number ? string : Textual<Value>;

// The bodies of calls.
// A single receipt cannot be tried.
export type ReceiveBody = Given<Omit<Schemas['ReceiveCall'], 'dryRun'> & { dryRun?: false | null }>;
export type MoveBody = Given<Schemas['MoveCall']>;
export type IssueBody = Given<Schemas['IssueCall']>;
export type CountBody = Given<Schemas['CountCall']>;
export type ReverseBody = Given<Schemas['ReverseCall']>;
export type HoldBody = Given<Schemas['HoldCall']>;
export type BatchBody = Given<Schemas['BatchRequest']>;
export type Operation = Given<Schemas['Operation']>;
export type ScanBody = Given<Schemas['ScanRequest']>;
export type ItemCreateBody = Given<Fields<Schemas['ItemCreateRequest']>> & Named;
export type ItemUpdateBody = Given<Schemas['ItemUpdateRequest']>;
// The document says apart that an item needs a name; what says it there allows a name of any type.
type Fields<Body> = Body extends unknown ? ('description' extends keyof Body ? Body : never) : never;
type Named = { shortID: string } | { itemID: string };

/** The minimum of an item in a warehouse; `minimum: null` for none. */
export type MinimumBody = Given<Schemas['MinimumToSet']> & { wid: number; partNo: number };

// The parameters of lists.
export type LotsQuery = Given<Query<operations['listLots']>> & { wid?: number | undefined };
export type StockLevelsQuery = Given<Query<operations['listStockLevels']>> & { wid?: number | undefined };
export type StockAtQuery = Given<Query<operations['listStockAt']>>;
export type StockDaysQuery = Given<Query<operations['getStockDays']>>;
export type ActivityQuery = Given<Query<operations['listActivity']>>;
export type ItemsQuery = Given<Query<operations['listAllItems']>> & {
  /** true: discontinued items, too. */
  all?: boolean | undefined;
};
export type ReasonsQuery = Given<Query<operations['listReasons']>>;
export type TransactionsQuery = Given<Query<operations['listTransactions']>>;
export type ChangesQuery = Given<Query<operations['getChanges']>>;

// Answers.
export type Received<Exact extends boolean = false> = Read<Schemas['ReceiveAnswer'], Exact>;
export type Moved<Exact extends boolean = false> = Read<Schemas['MoveAnswer'], Exact>;
export type Issued<Exact extends boolean = false> = Read<Schemas['IssueAnswer'], Exact>;
export type Counted<Exact extends boolean = false> = Read<Schemas['CountAnswer'], Exact>;
export type Reversed<Exact extends boolean = false> = Read<Schemas['ReverseAnswer'], Exact>;
export type Held<Exact extends boolean = false> = Read<Schemas['HoldAnswer'], Exact>;
export type Batched<Exact extends boolean = false> = Read<Schemas['BatchAnswer'], Exact>;
export type OperationResult<Exact extends boolean = false> = Read<Schemas['OperationResult'], Exact>;
export type MoveTried<Exact extends boolean = false> = Read<Schemas['MoveDryRun'], Exact>;
export type IssueTried<Exact extends boolean = false> = Read<Schemas['IssueDryRun'], Exact>;
export type CountTried<Exact extends boolean = false> = Read<Schemas['CountDryRun'], Exact>;
export type ReverseTried<Exact extends boolean = false> = Read<Schemas['ReverseDryRun'], Exact>;
export type HoldTried<Exact extends boolean = false> = Read<Schemas['HoldDryRun'], Exact>;
export type BatchTried<Exact extends boolean = false> = Read<Schemas['BatchDryRun'], Exact>;
export type StockAt<Exact extends boolean = false> = Read<Schemas['StockAt'], Exact>;
export type StockDay<Exact extends boolean = false> = Read<Schemas['StockDay'], Exact>;
export type Activity = Schemas['Activity'];
export type Minimum<Exact extends boolean = false> = Read<Schemas['Minimum'], Exact>;
export type Lot<Exact extends boolean = false> = Read<Schemas['Lot'], Exact>;
export type FullLot<Exact extends boolean = false> = Read<Schemas['FullLot'], Exact>;
export type LotWithHistory<Exact extends boolean = false> = Read<Schemas['LotWithHistory'], Exact>;
export type StockLevel<Exact extends boolean = false> = Read<Schemas['StockLevel'], Exact>;
export type FullStockLevel<Exact extends boolean = false> = Read<Schemas['FullStockLevel'], Exact>;
export type Reason = Schemas['Reason'];
export type Item<Exact extends boolean = false> = Read<Schemas['Item'], Exact>;
export type ItemCreated<Exact extends boolean = false> = Read<Schemas['ItemCreated'], Exact>;
export type Transaction<Exact extends boolean = false> = Read<Schemas['Transaction'], Exact>;
export type Change<Exact extends boolean = false> = Read<Schemas['Change'], Exact>;
export type ChangePage<Exact extends boolean = false> = Read<Schemas['ChangePage'], Exact>;
export type Scanned<Exact extends boolean = false> = Read<Schemas['ScanAnswer'], Exact>;
export type Me = Schemas['Me'];

/** A body that asks for a dry run. */
export type Trying<Body> = Body & { dryRun: true };
