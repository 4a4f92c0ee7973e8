import type { Examples } from '@inventory/domain/examples';
import { keyReused } from '@inventory/domain/refusals/conflict';
import { forbidden, invalid } from '@inventory/domain/refusals/refused';
import { defaultTimes } from '../http/connections/http-server.ts';
import { tooSlow } from '../http/connections/malformed-http.ts';
import { errorText, messages } from '../http/errors.ts';
import { batchBytesMax, bodyBytesMax, compressed, formBytesMax, tooLarge } from '../http/reading/body.ts';
import { noWarehouses, type Route } from '../http/route.ts';
import { refusalExample } from '../http/route-description.ts';
import type { Json } from './schemas.ts';

const { requestMs } = defaultTimes;

const headerTexts: Record<string, [description: string, example: string]> = {
  'X-API-Version': ['The version of the API', 'v1'],
  'X-Request-Id': [
    "The request's id: the one that was sent, or else a generated one",
    '3f6c1b9e-0d0b-4a54-9c1b-9f0f7b1d7c55',
  ],
  'X-Total-Count': ['Total matching records', '1'],
  'X-Page': ['Current page', '1'],
  'X-Page-Size': ['Items per page', '25'],
  'X-Next-Modified-Since': [
    'The value for the next `modifiedSince`, so that no change is missed (extension). ' +
      'If you read several pages, use the value of the first',
    '2026-01-31T08:00:00.000Z',
  ],
  'RateLimit-Policy': [
    'The limit: requests (q) in a window of so many seconds (w); a batch adds the policy `operations` (extension)',
    '"default";q=100;w=60',
  ],
  RateLimit: ['Requests left (r) in this window, and the seconds until it ends (t)', '"default";r=99;t=60'],
  'Retry-After': ['Seconds to wait before trying again', '1'],
  'Idempotent-Replayed': ['true: the stored answer of an earlier request with this key (extension)', 'true'],
  'Preference-Applied': ['handling=strict: no unknown name was ignored (extension)', 'handling=strict'],
  'WWW-Authenticate': ['How to authenticate', 'Bearer'],
  Allow: ['The methods of this path', 'GET'],
  'Accept-Encoding': ['The accepted encoding of a body: none', 'identity'],
  'Cache-Control': ['Answers must not be cached', 'no-store'],
  'X-Content-Type-Options': ['Answers are JSON, whatever they look like', 'nosniff'],
};
/** The answer headers that callers need. Browsers let a page read Cache-Control anyway. */
export const answerHeaders = [...Object.keys(headerTexts).filter((name) => name !== 'Cache-Control'), 'ETag'];
const integerHeaders = ['X-Total-Count', 'X-Page', 'X-Page-Size', 'Retry-After'];
// These are only sent when they apply.
const optionalHeaders = ['Idempotent-Replayed', 'Preference-Applied'];

const always = ['X-API-Version', 'X-Request-Id', 'Cache-Control', 'X-Content-Type-Options'];
const limited = [...always, 'RateLimit-Policy', 'RateLimit'];
// Headers of a request that its route has checked.
const checked = [...limited, 'Preference-Applied'];
// Headers of a request that may have reached its route.
const ofRoute = ['RateLimit-Policy', 'RateLimit', 'Preference-Applied'];
const paged = ['X-Total-Count', 'X-Page', 'X-Page-Size', 'X-Next-Modified-Since'];

/** Every answer header, for `components.headers`. */
export function headerComponents(): Json {
  return Object.fromEntries(
    Object.entries(headerTexts).map(([name, [description, example]]) => {
      const integer = integerHeaders.includes(name);
      const schema = { type: integer ? 'integer' : 'string' };
      const required = optionalHeaders.includes(name) ? {} : { required: true };
      return [name, { description, ...required, schema, example: integer ? Number(example) : example }];
    }),
  );
}

type AnswerOptions = {
  headers: readonly string[];
  optional?: readonly string[];
  examples: Examples;
  /** Examples of the same as server-sent events, if the answer may come so. */
  events?: Examples | undefined;
};

/** Makes one answer: a description, its headers, and JSON with examples. */
export function answerOf(
  description: string,
  schema: Json,
  { headers, optional, examples, events }: AnswerOptions,
): Json {
  const required = headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  // These headers are not on every answer with this status.
  const others = (optional ?? []).map((name) => {
    const [text] = headerTexts[name]!;
    return [
      name,
      { description: text, schema: { type: integerHeaders.includes(name) ? 'integer' : 'string' } },
    ];
  });
  return {
    description,
    headers: Object.fromEntries([...required, ...others]),
    content: {
      'application/json': { schema, examples },
      ...(events && { 'text/event-stream': { schema: { type: 'string' }, examples: events } }),
    },
  };
}

const errorSchema = { $ref: '#/components/schemas/Error' };

function failure(summary: string, status: 500 | 503, message: string) {
  return { summary, value: JSON.parse(errorText(status, { code: 'internal_error', message })) as unknown };
}

/** The answers that many operations share, for `components.responses`. */
export function sharedAnswers(): Json {
  return {
    Unauthorized: answerOf('The token is missing, invalid or expired', errorSchema, {
      headers: [...always, 'WWW-Authenticate'],
      // When the token ends while a request waits.
      optional: ofRoute,
      examples: {
        missing: refusalExample('No token', { code: 'unauthorized', message: 'Authentication is required.' }),
        invalid: refusalExample('Not a live token', {
          code: 'unauthorized',
          message: 'The access token is invalid or expired.',
        }),
      },
    }),
    TooLarge: answerOf('The body is too large', errorSchema, {
      headers: always,
      optional: ofRoute,
      examples: {
        large: refusalExample('Any call except a batch', tooLarge(bodyBytesMax), 413),
        largeBatch: refusalExample('A batch', tooLarge(batchBytesMax), 413),
        largeForm: refusalExample('`/Token`', tooLarge(formBytesMax), 413),
      },
    }),
    Compressed: answerOf('The body is compressed; it was not read', errorSchema, {
      headers: [...always, 'Accept-Encoding'],
      optional: ofRoute,
      examples: { compressed: refusalExample('Any compression', compressed().refusal, compressed().status) },
    }),
    TooSlow: answerOf('The body did not come in time; the connection ends', errorSchema, {
      headers: always,
      optional: ofRoute,
      examples: { slow: refusalExample(`After ${requestMs / 1000} s`, tooSlow.refusal, tooSlow.status) },
    }),
    RateLimited: answerOf(
      'Too many requests: wait for `Retry-After` seconds',
      { $ref: '#/components/schemas/RateLimited' },
      {
        headers: [...limited, 'Retry-After'],
        examples: {
          limited: {
            summary: 'Over the limit',
            value: { message: 'Rate limit exceeded: 100 requests per minute.' },
          },
        },
      },
    ),
    InternalError: answerOf('The service failed; nothing was applied', errorSchema, {
      headers: always,
      optional: ofRoute,
      examples: { failed: failure('Unexpected', 500, messages.internal) },
    }),
    Unavailable: answerOf('Temporarily unavailable', errorSchema, {
      headers: [...always, 'Retry-After'],
      optional: ofRoute,
      examples: {
        unreachable: failure('No database', 503, messages.unreachable),
        unavailable: failure('Busy', 503, messages.unavailable),
      },
    }),
    NotFound: answerOf('There is nothing at this path', errorSchema, {
      headers: limited,
      examples: {
        path: refusalExample('Unknown path', {
          code: 'not_found',
          message: 'There is nothing at this path.',
        }),
      },
    }),
    MethodNotAllowed: answerOf('The path has no such method', errorSchema, {
      headers: [...always, 'Allow'],
      optional: ['RateLimit-Policy', 'RateLimit'],
      examples: {
        method: refusalExample(
          'Another method',
          { code: 'bad_request', message: 'Method not allowed; allowed: GET.' },
          405,
        ),
      },
    }),
    NotImplemented: answerOf('The service does not offer this resource family yet', errorSchema, {
      headers: limited,
      examples: {
        family: refusalExample('`/PurchaseOrder`', {
          code: 'not_implemented',
          message: 'This operation is not available.',
        }),
      },
    }),
  };
}

/** Whether the route needs a token and nothing else. */
const needsToken = ({ permission, writes }: Route) =>
  !writes && Array.isArray(permission) && permission.length === 0;

const shared = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** The errors of a route by status: those that every route has, and those that it declares. */
export function errorAnswers(route: Route): Json {
  const replayed = route.keyed ? { optional: ['Idempotent-Replayed'] } : {};
  const make = (description: string, examples: Examples) =>
    answerOf(description, errorSchema, { headers: checked, examples });
  const answers: Record<number, Json> = {
    400: answerOf('The request is malformed or fails validation', errorSchema, {
      headers: checked,
      ...replayed,
      examples: invalidExamples(route),
    }),
    401: shared('Unauthorized'),
    ...(needsToken(route) ? {} : { 403: make('The client may not do this', forbiddenExamples(route)) }),
    429: shared('RateLimited'),
    500: shared('InternalError'),
    503: shared('Unavailable'),
  };
  const { failureSchema } = route.description;
  const refusedSchema =
    failureSchema === undefined ? errorSchema : { $ref: `#/components/schemas/${failureSchema}` };
  if (route.notFound !== null) {
    const refusal = { code: 'not_found', message: route.notFound } as const;
    answers[404] = make('There is no such resource', {
      missing: refusalExample('Nothing there', refusal),
      ...(route.misfit === undefined
        ? {}
        : { misfit: refusalExample('No number', { code: 'not_found', message: route.misfit }) }),
    });
  }
  if (!route.keyed && route.description.conflict !== undefined) {
    answers[409] = make('The current state does not allow it', route.description.conflict);
  }
  if (route.keyed) {
    answers[409] = answerOf(
      'The stock does not allow it, or the key was used with another body',
      refusedSchema,
      {
        headers: checked,
        ...replayed,
        examples: {
          ...route.description.conflict,
          key: refusalExample('Another body', keyReused),
        },
      },
    );
  }
  if (route.writes) {
    answers[503] = answerOf(
      'Busy or unavailable; nothing was applied unless `outcome` says otherwise',
      refusedSchema,
      {
        headers: [...always, 'Retry-After'],
        // These headers come only after the client is known, which needs the database.
        optional: ofRoute,
        examples: {
          unavailable: failure('Not applied', 503, messages.unavailable),
          unreachable: failure('No database', 503, messages.unreachable),
          unknown: failure('The one exception', 503, messages.unknown),
        },
      },
    );
  }
  if (route.body !== undefined) {
    answers[408] = shared('TooSlow');
    answers[413] = shared('TooLarge');
    answers[415] = shared('Compressed');
  }
  return answers;
}

function invalidExamples({ body, query, keyed, description }: Route): Examples {
  const repeated = refusalExample('A parameter given twice', invalid({ page: ['must be given once.'] }));
  if (body === undefined) {
    if (query === undefined) return { repeated };
    return (
      description.invalid ?? {
        page: refusalExample('An invalid page', invalid({ page: ['must be a plain integer.'] })),
        repeated,
      }
    );
  }
  const fields = keyed
    ? invalid({ itemID: ['is required.'], units: ['must be greater than 0.'] })
    : invalid({ shortID: ['is required.'] });
  return {
    fields: refusalExample('All invalid fields', fields),
    json: refusalExample('Not JSON', { code: 'bad_request', message: 'The body is not well-formed JSON.' }),
    ...description.invalid,
  };
}

function forbiddenExamples(route: Route): Examples {
  return {
    ...(route.writes ? { readOnly: refusalExample('A read-only client', forbidden.readOnly) } : {}),
    permission: refusalExample('Without the permission', forbidden.permission),
    ...(route.warehouses === noWarehouses
      ? {}
      : { scope: refusalExample('A warehouse that is out of scope or does not exist', forbidden.scope) }),
  };
}

/** The headers of an answer of success. */
export function successHeaders({ paged: isPaged, keyed }: Route): { headers: string[]; optional: string[] } {
  return {
    headers: [...checked, ...(isPaged === 'always' ? paged : [])],
    optional: [...(isPaged === 'unlessLookedUp' ? paged : []), ...(keyed ? ['Idempotent-Replayed'] : [])],
  };
}

/** The headers of every answer of `POST /Token`. */
export const tokenHeaders = always;
