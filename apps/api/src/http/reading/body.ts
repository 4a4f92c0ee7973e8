import type { IncomingMessage } from 'node:http';
import { numberOfLiteral } from '@inventory/domain/quantity';
import type { Refusal } from '@inventory/domain/refusals/refused';
import type { Context } from 'koa';
import koaBody, { HttpMethodEnum } from 'koa-body';
import { parse as parseLossless } from 'lossless-json';
import { whyBroken } from '../connections/broken-body.ts';
import { askForBody } from '../connections/unread-body.ts';
import { Failed, messages, Refused, soonAgain } from '../errors.ts';
import type { BodyRoom } from './body-room.ts';
import { hasDuplicateFields } from './duplicate-fields.ts';

/** A body larger than this is refused. */
export const bodyBytesMax = 64 * 1024;
/** The same for a batch. */
export const batchBytesMax = 1024 * 1024;
/** The same for a token request, which anyone can send. */
export const formBytesMax = 4 * 1024;

// A body that takes this long was sent slowly by its caller, and that time does not count against the
// request. A faster one came with its head and waited in this process: that time counts.
const lateFromMs = 1000;

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
// The names for UTF-8 that callers send; empty: none.
const utf8Names = ['', 'utf-8', 'utf8'];
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Creates a reader that returns a body of this type as text, or throws Refused. */
function createReader(type: string, bytesMax: number) {
  // Takes the raw bytes: a decoder would replace invalid UTF-8, and a parser would round numbers and drop
  // duplicate fields. Called on demand: as a middleware it would read bodies before the checks that refuse a
  // request without its body.
  const takeBytes = koaBody({
    ...{ text: true, textTypes: [type], textLimit: bytesMax, encoding: '' },
    ...{ json: false, urlencoded: false, multipart: false },
    ...{ parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT], patchKoa: true, patchNode: false },
  });

  async function readBytes(ctx: Context): Promise<Buffer> {
    // koa-body truncates a length to 32 bits, and then waits for bytes that never come.
    if ((ctx.request.length ?? 0) > bytesMax) throw tooLargeFor(bytesMax);
    const broken = whyBroken(ctx.req);
    if (broken !== null) throw broken;
    // koa-body knows `identity` in lower case only.
    delete ctx.req.headers['content-encoding'];
    await takeBytes(ctx, nothingMore);
    const bytes = ctx.request.body as unknown as Buffer;
    // A connection keeps its last request, which would keep the bytes.
    delete ctx.request.body;
    return bytes;
  }

  return async (ctx: Context): Promise<string> => {
    if (!['', 'identity'].includes(ctx.get('Content-Encoding').toLowerCase())) throw compressed();
    // Nearly every caller sends this, and nothing of it has to be parsed.
    if (ctx.get('Content-Type') !== type || !hasBody(ctx.req)) {
      if (!ctx.is(type)) throw bad(`The body must be sent as ${type}.`);
      if (!utf8Names.includes(ctx.request.charset.toLowerCase())) throw bad('The body must be UTF-8.');
    }
    askForBody(ctx.req, ctx.res);
    const bytes =
      takeArrived(ctx.req, bytesMax) ??
      (await readBytes(ctx).catch((error) => {
        // Reads past the rest of the body, or the connection could carry no further request.
        ctx.req.resume();
        throw refusalOf(error, bytesMax);
      }));
    noteLate(ctx);
    try {
      return utf8.decode(bytes);
    } catch {
      throw bad('The body is not valid UTF-8.');
    }
  };
}

const nothingMore = async () => {};

/** Returns a body that has arrived as a whole, as most have by the time they are wanted; otherwise null. */
function takeArrived(request: IncomingMessage, bytesMax: number): Buffer | null {
  if (!request.complete || request.readableLength === 0 || request.readableLength > bytesMax) return null;
  return request.read() as Buffer | null;
}

const readJson = createReader(json, bodyBytesMax);
const readBatch = createReader(json, batchBytesMax);
const readForm = createReader(form, formBytesMax);

function noteLate(ctx: Context) {
  const { arrivedAt, admittedAt = arrivedAt } = ctx.state;
  const readMs = performance.now() - admittedAt;
  if (readMs >= lateFromMs) ctx.state.arrivedAt = arrivedAt + readMs;
}

/**
 * Reads the JSON text of a batch once there is room for it. Throws Refused, or Failed if no room came free.
 */
export async function readBatchText(ctx: Context, room: BodyRoom): Promise<string> {
  // 'close' has fired already, so the visit would never leave.
  if (ctx.req.socket.destroyed) throw unreadable();
  const bytes = Math.min(ctx.request.length ?? batchBytesMax, batchBytesMax);
  const visit = room.enter(ctx.state.client.clientId, bytes);
  ctx.res.once('close', visit.leave);
  if (!(await visit.admitted)) throw new Failed(503, messages.noRoom, soonAgain, 'busy');
  ctx.state.admittedAt = performance.now();
  const text = await readBatch(ctx);
  visit.resize(text.length);
  return text;
}

/** Whether the request says that it has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || !['0', undefined].includes(headers['content-length']);
}

/** Reads the object in a JSON body. */
export async function readJsonBody(ctx: Context): Promise<Record<string, unknown>> {
  return parseObject(await readJson(ctx));
}

/** Parses a JSON text that must be an object; throws Refused for any other text. */
export function parseObject(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw bad('The body must be a JSON object.');
  if (hasDuplicateFields(text)) throw bad('An object in the body has a field twice.');
  return value as Record<string, unknown>;
}

/**
 * Parses a JSON text; throws Refused if it is malformed. A number with more digits than every reader keeps
 * becomes NaN.
 */
export function parseJson(text: string): unknown {
  try {
    return hasLongNumber.test(text)
      ? parseLossless(text, null, {
          parseNumber: numberOfLiteral,
          onDuplicateKey: ({ newValue }) => newValue,
        })
      : JSON.parse(text);
  } catch {
    throw bad('The body is not well-formed JSON.');
  }
}

/** The parameters of a form. A repeated one is refused. */
export async function readFormBody(ctx: Context): Promise<Map<string, string>> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(await readForm(ctx))) {
    if (fields.has(name)) throw bad(`${name} must be given once.`);
    fields.set(name, value);
  }
  return fields;
}

// Finds the numbers that JSON.parse may round: only this many digits can exceed a double's precision, only an
// exponent this long can underflow to 0. A string that looks like one merely takes the slower way.
const hasLongNumber = /\d[\d.]{15}|e-\d{3}/i;

function bad(message: string): Refused {
  return new Refused({ code: 'bad_request', message });
}

/** The refusal of a body that did not arrive whole, or whose caller has gone. */
export function unreadable(): Refused {
  return bad('The body could not be read.');
}

/** 415: no caller needs compression, and only inflating a compressed body would tell its size. */
export function compressed(): Refused {
  return new Refused(
    { code: 'bad_request', message: 'The body must not be compressed.' },
    { status: 415, headers: { 'Accept-Encoding': 'identity' } },
  );
}

/** The refusal, for a 413, of a body that is larger than this. */
export function tooLarge(bytesMax: number): Refusal {
  return { code: 'bad_request', message: `The body is larger than ${bytesMax} bytes.` };
}

function tooLargeFor(bytesMax: number): Refused {
  return new Refused(tooLarge(bytesMax), { status: 413 });
}

/** Keeps the connection's own refusals and the 413 of koa-body; anything else is a truncated body. */
function refusalOf(error: unknown, bytesMax: number): Refused {
  if (error instanceof Refused) return error;
  return (error as { status?: number }).status === 413 ? tooLargeFor(bytesMax) : unreadable();
}
