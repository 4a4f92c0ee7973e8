import type { Refusal } from '@inventory/domain/contract/refused';
import { numberOfLiteral } from '@inventory/domain/quantity';
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
/** That of a batch. */
export const batchBytesMax = 1024 * 1024;
/** The form of a token, which needs no client to be known. */
export const formBytesMax = 4 * 1024;

// A body that came with its head waited in this process: that time counts. One that its caller sent later
// takes none of the time that the request has to be answered in.
const lateFromMs = 1000;

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
// The names that callers give to UTF-8, and none.
const utf8Names = ['', 'utf-8', 'utf8'];
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a body of this type as text; throws Refused when it cannot. */
function createReader(type: string, bytesMax: number) {
  // The bytes as they came: a decoder would replace what is not UTF-8, and a parser would round numbers and
  // drop all but one of the fields with the same name. It is called when a body is wanted: its place as a
  // middleware would be before the checks that refuse a request without its body.
  const takeBytes = koaBody({
    ...{ text: true, textTypes: [type], textLimit: bytesMax, encoding: '' },
    ...{ json: false, urlencoded: false, multipart: false },
    ...{ parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT], patchKoa: true, patchNode: false },
  });

  async function readBytes(ctx: Context): Promise<Buffer> {
    // koa-body takes a length for one of 32 bits, and waits for what is not going to come.
    if ((ctx.request.length ?? 0) > bytesMax) throw tooLargeFor(bytesMax);
    const broken = whyBroken(ctx.req);
    if (broken !== null) throw broken;
    // It decompresses what is not named so in lower case.
    delete ctx.req.headers['content-encoding'];
    await takeBytes(ctx, nothingMore);
    const bytes = ctx.request.body as unknown as Buffer;
    // A connection keeps its last request, and that would keep what was read of it.
    delete ctx.request.body;
    return bytes;
  }

  return async (ctx: Context): Promise<string> => {
    if (!['', 'identity'].includes(ctx.get('Content-Encoding').toLowerCase())) throw compressed();
    if (!ctx.is(type)) throw bad(`The body must be sent as ${type}.`);
    if (!utf8Names.includes(ctx.request.charset.toLowerCase())) throw bad('The body must be UTF-8.');
    askForBody(ctx.req, ctx.res);
    const bytes = await readBytes(ctx).catch((error) => {
      // The rest of the body is read past, or the connection could carry no other request.
      ctx.req.resume();
      throw refusalOf(error, bytesMax);
    });
    noteLate(ctx);
    try {
      return utf8.decode(bytes);
    } catch {
      throw bad('The body is not valid UTF-8.');
    }
  };
}

const nothingMore = async () => {};
const readJson = createReader(json, bodyBytesMax);
const readBatch = createReader(json, batchBytesMax);
const readForm = createReader(form, formBytesMax);

function noteLate(ctx: Context) {
  const { arrivedAt, admittedAt = arrivedAt } = ctx.state;
  const readMs = performance.now() - admittedAt;
  if (readMs >= lateFromMs) ctx.state.arrivedAt = arrivedAt + readMs;
}

/** The JSON text of a batch, read when there is room for it; throws Refused, or Failed when there is none. */
export async function readBatchText(ctx: Context, room: BodyRoom): Promise<string> {
  // Its 'close' has been, so nothing would tell that it leaves.
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

/** The object in a JSON body. */
export async function readJsonBody(ctx: Context): Promise<Record<string, unknown>> {
  return parseObject(await readJson(ctx));
}

/** The object that a JSON text is; throws Refused for any other text. */
export function parseObject(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw bad('The body must be a JSON object.');
  if (hasDuplicateFields(text)) throw bad('An object in the body has a field twice.');
  return value as Record<string, unknown>;
}

/**
 * The value that a JSON text is; throws Refused when it is none. A number with more digits than every reader
 * carries is NaN.
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

// Only a run of digits this long can hold more than a double does, only an exponent this long can end in 0;
// strings that look so merely take the slower way.
const hasLongNumber = /\d[\d.]{15}|e-\d{3}/i;

function bad(message: string): Refused {
  return new Refused({ code: 'bad_request', message });
}

/** The refusal of a body that did not come whole, or whose caller has gone. */
export function unreadable(): Refused {
  return bad('The body could not be read.');
}

/** 415: nobody needs it, and what becomes of a compressed body is known only when it has become it. */
export function compressed(): Refused {
  return new Refused(
    { code: 'bad_request', message: 'The body must not be compressed.' },
    { status: 415, headers: { 'Accept-Encoding': 'identity' } },
  );
}

/** The refusal of a body of more than this, for a 413. */
export function tooLarge(bytesMax: number): Refusal {
  return { code: 'bad_request', message: `The body is larger than ${bytesMax} bytes.` };
}

function tooLargeFor(bytesMax: number): Refused {
  return new Refused(tooLarge(bytesMax), { status: 413 });
}

/** A refusal of the connection stays as it is, too large keeps its 413; all else is a body that was cut. */
function refusalOf(error: unknown, bytesMax: number): Refused {
  if (error instanceof Refused) return error;
  return (error as { status?: number }).status === 413 ? tooLargeFor(bytesMax) : unreadable();
}
