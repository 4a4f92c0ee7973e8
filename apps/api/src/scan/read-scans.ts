import { Scan, ScanRequest, scansMax } from '@inventory/domain/contract/scan';
import { Id } from '@inventory/domain/fields';
import type { Context } from 'koa';
import { readJsonBody } from '../http/reading/body.ts';
import { fieldErrorsOf, withoutNulls } from '../http/reading/parse.ts';
import { namesOf, unknownAmong } from '../http/reading/strict.ts';
import { addDetails, type Details } from '../http/route.ts';
import type { Scans } from './scan-codes.ts';

const known = { request: namesOf(ScanRequest), scan: namesOf(Scan) };

/** Reads the body of a scan and adds every fault to `details`, each under the name of its field. */
export async function readScans(ctx: Context, details: Details): Promise<Scans> {
  const { isStrict } = ctx.state;
  const body = await readJsonBody(ctx);
  if (isStrict) addDetails(details, unknownAmong(Object.keys(body), known.request));
  const sent = withoutNulls(body);
  const wid = Id.optional().safeParse(sent.wid);
  if (!wid.success) addDetails(details, { wid: wid.error.issues.map(({ message }) => message) });
  return { scans: readList(sent.scans, isStrict === true, details), wid: wid.data };
}

function readList(list: unknown, isStrict: boolean, details: Details): Scan[] {
  const refuse = (message: string) => {
    addDetails(details, { scans: [message] });
    return [];
  };
  if (list === undefined) return refuse('is required.');
  if (!Array.isArray(list)) return refuse('must be a list.');
  if (list.length === 0 || list.length > scansMax) return refuse(`must hold 1 to ${scansMax} codes.`);
  return list.flatMap((each: unknown, index) => {
    const named = (field: string) => (field === '' ? `scans[${index}]` : `scans[${index}].${field}`);
    if (typeof each !== 'object' || each === null || Array.isArray(each)) {
      addDetails(details, { [named('')]: ['must be an object.'] });
      return [];
    }
    const scan = Scan.safeParse(withoutNulls(each as Record<string, unknown>));
    const errors = {
      ...(scan.success ? {} : fieldErrorsOf(scan.error)),
      ...(isStrict ? unknownAmong(Object.keys(each), known.scan) : {}),
    };
    for (const [field, messages] of Object.entries(errors)) addDetails(details, { [named(field)]: messages });
    return scan.success ? [scan.data] : [];
  });
}
