import { invalid } from '@inventory/domain/refusals/refused';
import { type RouteDescription, refusalExample } from '../../http/route-description.ts';

export const scan: RouteDescription = {
  id: 'scanCodes',
  notes: `
*Extension.* Send what the scanner read, up to 500 codes. Each result has **all** matches in the scope, at most 20 of them: items by ShortID (\`item\`)
and by alias (\`alias\`), lots by \`recNo\` (\`lot\`), \`serial\`, \`serial2\` and \`rfidTag\`, and spots. \`ambiguous: true\`: ask the user which one is meant.
A lot with one of these values that is used up is found, too, after those in stock. Discontinued items are found.

**Size.** An answer is at most 1 MiB. Each code gets its first match before any gets its second; \`moreMatches\` tells that matches of a code did not fit: send it again
with fewer codes. A code that stands in the list again is looked up once: its further results have \`sameAs\`, the place of the first one (counted from 0), and only its first match.
The \`description\` of an item stands in its first match in a result, and is empty in the others and beside \`sameAs\`.

**Operations.** \`operation\` is a body for the call in \`op\`, or, together with \`op\`, an operation for \`POST /Inventory/Batch\`. It can be sent once the fields named in
\`missing\` are filled in. An item is received, a lot is issued (or moved, if it is on hold or has expired), and units are moved to a spot.

**Units.** An alias has the \`units\` that one scan of it stands for: 12 for the code of a case. The operation has them times the count of the code (AI 30 or 37). A code that tells neither
leaves \`units\` to be filled in, and so does an alias of 1 without a count. A weight is no number of units.

**GS1.** A code is read as GS1 only if something says so: a symbology identifier (\`]C1\`, \`]e0\`, \`]d2\`, \`]Q3\`, \`]J1\`), FNC1 (U+001D), brackets, as in \`(01)…(10)…\`, a GS1 Digital Link,
or the check digit of a GTIN or an SSCC (\`]E0\`: also a UPC-E of 8 digits): a text that begins with \`01\` and a valid GTIN, or with \`00\` and a valid SSCC, and a GTIN alone. So \`10D9T\` is no lot \`D9T\`. In brackets, write \`\\(\` for a
bracket within a value. Lengths, characters, dates and check digits are checked. A code that claims to be GS1 and is not valid, or says two things at once,
has \`gs1: null\`, and \`fault\` names the Application Identifier. Its text is still looked up like any other.

A GTIN finds the alias that is this GTIN, however it was taught. AI 10 is \`serial\`, 21 \`serial2\`, 17 the expiration, 30 or 37 the count, 310n the net weight. With a GTIN, lots of
that item alone are found, and only those in stock. An SSCC is looked up as an alias, \`serial\`, \`serial2\` and \`rfidTag\`.`,
  body: {
    label: {
      summary: 'A label of GS1',
      value: { scans: [{ data: '(01)04012345123456(17)310630(10)P-80(30)12' }], wid: 2 },
    },
  },
  answer: {
    label: {
      summary: 'Its GTIN is an alias; a receipt lacks only its reason',
      value: {
        results: [
          {
            data: '(01)04012345123456(17)310630(10)P-80(30)12',
            ambiguous: false,
            gs1: {
              form: 'brackets',
              gtin: '04012345123456',
              sscc: null,
              serial: 'P-80',
              serial2: null,
              expires: '2031-06-30',
              units: 12,
              netWeight: null,
              elements: [
                { ai: '01', value: '04012345123456' },
                { ai: '17', value: '310630', date: '2031-06-30' },
                { ai: '10', value: 'P-80' },
                { ai: '30', value: '12', number: 12 },
              ],
              repeated: [],
            },
            fault: null,
            matches: [
              {
                kind: 'alias',
                alias: '04012345123456',
                units: 1,
                partNo: 5,
                shortID: 'PAINT-WHITE',
                description: 'Wall paint, white',
                operation: {
                  op: 'receive',
                  body: {
                    itemID: 'PAINT-WHITE',
                    units: 12,
                    wid: 2,
                    serial: 'P-80',
                    expires: '2031-06-30',
                  },
                  missing: ['reasonCode'],
                },
              },
            ],
            moreMatches: false,
          },
        ],
      },
    },
  },
  invalid: {
    scans: refusalExample('Invalid codes', invalid({ 'scans[0].data': ['is required.'] })),
  },
};
