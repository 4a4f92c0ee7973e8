import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Needed } from '@inventory/auth/permission';
import type { RateLimitVerdict } from '@inventory/auth/rate-limit';
import { denyAction, denyWarehouses } from '@inventory/auth/scope';
import type { Wait } from '@inventory/db/statement-pool';
import { type FieldErrors, forbidden, invalid } from '@inventory/domain/contract/refused';
import { isPercentEncoded } from '@inventory/process/percent-encoding';
import { TooLateError, within } from '@inventory/process/within';
import type { Context } from 'koa';
import type { z } from 'zod';
import { readJsonBody } from './body.ts';
import type { AuthenticatedClient } from './callers/authenticator.ts';
import { Refused, unknownOutcome } from './errors.ts';
import { onSocketClosed } from './gone.ts';
import { nameLimit } from './limit-headers.ts';
import { fieldErrorsOf, withoutNulls } from './parse.ts';
import type { RequestName } from './request-id.ts';
import type { RouteDescription } from './route-description.ts';
import { isStrict, namesOf, strictApplied, unknownAmong } from './strict.ts';

/**
 * What a handler answers: the JSON text of the body, which holds decimals digit for digit; a long one as a
 * stream, which is read or destroyed.
 */
export type Reply = { status: number; headers?: Record<string, string> } & (
  | { text: string }
  | { stream: Readable }
);

export type Call<Params, Query, Body> = {
  params: Params;
  query: Query;
  body: Body;
  client: AuthenticatedClient;
  /** How it is called in its answer and in the log. */
  name: RequestName;
  header: (name: string) => string | undefined;
  /** Of `performance.now()`, when the request came; when it was whole, if its body came late. */
  arrivedAt: number;
  /** Names the limit of operations in the answer's headers. */
  nameOperations: (verdict: RateLimitVerdict) => void;
  /** Until when, and whether still, somebody waits for the answer. */
  wait: Wait;
  /** By which the answer is sent. */
  res: ServerResponse;
};

/**
 * No request hangs because Postgres does. Transactions answer sooner, by `waitLimits`.
 */
export const answerWithinMs = 12_000;

type Schema = z.ZodType<unknown, unknown>;
type Out<S> = S extends z.ZodType ? z.infer<S> : undefined;

/**
 * A route, in the order in which a request meets it. The tests of 401 and 403 and the OpenAPI document are
 * made of the same table, so what is declared here is what holds.
 */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base path, with `:name` for a parameter. */
  path: string;
  summary: string;
  /** Ours, beside the contract. */
  isExtension?: true;
  permission: Needed;
  /** Read-only clients are refused. */
  writes: boolean;
  /** A parameter that does not fit: there is no such resource, 404. */
  params?: Schema;
  query?: Schema;
  body?: Schema;
  /** The names that its query and its body may have: all others are refused where a caller wishes it. */
  known: { query: ReadonlySet<string>; body: ReadonlySet<string> };
  /** Reads the body where `body` only says what it is; adds to `details`, or throws Refused. */
  readBody?: (ctx: Context, details: Details) => Promise<unknown>;
  /** The warehouses that must be in the client's scope. */
  warehouses: (call: Call<never, never, never>) => number[];
  /** The answers of success, by status. */
  answer: Record<number, Schema>;
  /** Takes an Idempotency-Key, and may be refused with 409. */
  keyed: boolean;
  /** Whether the answer of success is a page, with the headers of one. */
  paged: 'always' | 'unlessLookedUp' | 'never';
  /**
   * The message of 404, when the handler answers null or the path's parameters do not fit; null: neither
   * happens.
   */
  notFound: string | null;
  /** The message of 404 when the path's parameters do not fit; without one that of an unknown path. */
  misfit?: string;
  /** Its notes and examples in the OpenAPI document. */
  description: RouteDescription;
  handle: (call: Call<never, never, never>) => Promise<Reply | null>;
};

type RouteOf<P, Q, B> = Omit<Route, 'params' | 'query' | 'body' | 'known' | 'warehouses' | 'handle'> & {
  params?: P;
  query?: Q;
  body?: B;
  warehouses: (call: Call<Out<P>, Out<Q>, Out<B>>) => number[];
  handle: (call: Call<Out<P>, Out<Q>, Out<B>>) => Promise<Reply | null>;
};

/** Declares a route; the schemas give the handler its types. */
export function route<
  P extends Schema | undefined = undefined,
  Q extends Schema | undefined = undefined,
  B extends Schema | undefined = undefined,
>(declared: RouteOf<P, Q, B>): Route {
  const known = { query: namesOf(declared.query), body: namesOf(declared.body) };
  return { ...declared, known } as unknown as Route;
}

/** For a route that concerns no warehouse. */
export const noWarehouses = () => [];

/**
 * What happens to a request of a known client on its route, top to bottom: read-only, permission, query and
 * body, scope, then the work. Returns null when the path's parameters do not fit: then it is not this route.
 */
export async function callRoute(
  declared: Route,
  ctx: Context,
  rawParams: Record<string, string>,
  client: AuthenticatedClient,
): Promise<Reply | null> {
  const denial = denyAction(client, declared.permission, declared.writes);
  if (denial !== null) throw new Refused(forbidden[denial]);
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
  if (details.size > 0) throw new Refused(invalid(Object.fromEntries(details)));
  const { arrivedAt, name } = ctx.state;
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
    ...{ params: params.value, query, body, client, name, arrivedAt, wait, res: ctx.res },
    header(of: string) {
      return ctx.headers[of.toLowerCase()]?.toString();
    },
    nameOperations(verdict: RateLimitVerdict) {
      nameLimit(ctx, 'operations', verdict);
    },
  } as Call<never, never, never>;
  const outside = denyWarehouses(client, declared.warehouses(call));
  if (outside !== null) throw new Refused(forbidden[outside]);
  // Not before the body is here: a caller who sends it slowly is no outage. A write may be applied yet.
  const reply = await within(answerWithinMs, declared.handle(call)).catch((error) => {
    throw error instanceof TooLateError && declared.writes ? unknownOutcome() : error;
  });
  if (reply === null) throw new Refused({ code: 'not_found', message: declared.notFound! });
  return reply;
}

async function readBody({ body, known }: Route, ctx: Context, details: Details): Promise<unknown> {
  if (body === undefined) return undefined;
  const sent = await readJsonBody(ctx);
  if (ctx.state.isStrict) addDetails(details, unknownAmong(Object.keys(sent), known.body));
  return parse(body, withoutNulls(sent), details);
}

/** The parameters of a path, or null when they do not fit the route. */
export function parseParams(
  declared: Route,
  path: string,
  rawParams: Record<string, string>,
): { value: unknown } | null {
  if (declared.params === undefined) return { value: undefined };
  // The router hands on what it could not decode as it was.
  if (!isPercentEncoded(path)) return null;
  const parsed = declared.params.safeParse(rawParams);
  return parsed.success ? { value: parsed.data } : null;
}

/** Each offending field or parameter with its messages. */
export type Details = Map<string, string[]>;

/** Adds offending fields to those that were found before. */
export function addDetails(details: Details, errors: FieldErrors): void {
  for (const [field, messages] of Object.entries(errors))
    details.set(field, [...(details.get(field) ?? []), ...messages]);
}

function parseQuery(declared: Route, ctx: Context, details: Details): unknown {
  // Koa's own `ctx.query` looks through all parameters for each of them.
  const query = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of new URLSearchParams(ctx.querystring)) {
    if (query.has(name)) repeated.add(name);
    query.set(name, value);
  }
  const parsed =
    declared.query === undefined ? undefined : parse(declared.query, Object.fromEntries(query), details);
  // This is said in the place of its last value's faults.
  for (const name of repeated) details.set(name, ['must be given once.']);
  if (ctx.state.isStrict) addDetails(details, unknownAmong(query.keys(), declared.known.query));
  return parsed;
}

/** The value as the schema reads it. Its faults are added to `details`. */
function parse(schema: Schema, value: unknown, details: Details): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  addDetails(details, fieldErrorsOf(parsed.error));
  return undefined;
}
