import type { Client } from '@inventory/auth/client';
import { denyAction, denyWarehouses } from '@inventory/auth/scope';
import { BatchHead, BatchRequest, OperationHead, operationsMax } from '@inventory/domain/contract/batch';
import {
  type KindName,
  kindNames,
  kinds,
  namesItem,
  permissionOf,
  type SingleRequest,
  warehousesOf,
} from '@inventory/domain/kinds/kinds';
import { type FieldErrors, forbidden, invalid, type Refusal } from '@inventory/domain/refusals/refused';
import type { Evidence } from '@inventory/domain/request';
import { createPacer, type Pacer } from '@inventory/process/pacer';
import type { Context } from 'koa';
import type { z } from 'zod';
import { Refused } from '../../http/errors.ts';
import { bodyBytesMax, parseJson, parseObject, readBatchText, unreadable } from '../../http/reading/body.ts';
import { hasDuplicateFields } from '../../http/reading/duplicate-fields.ts';
import { fieldErrorsOf, withoutNulls } from '../../http/reading/parse.ts';
import { namesOf, unknownAmong } from '../../http/reading/strict.ts';
import { addDetails, type Details } from '../../http/route.ts';
import { type FindSubjects, requestsOf } from '../subjects.ts';
import { evidenceOf, type SentTimes } from './evidence.ts';
import { type SplitBatch, splitOperations } from './split-operations.ts';

/**
 * An operation as sent, before it is checked against the stock: its request, or why there is none.
 * `misdated`: the request of an operation that is refused only because of its device's times.
 */
export type Operation = {
  index: number;
  key: string | null;
} & (
  | { request: SingleRequest; evidence: Evidence | undefined }
  | { refusal: Refusal; misdated?: SingleRequest }
);

/**
 * A batch as sent: its head, and its operations, read one by one so that a malformed one does not harm the
 * others.
 */
export type RawBatch = { head: z.infer<typeof BatchHead>; operations: RawOperation[] };
type RawOperation = { body: Record<string, unknown>; unknown?: FieldErrors } | { refusal: Refusal };

/**
 * Reads the body of a batch, and stops when the caller has gone. Adds faults of the list to `details`, or
 * throws Refused.
 */
export async function readRawBatch(ctx: Context, details: Details): Promise<RawBatch> {
  const text = await readBatchText(ctx, ctx.state.bodyRoom);
  const pace = createPacer(() => {
    if (ctx.req.socket.destroyed) throw unreadable();
  });
  return parseRawBatch(text, { pace, details, isStrict: ctx.state.isStrict });
}

export type BatchReading = { pace: Pacer; details: Details; isStrict: boolean };

/**
 * Parses the JSON text of a batch; see `readRawBatch`. Yields the event loop. `isStrict`: unknown names are
 * faults.
 */
export async function parseRawBatch(
  text: string,
  { pace, details, isStrict }: BatchReading,
): Promise<RawBatch> {
  const split = await splitOperations(text, operationsMax, pace);
  const { head, operations, isDeep } = split;
  if (isDeep) throw refusedBody('The body is nested too deeply.');
  if (head.length > bodyBytesMax) throw largeHead(split);
  if (operations === null) {
    throw new Refused(invalid({ operations: [`must hold at most ${operationsMax} operations.`] }));
  }
  const sent = parseObject(head);
  if (isStrict) addDetails(details, unknownAmong(Object.keys(sent), namesOf(BatchRequest)));
  const body = withoutNulls(sent);
  const parsed = BatchHead.safeParse(body);
  const errors: FieldErrors = parsed.success ? {} : fieldErrorsOf(parsed.error);
  const read: RawBatch['operations'] = [];
  for (const text of operations) {
    const rest = pace();
    if (rest !== undefined) await rest;
    read.push(readOperation(text, isStrict));
  }
  if (body.operations === undefined) errors.operations = ['is required.'];
  else if (!Array.isArray(body.operations)) errors.operations = ['must be a list.'];
  else if (operations.length === 0) errors.operations = ['must hold at least 1 operation.'];
  if (parsed.success && parsed.data.dryRun === true && parsed.data.mode === 'each')
    errors.dryRun = ['is for mode atomic.'];
  addDetails(details, errors);
  return { head: parsed.data!, operations: read };
}

/**
 * Explains why so much text is outside the list of operations, by its brackets alone: the text is too large
 * to parse in one go.
 */
function largeHead({ isCut, hasList }: SplitBatch): Refused {
  if (isCut) return refusedBody('The body is not well-formed JSON.');
  if (!hasList) return new Refused(invalid({ operations: ['must be a list.'] }));
  return refusedBody(`Beside its operations a batch must be at most ${bodyBytesMax} bytes.`);
}

function readOperation(text: string, isStrict: boolean): RawOperation {
  // The same limit as for the body of a single call.
  if (text.length > bodyBytesMax) return bad(`An operation must be at most ${bodyBytesMax} bytes.`);
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return bad('An operation must be a JSON object.');
  if (hasDuplicateFields(text)) return bad('An object in the operation has a field twice.');
  const body = value as Record<string, unknown>;
  return { body: withoutNulls(body), unknown: isStrict ? unknownIn(body) : {} };
}

const operationNames = new Map(
  kindNames.map((kind) => [
    kind as string,
    // `dryRun` is known here, because an operation with it gets a refusal of its own.
    new Set(['dryRun', ...namesOf(OperationHead), ...namesOf(kinds[kind].body)]),
  ]),
);
const allOperationNames = new Set([...operationNames.values()].flatMap((names) => [...names]));

/** Returns the unknown names of an operation. If its kind is unknown, the names that no kind has. */
function unknownIn(body: Record<string, unknown>): FieldErrors {
  // Only a string is looked up: an object could have a `toString` from the caller.
  const known = typeof body.op === 'string' ? operationNames.get(body.op) : undefined;
  return unknownAmong(Object.keys(body), known ?? allOperationNames);
}

const refusedBody = (message: string) => new Refused({ code: 'bad_request', message });
const bad = (message: string): RawOperation => ({ refusal: { code: 'bad_request', message } });

/** Checks each operation as a single call is checked, in the same order. */
export async function judgeOperations(
  { operations }: RawBatch,
  client: Client,
  times: SentTimes,
  findSubjects: FindSubjects,
): Promise<Operation[]> {
  const pace = createPacer();
  const judged: Operation[] = [];
  for (const [index, raw] of operations.entries()) {
    const rest = pace();
    if (rest !== undefined) await rest;
    judged.push(judge(raw, index, client, times));
  }
  const got = await requestsOf(
    judged.flatMap((each) => requestIn(each) ?? []),
    client,
    findSubjects,
  );
  let next = 0;
  return judged.map((each): Operation => {
    if (requestIn(each) === undefined) return each;
    const found = got[next++]!;
    const { index, key } = each;
    if ('refusal' in found) return { index, key, refusal: 'refusal' in each ? each.refusal : found.refusal };
    return 'refusal' in each ? { ...each, misdated: found.request } : { ...each, request: found.request };
  });
}

/** The request of an operation, also of one that is refused only because of its device's times. */
export function requestIn(operation: Operation): SingleRequest | undefined {
  return 'request' in operation ? operation.request : operation.misdated;
}

/** A transaction to reverse, or a lot that is named alone, is looked up afterwards. */
function judge(sent: RawOperation, index: number, client: Client, times: SentTimes): Operation {
  if ('refusal' in sent) return { index, key: null, refusal: sent.refusal };
  const raw = sent.body;
  const head = OperationHead.safeParse(raw);
  const headErrors = head.success ? {} : fieldErrorsOf(head.error);
  const named = {
    index,
    key: typeof raw.key === 'string' && headErrors.key === undefined ? raw.key : null,
  };
  if (headErrors.op !== undefined) return { ...named, refusal: invalid({ ...headErrors, ...sent.unknown }) };
  const kind = raw.op as KindName;
  const denial = denyAction(client, permissionOf(kind), true);
  if (denial !== null) return { ...named, refusal: forbidden[denial] };
  const body = kinds[kind].body.safeParse(raw);
  const evidence = head.success ? evidenceOf(head.data, times) : undefined;
  const wrongTimes = evidence !== undefined && 'errors' in evidence ? evidence.errors : null;
  const errors: FieldErrors = {
    ...(body.success ? {} : fieldErrorsOf(body.error)),
    ...headErrors,
    // If it were ignored like other unknown fields, the stock would be changed.
    ...(raw.dryRun === undefined || raw.dryRun === false
      ? {}
      : { dryRun: ['is for a whole batch, of mode atomic.'] }),
    ...sent.unknown,
  };
  if (!body.success || Object.keys(errors).length > 0)
    return { ...named, refusal: invalid({ ...errors, ...wrongTimes }) };
  const misdated = wrongTimes === null ? null : invalid(wrongTimes);
  const noted = evidence as Evidence | undefined;
  const request = { kind, body: body.data } as SingleRequest;
  const outside = namesItem(kind) ? denyWarehouses(client, warehousesOf(request)) : null;
  if (outside !== null) return { ...named, refusal: misdated ?? forbidden[outside] };
  return misdated === null
    ? { ...named, request, evidence: noted }
    : { ...named, refusal: misdated, misdated: request };
}
