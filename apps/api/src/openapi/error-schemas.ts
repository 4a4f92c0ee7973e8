import { Outcome } from '@inventory/domain/contract/outcome';
import { conflictFields } from '@inventory/domain/refusals/conflict-reasons';
import { z } from 'zod';
import { type ErrorCode, statusOf } from '../http/errors.ts';

const codes = Object.keys(statusOf) as [ErrorCode, ...ErrorCode[]];

/** The contract's error object. */
export const ErrorAnswer = z
  .object({
    statusCode: z.int().describe('Mirrors the HTTP status'),
    error: z.enum(codes).describe('Machine-readable code'),
    message: z.string().describe('Human-readable description'),
    details: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .describe('Only with `validation_error`: every offending field with its messages'),
    ...conflictFields,
    outcome: Outcome.optional(),
  })
  .meta({ id: 'Error' });
export type ErrorAnswer = z.infer<typeof ErrorAnswer>;

/** 429: the contract's simpler body. */
export const RateLimited = z
  .object({ message: z.string().describe('States the limit') })
  .meta({ id: 'RateLimited' });
export type RateLimited = z.infer<typeof RateLimited>;

/** The form of `POST /Token`. */
export const TokenRequest = z
  .object({
    grant_type: z.literal('client_credentials'),
    client_id: z.string().optional().describe('Required unless HTTP Basic carries it'),
    client_secret: z
      .string()
      .optional()
      .meta({ description: 'Required unless HTTP Basic carries it', format: 'password' }),
  })
  .meta({ id: 'TokenRequest' });
export type TokenRequest = z.infer<typeof TokenRequest>;

/** 200 of `POST /Token`. */
export const TokenAnswer = z
  .object({
    access_token: z.string().describe('Goes into `Authorization: Bearer …`'),
    token_type: z.literal('bearer'),
    expires_in: z.int().describe('Lifetime in seconds'),
  })
  .meta({ id: 'TokenAnswer' });
export type TokenAnswer = z.infer<typeof TokenAnswer>;

/** A failed token request: the error object with a code of RFC 6749. */
export const TokenError = z
  .object({
    statusCode: z.int().describe('Mirrors the HTTP status'),
    error: z
      .enum(['invalid_request', 'invalid_client', 'unsupported_grant_type'])
      .describe('Code of RFC 6749, 5.2'),
    message: z.string().describe('Human-readable description'),
    error_description: z.string().describe('The same text, where RFC 6749 has it'),
  })
  .meta({ id: 'TokenError' });
export type TokenError = z.infer<typeof TokenError>;
