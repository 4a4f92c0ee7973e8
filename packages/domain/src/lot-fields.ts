import { z } from 'zod';
import { formatDateTime, parseDateTime } from './date-time.ts';
import { Amount, Code, DateTimeText, lengthMax, text } from './fields.ts';
import type { JsonAnswer } from './json-text.ts';
import { type Decimal, quantityOf } from './quantity.ts';

/** Columns of these types can be filtered. */
export type FilterType = 'text' | 'integer' | 'timestamptz' | 'boolean';

/** A field that describes a lot. Its key is its name in a receipt. */
export type LotField = {
  column: string;
  /** The value of lots that were given none. */
  empty: '' | 0 | false | null;
  /** Whether all answers show it, or only those with the whole lot. */
  view: 'list' | 'full';
  /** Whether it stays as it was received, also in the lots that moves split off. */
  isKept: boolean;
  shown: z.ZodType;
  /** Lists can be sorted by it, as by all fields that they show, although only the whole lot has it. */
  isSorted?: true;
  /** Its name in answers, if that is another one. */
  shownAs?: string;
} & (
  | { sent?: undefined; since?: undefined }
  /** A receipt may give it. `since`: the version of envelopes that introduced it; see `Kind`. */
  | { sent: z.ZodOptional; since: number }
) &
  (
    | {
        type: FilterType;
        /**
         * For lots with this value, or with an earlier time. `hasIndex`: an index begins with the column and
         * the warehouse. It may leave out the empty value.
         */
        filter?: { says: string; hasIndex: boolean; as?: string };
      }
    | { type: 'numeric'; filter?: undefined }
  );

const label = text(lengthMax.label).optional();

/**
 * The fields that describe a lot, in the order of answers. Receipts, answers, filters, the feed, the document
 * and the statements that write and read lots are made from this table.
 */
export const lotFields = {
  spot: {
    ...{ column: 'spot', type: 'text', empty: '', view: 'list', isKept: false, since: 1 },
    sent: label.describe('Bin/location'),
    shown: z.string().describe('Bin/location within the warehouse; blank if none was given'),
    filter: { says: 'Extension: only lots at this spot', hasIndex: true },
  },
  serial: {
    ...{ column: 'serial', type: 'text', empty: '', view: 'list', isKept: true, since: 1 },
    sent: label.describe('Serial or lot number'),
    shown: z.string().describe('Serial/lot number'),
    filter: { says: 'Extension: only lots with this serial', hasIndex: true },
  },
  serial2: {
    ...{ column: 'serial2', type: 'text', empty: null, view: 'list', isKept: true, since: 1 },
    sent: label.describe('Secondary serial'),
    shown: z.string().nullable().describe('Secondary serial number'),
    filter: { says: 'Extension: only lots with this secondary serial', hasIndex: true },
  },
  rfidTag: {
    ...{ column: 'rfid_tag', type: 'text', empty: null, view: 'list', isKept: false, since: 1 },
    sent: label.describe('RFID tag'),
    shown: z.string().nullable().describe('RFID tag value'),
    shownAs: 'rFIDTag',
    filter: { says: 'Extension: only lots with this RFID tag', hasIndex: true },
  },
  remark: {
    ...{ column: 'remark', type: 'text', empty: '', view: 'list', isKept: true, since: 1 },
    sent: text(lengthMax.remark).optional().describe('Notes'),
    shown: z.string().describe('Notes'),
  },
  hold: {
    ...{ column: 'hold', type: 'boolean', empty: false, view: 'list', isKept: false },
    shown: z.boolean().describe('Lot is on hold'),
    filter: { says: 'Extension: only lots that are (not) on hold', hasIndex: true },
  },
  jobid: {
    ...{ column: 'job_id', type: 'integer', empty: 0, view: 'list', isKept: true, since: 1 },
    sent: Code.optional().describe('Job/project ID'),
    shown: z.int().describe('Associated job/project ID (0 when none)'),
    shownAs: 'jobID',
    filter: { says: 'Extension: only lots of this job', hasIndex: true, as: 'jobID' },
  },
  expires: {
    ...{ column: 'expires', type: 'timestamptz', empty: null, view: 'full', isKept: true, since: 1 },
    isSorted: true,
    sent: DateTimeText.optional().describe(
      'Expiration; without an offset, UTC. A date is good through that day, and kept as its last millisecond.',
    ),
    shown: z.iso
      .datetime()
      .nullable()
      .describe('Expiration; for a date, the last millisecond of the day; null: none'),
    filter: {
      says: 'Extension: only lots that expire before this time, or before this UTC day begins; a lot that was received with a date is good through that day',
      hasIndex: false,
      as: 'expiresBefore',
    },
  },
  price: {
    ...{ column: 'price', type: 'numeric', empty: null, view: 'full', isKept: true, since: 1 },
    sent: Amount.optional().describe('Unit cost'),
    shown: z.number().nullable().describe('Unit cost'),
  },
  netWeight: {
    ...{ column: 'net_weight', type: 'numeric', empty: null, view: 'full', isKept: false, since: 1 },
    sent: Amount.optional().describe('Net weight'),
    shown: z.number().nullable().describe('Net weight: as received, minus shares that moves split off'),
  },
  grossWeight: {
    ...{ column: 'gross_weight', type: 'numeric', empty: null, view: 'full', isKept: false, since: 1 },
    sent: Amount.optional().describe('Gross weight'),
    shown: z.number().nullable().describe('Gross weight: as received, minus shares that moves split off'),
  },
  supplier: {
    ...{ column: 'supplier', type: 'integer', empty: null, view: 'full', isKept: true, since: 1 },
    sent: Code.optional().describe('Vendor/supplier ID'),
    shown: z.int().nullable().describe('Vendor/supplier ID'),
  },
  line: {
    ...{ column: 'line', type: 'integer', empty: null, view: 'full', isKept: true, since: 1 },
    sent: Code.optional().describe('PO line number when receiving against a PO'),
    shown: z.int().nullable().describe('PO line number'),
  },
  reference: {
    ...{ column: 'reference', type: 'text', empty: null, view: 'full', isKept: true, since: 1 },
    sent: label.describe('External reference, such as a PO number'),
    shown: z.string().nullable().describe('External reference of the receipt'),
  },
  // A receipt must give it, like everything that changes stock.
  reasonCode: {
    ...{ column: 'reason_code', type: 'integer', empty: null, view: 'full', isKept: true },
    shown: z.int().nullable().describe('Reason code of the receipt'),
  },
  holdReason: {
    ...{ column: 'hold_reason', type: 'text', empty: null, view: 'full', isKept: false },
    shown: z.string().nullable().describe('Why the lot is on hold'),
  },
} as const satisfies Record<string, LotField>;

type Table = typeof lotFields;
type Name = keyof Table;

/** The fields that a receipt may give. */
export type SentField = { [N in Name]: Table[N] extends { sent: z.ZodType } ? N : never }[Name];
/** Those of which each lot has its own value. */
export type OwnField = { [N in SentField]: Table[N]['isKept'] extends true ? never : N }[SentField];
/** The schemas of what a receipt may give. */
export type SentShape = { [N in SentField]: Table[N]['sent'] };
/** The schemas of what a view shows, by the names of answers. */
export type ShownShape<View> = {
  [N in Name as Table[N]['view'] extends View
    ? Table[N] extends { shownAs: infer As extends string }
      ? As
      : N
    : never]: Table[N]['shown'];
};
/** Something for each filter that depends on the column's type, by the names of queries. */
export type FilterShape<Of extends Record<FilterType, unknown>> = {
  [N in Name as Table[N] extends { filter: infer Filter }
    ? Filter extends { as: infer As extends string }
      ? As
      : N
    : never]: Of[Table[N]['type'] & FilterType];
};

/** The rows of the table. */
export const fieldRows = Object.entries<LotField>(lotFields).map(([name, field]) => ({
  ...field,
  ...{ name, shownAs: field.shownAs ?? name },
}));
export type FieldRow = (typeof fieldRows)[number];

/** The value of a field of a lot after a receipt that gives it so. */
export function receivedValue({ type, empty }: FieldRow, said: unknown): JsonAnswer {
  if (said === undefined) return empty;
  if (type === 'numeric') return quantityOf(said as Decimal);
  return type === 'timestamptz' ? formatDateTime(lastMomentOf(said as string)) : (said as string | number);
}

/** The last moment of a time. A date means the end of its UTC day, so that answers show the same date. */
export function lastMomentOf(text: string): number {
  const parsed = parseDateTime(text);
  if (parsed === null) throw new RangeError(`not a datetime: ${text}`);
  return parsed.precision === 'day' ? parsed.at + 86_400_000 - 1 : parsed.at;
}
