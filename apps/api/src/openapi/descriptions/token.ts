import { one } from '@inventory/domain/examples';
import { type RateLimited, TokenAnswer, TokenError, TokenRequest } from '../error-schemas.ts';
import { answerOf, tokenHeaders } from '../responses.ts';
import type { Json, Schemas } from '../schemas.ts';

const tokenRequest: TokenRequest = {
  grant_type: 'client_credentials',
  client_id: 'demo',
  client_secret: '<client secret>',
};
const tokenAnswer: TokenAnswer = {
  access_token: 'eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ.eyJzdWIiOiJlcnAifQ.c2lnbmF0dXJl',
  token_type: 'bearer',
  expires_in: 3600,
};

/** `POST /Token` is not in the route table: it comes before authentication and reads a form. */
export function tokenDescription(schemas: Schemas): Json {
  const refused = (statusCode: number, error: TokenError['error'], message: string) => ({
    summary: error,
    value: { statusCode, error, message, error_description: message } satisfies TokenError,
  });
  const tokenError = schemas.answer(TokenError);
  const limited: RateLimited = { message: 'Too many failed attempts; try again later.' };
  return {
    operationId: 'getToken',
    tags: ['Token'],
    summary: 'Obtain an access token',
    description:
      'OAuth 2.0 client credentials (RFC 6749, 4.4). The client id and secret are sent in the form or by HTTP Basic, not ' +
      'both. An unknown id and a wrong secret get the same answer. Wrong secrets are limited to ten in a window of 60 s, for an address ' +
      'and for a client id. A right secret always gets a token, whatever wrong ones came before. Within a minute it gets ' +
      'the same token again, with the remaining lifetime in `expires_in`. The token carries no rights: they are looked up at each request.',
    // Basic is optional, because the form may contain the credentials.
    security: [{ clientBasic: [] }, {}],
    requestBody: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': {
          schema: schemas.request(TokenRequest),
          examples: one('Client credentials in the form', tokenRequest),
        },
      },
    },
    responses: {
      200: answerOf('A token', schemas.answer(TokenAnswer), {
        headers: tokenHeaders,
        examples: one('A token for an hour', tokenAnswer),
      }),
      400: answerOf('The request is malformed', tokenError, {
        headers: tokenHeaders,
        examples: {
          missing: refused(400, 'invalid_request', 'client_id and client_secret are required.'),
          grant: refused(400, 'unsupported_grant_type', 'grant_type must be client_credentials.'),
        },
      }),
      401: answerOf('The client is unknown or its secret is wrong', tokenError, {
        headers: tokenHeaders,
        optional: ['WWW-Authenticate'],
        examples: {
          client: refused(401, 'invalid_client', 'The client is unknown or its secret is wrong.'),
        },
      }),
      408: { $ref: '#/components/responses/TooSlow' },
      413: { $ref: '#/components/responses/TooLarge' },
      415: { $ref: '#/components/responses/Compressed' },
      429: answerOf(
        'A wrong secret, and too many came before it: wait for `Retry-After` seconds',
        { $ref: '#/components/schemas/RateLimited' },
        {
          headers: [...tokenHeaders, 'Retry-After'],
          examples: { limited: { summary: 'After 10 wrong secrets', value: limited } },
        },
      ),
      500: { $ref: '#/components/responses/InternalError' },
      503: { $ref: '#/components/responses/Unavailable' },
    },
  };
}
