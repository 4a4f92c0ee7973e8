import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { RateLimitVerdict } from '@inventory/auth/rate-limit';
import { denyAction, denyWarehouses } from '@inventory/auth/scope';
import type { Needed } from '@inventory/domain/permission';
import { type FieldErrors, forbidden, invalid } from '@inventory/domain/refusals/refused';
import type { Wait } from '@inventory/postgres/statement-pool';
import { isPercentEncoded } from '@inventory/process/settings/percent-encoding';
import { TooLateError, within } from '@inventory/process/within';
import type { Context } from 'koa';
import type { z } from 'zod';
import type { AuthenticatedClient } from './callers/authenticator.ts';
import { Failed, messages, Refused, soonAgain, unknownOutcome } from './errors.ts';
import { nameLimit } from './limit-headers.ts';
import { onSocketClosed } from './on-socket-closed.ts';
import { hasBody, readJsonBody } from './reading/body.ts';
import { misencodedNames } from './reading/misencoded.ts';
import { fieldErrorsOf, withoutNulls } from './reading/parse.ts';
import { isStrict, namesOf, strictApplied, unknownAmong } from './reading/strict.ts';
import type { RequestName } from './request-id.ts';
import type { RouteDescription } from './route-description.ts';
import { type AnswerSpace, smallAnswerBytes, type UnreadAnswers } from './unread-answers.ts';

/**
 * The answer of a handler. `text` is the JSON of the body, with decimals digit for digit; a Buffer may be
 * shared with other answers. A long body is a stream, which must be read or destroyed.
 */
export type Reply = {
  status: number;
  headers?: Record<string, string>;
  /** How long the request only waited, as its caller asked for. This is not time that the service took. */
  waitedMs?: number;
} & (
  | { text: string | Buffer }
  | { stream: Readable }
  /** Server-sent events, which go on until one side ends them. */
  | { events: Readable }
);

export type Call<Params, Query, Body> = {
  params: Params;
  query: Query;
  body: Body;
  client: AuthenticatedClient;
  /** The ids of the request, for its answer and the log. */
  name: RequestName;
  header: (name: string) => string | undefined;
  /** When the request arrived, by `performance.now()`; if its body came late, when it was complete. */
  arrivedAt: number;
  /** Adds the limit of operations to the answer's headers. */
  nameOperations: (verdict: RateLimitVerdict) => void;
  /** How long the caller waits, and whether it still does. */
  wait: Wait;
  /** The client with its rights now, for an answer that takes long. Throws Refused if they have ended. */
  renew: () => Promise<AuthenticatedClient>;
  /** The response. */
  res: ServerResponse;
  /** The share of the answer in the room for answers that were not read yet. */
  space: () => AnswerSpace;
};

/**
 * Limits every request, so that none hangs because Postgres does. Transactions answer sooner; see
 * `waitLimits`.
 */
export const answerWithinMs = 12_000;
// If the rights of its client are older once the body is there, or a read has been made, a request is judged
// again.
const rightsHoldMs = 500;

type Schema = z.ZodType<unknown, unknown>;
type Out<S> = S extends z.ZodType ? z.infer<S> : undefined;

/**
 * A route. The fields stand in the order in which a request meets them. The tests of 401 and 403 and the
 * OpenAPI document are generated from this table, so the declarations always hold.
 */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base path, with `:name` for a parameter. */
  path: string;
  summary: string;
  /** An extension that the contract does not have. */
  isExtension?: true;
  permission: Needed;
  /** Whether read-only clients are refused. */
  writes: boolean;
  /** Parameters that do not fit get 404. */
  params?: Schema;
  query?: Schema;
  body?: Schema;
  /** A request without a body is read as one with an empty object. */
  isBodyOptional?: true;
  /** Whether `null` is a value in the body. Otherwise it counts as omitted. */
  takesNull?: true;
  /** Names that the body may have besides those of its schema. They are not read. */
  passedOver?: readonly string[];
  /** The allowed names in the query and the body. With `handling=strict`, other names are refused. */
  known: { query: ReadonlySet<string>; body: ReadonlySet<string> };
  /** Reads the body if `body` is only its description. Adds faults to `details`, or throws Refused. */
  readBody?: (ctx: Context, details: Details) => Promise<unknown>;
  /** The warehouses that must be in the client's scope. */
  warehouses: (call: Call<never, never, never>) => number[];
  /** The answers of success, by status. */
  answer: Record<number, Schema>;
  /** The most bytes of an answer of success. Room for them is kept before the work begins. */
  answerBytes: (call: Call<never, never, never>) => number;
  /** Whether the handler keeps this room itself, because its call may wait long for what it answers. */
  keepsRoom?: true;
  /** Whether the route takes an Idempotency-Key and may refuse with 409. */
  keyed: boolean;
  /** Whether the answer of success is a page, with paging headers. */
  paged: 'always' | 'unlessLookedUp' | 'never';
  /**
   * The message of 404, when the handler returns null or the path's parameters do not fit. null: neither can
   * happen.
   */
  notFound: string | null;
  /** The message of 404 when the path's parameters do not fit. Default: the message for an unknown path. */
  misfit?: string;
  /** Limits a request that may wait on purpose. Default: `answerWithinMs`. */
  limitMs?: number;
  /** Notes and examples for the OpenAPI document. */
  description: RouteDescription;
  handle: (call: Call<never, never, never>) => Promise<Reply | null>;
};

type RouteOf<P, Q, B> = Omit<
  Route,
  'params' | 'query' | 'body' | 'known' | 'warehouses' | 'answerBytes' | 'handle'
> & {
  params?: P;
  query?: Q;
  body?: B;
  warehouses: (call: Call<Out<P>, Out<Q>, Out<B>>) => number[];
  answerBytes: (call: Call<Out<P>, Out<Q>, Out<B>>) => number;
  handle: (call: Call<Out<P>, Out<Q>, Out<B>>) => Promise<Reply | null>;
};

/** Declares a route. The handler's types come from the schemas. */
export function route<
  P extends Schema | undefined = undefined,
  Q extends Schema | undefined = undefined,
  B extends Schema | undefined = undefined,
>(declared: RouteOf<P, Q, B>): Route {
  const known = {
    query: namesOf(declared.query),
    body: new Set([...namesOf(declared.body), ...(declared.passedOver ?? [])]),
  };
  return { ...declared, known } as unknown as Route;
}

/** For a route that concerns no warehouse. */
export const noWarehouses = () => [];

/**
 * Handles a request of a known client on its route, top to bottom: read-only, permission, query and body,
 * scope, then the work. Returns null if the path's parameters do not fit, which means that the path is not
 * this route's.
 */
export async function callRoute(
  declared: Route,
  ctx: Context,
  rawParams: Record<string, string>,
  known: AuthenticatedClient,
): Promise<Reply | null> {
  const allowed = (client: AuthenticatedClient) => {
    const denial = denyAction(client, declared.permission, declared.writes);
    if (denial !== null) throw new Refused(forbidden[denial]);
    return client;
  };
  const renew = async () => allowed(await ctx.state.authenticate());
  allowed(known);
  const params = parseParams(declared, ctx.path, rawParams);
  if (params === null) {
    if (declared.misfit === undefined) return null;
    throw new Refused({ code: 'not_found', message: declared.misfit });
  }
  ctx.state.isStrict = isStrict(ctx.get('Prefer'));
  if (ctx.state.isStrict) ctx.set(strictApplied);
  const details: Details = new Map();
  const query = parseQuery(declared, ctx, details);
  const body =
    declared.readBody === undefined
      ? await readBody(declared, ctx, details)
      : await declared.readBody(ctx, details);
  // Rights may have ended while the body was on its way.
  const client = areOld(known) ? await renew() : known;
  if (details.size > 0) throw new Refused(invalid(Object.fromEntries(details)));
  const { arrivedAt, name } = ctx.state;
  const answers = ctx.state.answers as UnreadAnswers;
  const { socket } = ctx.req;
  const wait: Wait = {
    until: arrivedAt + answerWithinMs,
    hasGone() {
      return socket.destroyed;
    },
    onGone(tell) {
      return onSocketClosed(socket, tell);
    },
  };
  const call = {
    ...{ params: params.value, query, body, client, name, arrivedAt, wait, res: ctx.res, renew },
    header(of: string) {
      return ctx.headers[of.toLowerCase()]?.toString();
    },
    nameOperations(verdict: RateLimitVerdict) {
      nameLimit(ctx, 'operations', verdict);
    },
    space() {
      return answers.spaceOf({ clientId: client.clientId, res: ctx.res });
    },
  } as Call<never, never, never>;
  refuseOutside(declared, call);
  const bytes = declared.keepsRoom ? smallAnswerBytes : declared.answerBytes(call);
  if (answers.needsRoom(client.clientId, bytes) && !(await call.space().reserve(bytes, wait)))
    throw new Failed(503, messages.unread, soonAgain, 'busy');
  ctx.state.isHandled = true;
  // The time starts only when the body is complete: a slow caller is not an outage. A write may still be
  // applied.
  try {
    const reply = await within(declared.limitMs ?? answerWithinMs, answerOf(declared, call));
    if (reply !== null) return reply;
  } catch (error) {
    answers.find(ctx.res)?.set(0);
    throw error instanceof TooLateError && declared.writes ? unknownOutcome() : error;
  }
  throw new Refused({ code: 'not_found', message: declared.notFound! });
}

type AnyCall = Call<never, never, never>;

function areOld({ readAt }: AuthenticatedClient): boolean {
  return performance.now() - readAt > rightsHoldMs;
}

function refuseOutside({ warehouses }: Route, call: AnyCall): void {
  const outside = denyWarehouses(call.client, warehouses(call));
  if (outside !== null) throw new Refused(forbidden[outside]);
}

/**
 * Lets the handler answer. A read may have waited, for its turn for example. So it is judged again, and made
 * again if its client's warehouses have changed. A route that waits on purpose does so itself.
 */
async function answerOf(declared: Route, call: AnyCall): Promise<Reply | null> {
  for (let asked = call; ; ) {
    const reply = await declared.handle(asked);
    if (declared.writes || declared.limitMs !== undefined || !areOld(asked.client)) return reply;
    let isGiven = false;
    try {
      const client = await call.renew();
      isGiven = client.scopeNo === asked.client.scopeNo;
      if (isGiven) return reply;
      asked = { ...call, client };
      refuseOutside(declared, asked);
    } finally {
      if (!isGiven && reply !== null && 'stream' in reply) reply.stream.destroy();
    }
  }
}

async function readBody(
  { body, isBodyOptional, takesNull, known }: Route,
  ctx: Context,
  details: Details,
): Promise<unknown> {
  if (body === undefined) return undefined;
  if (isBodyOptional && !hasBody(ctx.req)) return parse(body, {}, details);
  const sent = await readJsonBody(ctx);
  if (ctx.state.isStrict) addDetails(details, unknownAmong(Object.keys(sent), known.body));
  return parse(body, takesNull ? sent : withoutNulls(sent), details);
}

/** Returns the parameters of a path, or null if they do not fit the route. */
export function parseParams(
  declared: Route,
  path: string,
  rawParams: Record<string, string>,
): { value: unknown } | null {
  if (declared.params === undefined) return { value: undefined };
  // The router passes on text that it could not decode.
  if (!isPercentEncoded(path)) return null;
  const parsed = declared.params.safeParse(rawParams);
  return parsed.success ? { value: parsed.data } : null;
}

/** The messages for each invalid field or parameter. */
export type Details = Map<string, string[]>;

/** Adds invalid fields to the ones found before. */
export function addDetails(details: Details, errors: FieldErrors): void {
  for (const [field, messages] of Object.entries(errors))
    details.set(field, [...(details.get(field) ?? []), ...messages]);
}

function parseQuery(declared: Route, ctx: Context, details: Details): unknown {
  if (declared.query === undefined && ctx.querystring === '') return undefined;
  // Koa's own `ctx.query` searches all parameters for each of them.
  const query = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of new URLSearchParams(ctx.querystring)) {
    if (query.has(name)) repeated.add(name);
    query.set(name, value);
  }
  const parsed =
    declared.query === undefined ? undefined : parse(declared.query, Object.fromEntries(query), details);
  // These replace the messages about a value that was not sent so, or is only the last one.
  for (const name of misencodedNames(ctx.querystring)) details.set(name, ['must be percent-encoded UTF-8.']);
  for (const name of repeated) details.set(name, ['must be given once.']);
  if (ctx.state.isStrict) addDetails(details, unknownAmong(query.keys(), declared.known.query));
  return parsed;
}

/** Parses the value with the schema and adds its faults to `details`. */
function parse(schema: Schema, value: unknown, details: Details): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  addDetails(details, fieldErrorsOf(parsed.error));
  return undefined;
}
