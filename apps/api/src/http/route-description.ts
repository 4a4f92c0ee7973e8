import type { Examples } from '@inventory/domain/examples';
import type { Refusal } from '@inventory/domain/refusals/refused';
import { errorText, statusOf } from './errors.ts';

/** The part of a route's OpenAPI operation that its declaration does not contain. */
export type RouteDescription = {
  /** The `operationId` in words. Generators name their functions after it. */
  id: string;
  /** Markdown. */
  notes: string;
  /** Example bodies, for a route with a body. */
  body?: Examples;
  /** Example answers of success. */
  answer: Examples;
  /** Examples of an answer as server-sent events, for a route that sends them. */
  events?: Examples;
  /** Further refusals with 400. */
  invalid?: Examples;
  /** Refusals with 409. A keyed route may always refuse so. */
  conflict?: Examples;
  /** The component that describes 409 and 503, if it is not the error object. */
  failureSchema?: string;
};

/** Returns the error object of a refusal as an example. */
export function refusalExample(summary: string, refusal: Refusal, status: number = statusOf[refusal.code]) {
  return { summary, value: JSON.parse(errorText(status, refusal)) as unknown };
}
