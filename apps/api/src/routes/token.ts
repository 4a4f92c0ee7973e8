import { isSecretOf } from '@inventory/auth/secret';
import { type ClientSecrets, noSecrets, readManySecrets } from '@inventory/db/access/clients';
import type { StatementPool } from '@inventory/postgres/statement-pool';
import { within } from '@inventory/process/within';
import { gather } from '@inventory/turns/gather';
import type { Context } from 'koa';
import type { Authenticator } from '../http/callers/authenticator.ts';
import type { GuessLimiter } from '../http/callers/guess-limit.ts';
import { Refused } from '../http/errors.ts';
import { tooMany } from '../http/limit-headers.ts';
import { readFormBody } from '../http/reading/body.ts';
import type { TokenFailure } from '../metrics.ts';

// A caller waits no longer for a token, even if Postgres is slow or silent.
const secretWithinMs = 1000;
const basicChallenge: Record<string, string> = { 'WWW-Authenticate': 'Basic realm="inventory"' };
// Far longer than any id that the command line creates. The ids of many requests travel in one statement.
const clientIdCharactersMax = 1000;

/** The answer to a token request. Failures have the codes of RFC 6749 in the contract's error object. */
export type TokenReply = {
  status: number;
  text: string;
  headers: Record<string, string>;
  /** Why no token was issued, for the metrics. */
  why?: TokenFailure;
};

/** `POST /Token`: client credentials in the form or by HTTP Basic. */
export function createTokenHandler(pool: StatementPool, authenticator: Authenticator, guesses: GuessLimiter) {
  const look = gather(pool, readManySecrets);

  /** Requests at the same moment share a statement, so a flood of guesses costs the database little. */
  async function readSecrets(clientId: string): Promise<ClientSecrets> {
    // Postgres cannot store NUL, so no id contains it. No id is this long either.
    if (clientId.includes('\u0000') || clientId.length > clientIdCharactersMax) return noSecrets;
    return within(secretWithinMs, look(clientId));
  }

  return async (ctx: Context): Promise<TokenReply> => {
    const form = await readFormBody(ctx).catch(unreadable);
    if (!(form instanceof Map)) return form;
    const basic = readBasic(ctx.get('Authorization'));
    // RFC 6749 5.2: a client that tried Basic gets a challenge for it, whatever was wrong.
    if (basic === 'malformed')
      return refused(401, 'invalid_client', 'The Authorization header is malformed.', basicChallenge);
    if (form.get('grant_type') === undefined)
      return refused(400, 'invalid_request', 'grant_type is required.');
    if (form.get('grant_type') !== 'client_credentials') {
      return refused(400, 'unsupported_grant_type', 'grant_type must be client_credentials.');
    }
    if (basic !== null && form.has('client_secret')) {
      return refused(400, 'invalid_request', 'Client credentials must be sent in one way only.');
    }
    if (basic !== null && (form.get('client_id') ?? basic.clientId) !== basic.clientId)
      return refused(400, 'invalid_request', 'client_id is not that of the Authorization header.');
    const clientId = basic?.clientId ?? form.get('client_id');
    const secret = basic?.secret ?? form.get('client_secret');
    if (!clientId || !secret)
      return refused(400, 'invalid_request', 'client_id and client_secret are required.');

    // The comparison comes before the limit, so wrong secrets never block the right one; see
    // `createGuessLimiter`.
    const askedAt = authenticator.now();
    const { digests, tokensFrom } = await readSecrets(clientId);
    if (!isSecretOf(secret, digests)) {
      const counted = await guesses.count(ctx.state.address, clientId);
      if (counted.allowed) return wrongSecret(basic !== null);
      return { ...tooMany('Too many failed attempts; try again later.', counted), why: 'too_many' };
    }
    // The client pays from its own budget, not from that of its address.
    ctx.state.payer = `client ${clientId}`;
    const { token, expiresIn } = await authenticator.issueToken(clientId, tokensFrom, askedAt);
    const body = { access_token: token, token_type: 'bearer', expires_in: expiresIn };
    return { status: 200, text: JSON.stringify(body), headers: {} };
  };
}

function wrongSecret(byBasic: boolean): TokenReply {
  const challenge = byBasic ? basicChallenge : {};
  return refused(401, 'invalid_client', 'The client is unknown or its secret is wrong.', challenge);
}

/** A form that cannot be read is an `invalid_request` as well. A form that is too large keeps its 413. */
function unreadable(error: unknown): TokenReply {
  if (!(error instanceof Refused) || error.status !== 400) throw error;
  return refused(400, 'invalid_request', error.message);
}

function refused(
  status: number,
  error: Exclude<TokenFailure, 'too_many' | 'invalid_token'>,
  message: string,
  headers: Record<string, string> = {},
): TokenReply {
  const body = { statusCode: status, error, message, error_description: message };
  return { status, text: JSON.stringify(body), headers, why: error };
}

/** RFC 6749 2.3.1: both parts are form-encoded before they are joined. */
function readBasic(header: string): { clientId: string; secret: string } | 'malformed' | null {
  const match = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header);
  if (match === null) return /^Basic\b/i.test(header) ? 'malformed' : null;
  const bytes = Buffer.from(match[1]!, 'base64');
  // Node decodes as much as it can, so invalid base64 would become some other text.
  if (bytes.toString('base64').replace(/=/g, '') !== match[1]!.replace(/=/g, '')) return 'malformed';
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return 'malformed';
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '));
    return { clientId: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) };
  } catch {
    return 'malformed';
  }
}
