import type { FieldErrors } from '@inventory/domain/refusals/refused';
import type { z } from 'zod';

/** Returns the messages for each invalid field, in the form that `invalid` takes. */
export function fieldErrorsOf(error: z.ZodError): FieldErrors {
  const details: FieldErrors = {};
  for (const { path, message } of error.issues) {
    const field = String(path[0] ?? '');
    details[field] = [...(details[field] ?? []), message];
  }
  return details;
}

/** `null` counts as omitted. */
export function withoutNulls(body: Record<string, unknown>): Record<string, unknown> {
  if (!Object.values(body).includes(null)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
