import { expect } from 'vitest';
import type { ApiAnswer } from '../service/api-client.ts';

// Words that no answer may show: statements, places in the code or on the disk, names of the underlying
// parts.
const inside =
  /node_modules|\.[jt]s:\d|^\s+at |\/src\/|\/usr\/|\bselect\b.*\bfrom\b|\binsert into\b|\bupdate\b.*\bset\b|relation "|column "|invalid byte|postgres|redis|bullmq|ECONN|constraint|stack/im;

/**
 * Expects an answer that is no failure of the service and, if it is a refusal, the contract's error object.
 */
export function expectRefusalShape(
  {
    status,
    headers,
    text,
    body,
  }: Omit<ApiAnswer, 'headers'> & { headers: { get(name: string): string | null } },
  what: string,
) {
  expect(status, `${what}: ${text}`).toBeLessThan(500);
  if (status < 400) return;
  expect(headers.get('content-type'), what).toMatch(/^application\/json/);
  expect(text, what).not.toMatch(inside);
  if (status === 429) {
    expect(Object.keys(body), what).toEqual(['message']);
    return;
  }
  const names = ['statusCode', 'error', 'message'];
  if (body.error === 'validation_error') {
    names.push('details');
    for (const messages of Object.values(body.details)) expect(messages, what).toEqual(expect.any(Array));
  }
  if (body.error === 'conflict') names.push('reason', 'figures');
  if (body.error_description !== undefined) names.push('error_description');
  expect(Object.keys(body), what).toEqual(names);
  expect(body.statusCode, what).toBe(status);
}
