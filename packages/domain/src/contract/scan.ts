import { z } from 'zod';
import { Id, Text } from '../fields.ts';

/** The most scans in one call. */
export const scansMax = 500;
/** The most matches that are told of one scan. */
export const matchesMax = 20;
/** The most bytes of an answer. A match that does not fit is left out. */
export const scanBytesMax = 1024 * 1024;

const dataMax = 1000;

/** The code that a scanner read. */
export const Scan = z.object({
  data: Text.min(1, { error: 'must not be empty.' })
    .max(dataMax, { error: `must be at most ${dataMax} characters long.` })
    .describe(
      'The code as it was read, with its symbology identifier if the scanner sends one; FNC1 is U+001D',
    ),
  symbology: z
    .string({ error: 'must be a string.' })
    .regex(/^\]?[A-Za-z][\dA-F]$/, { error: 'must be a symbology identifier, such as ]C1.' })
    .optional()
    .describe('The symbology identifier (ISO/IEC 15424), if the scanner sends it beside the data'),
});
export type Scan = z.infer<typeof Scan>;

/** `POST /Scan`, an extension. Each scan is read by itself, so that every invalid one is named. */
export const ScanRequest = z
  .object({
    scans: z.array(Scan).min(1).max(scansMax).describe('1 to 500 codes'),
    wid: Id.optional().describe('Only this warehouse; otherwise all in the scope'),
  })
  .meta({ id: 'ScanRequest' });

const Element = z.object({
  ai: z.string().describe('Application Identifier'),
  value: z.string().describe('Its value, as encoded'),
  date: z.iso.date().optional().describe('The date in the value; day 00 is the last of the month'),
  number: z.number().optional().describe('A count or a measure, exact'),
});

const ScannedGs1 = z
  .object({
    form: z
      .enum(['elementString', 'brackets', 'digitalLink', 'gtin'])
      .describe('How the data is written; `gtin`: a bare GTIN'),
    gtin: z.string().nullable().describe('AI 01, or 02, in 14 digits'),
    sscc: z.string().nullable().describe('AI 00'),
    serial: z.string().nullable().describe('AI 10, the batch or lot: `serial` of a lot'),
    serial2: z.string().nullable().describe('AI 21, the serial number: `serial2` of a lot'),
    expires: z.iso.date().nullable().describe('AI 17'),
    units: z.number().nullable().describe('AI 30 or 37'),
    netWeight: z.number().nullable().describe('AI 310n, kilograms, exact'),
    elements: z.array(Element).describe('All Application Identifiers, in the order of the code'),
    repeated: z
      .array(z.string())
      .describe('Application Identifiers that stand in it more than once, with the same value'),
  })
  .meta({ id: 'ScannedGs1' });

/** Something to be done with a match. */
const ScanOperation = z
  .object({
    op: z.enum(['receive', 'move', 'issue']).describe('The call, and `op` of an operation in a batch'),
    body: z
      .object({
        itemID: z.string().optional(),
        wid: z.int().optional(),
        recno: z.int().optional(),
        units: z.number().optional(),
        toSpot: z.string().optional(),
        serial: z.string().optional(),
        serial2: z.string().optional(),
        expires: z.iso.date().optional(),
        netWeight: z.number().optional(),
      })
      .describe('Can be sent as it stands once the missing fields are filled in'),
    missing: z.array(z.string()).describe('The required fields that the code does not tell'),
  })
  .meta({ id: 'ScanOperation' });
export type ScanOperation = { op: 'receive' | 'move' | 'issue'; body: OperationBody; missing: string[] };
type OperationBody = Record<string, string | number | bigint>;

const description = z
  .string()
  .describe(
    'Told in the first match of the item in a result; empty in further ones, and where `sameAs` stands',
  );

const ofItem = {
  partNo: z.int(),
  shortID: z.string(),
  description,
  operation: ScanOperation,
};

const ofLot = {
  recNo: z.int(),
  partNo: z.int(),
  shortID: z.string(),
  description,
  wID: z.int(),
  spot: z.string(),
  units: z.number(),
  serial: z.string(),
  serial2: z.string().nullable(),
  rFIDTag: z.string().nullable(),
  expires: z.iso.datetime().nullable(),
  hold: z.boolean(),
  active: z.boolean(),
  operation: ScanOperation.nullable().describe('null: the lot is used up'),
};

const Match = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('item').describe('The ShortID of the item'), ...ofItem }),
    z.object({
      kind: z
        .literal('alias')
        .describe('An alias of the item; a GTIN in the spelling in which it was taught'),
      alias: z.string(),
      units: z.number().describe('The units that one scan of the alias stands for'),
      ...ofItem,
    }),
    z.object({
      kind: z
        .enum(['lot', 'serial', 'serial2', 'rfidTag'])
        .describe('The field of the lot that has the code; `lot`: recNo'),
      ...ofLot,
    }),
    z.object({
      kind: z.literal('spot').describe('A spot that has or had lots'),
      wID: z.int(),
      spot: z.string(),
      operation: ScanOperation,
    }),
  ])
  .meta({ id: 'ScanMatch' });

/** 200. */
export const ScanAnswer = z
  .object({
    results: z
      .array(
        z.object({
          data: z.string().describe('As sent'),
          ambiguous: z
            .boolean()
            .describe(
              'true: the matches are not all of one item, or a spot is in several warehouses; ask the user',
            ),
          gs1: ScannedGs1.nullable().describe('null: the code is not read as GS1'),
          fault: z
            .object({
              ai: z
                .string()
                .nullable()
                .describe(
                  'The Application Identifier, or the characters in its place; null: the code as a whole',
                ),
              message: z.string(),
            })
            .nullable()
            .describe('Why a code that claims to be GS1 is not read as GS1'),
          matches: z.array(Match).describe('At most 20, in the order of their kinds'),
          moreMatches: z
            .boolean()
            .describe('true: there are more, or they did not fit into the answer, which is at most 1 MiB'),
          sameAs: z
            .int()
            .optional()
            .describe(
              'Index, from 0, of an earlier scan in the list with the same code. That result has all matches; this one has only the first',
            ),
        }),
      )
      .describe('In the order of `scans`'),
  })
  .meta({ id: 'ScanAnswer' });
