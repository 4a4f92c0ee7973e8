import { ScanAnswer, ScanRequest } from '@inventory/domain/contract/scan';
import { Permission } from '@inventory/domain/permission';
import { answerBytes } from '../http/answer-bytes.ts';
import { route } from '../http/route.ts';
import type { Lists } from '../lists/lists.ts';
import { scan } from '../openapi/descriptions/scan.ts';
import { readScans } from '../scan/read-scans.ts';
import { type Scans, scanCodes } from '../scan/scan-codes.ts';

/** `/Scan`: what a scanner read. `now`: the clock of Postgres, in milliseconds since 1970. */
export function scanRoutes(lists: Lists, now: () => number) {
  return [
    route({
      method: 'POST',
      path: '/Scan',
      isExtension: true,
      summary: 'What is this code? All that codes name, with operations that are ready to be sent',
      permission: Permission.ItemMasterList,
      writes: false,
      body: ScanRequest,
      readBody: readScans,
      warehouses: ({ body }) => (body.wid === undefined ? [] : [body.wid]),
      answer: { 200: ScanAnswer },
      answerBytes: answerBytes.scan,
      keyed: false,
      paged: 'never',
      notFound: null,
      description: scan,
      handle: async ({ body, ...asker }) => ({
        status: 200,
        text: await scanCodes(lists, body as Scans, asker, new Date(now()).getUTCFullYear()),
      }),
    }),
  ];
}
