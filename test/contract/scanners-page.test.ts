import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useService } from '../harness/service.ts';

const service = useService();
const page = readFileSync(join(import.meta.dirname, '../../docs/scanners.md'), 'utf8');

/** A call of the page: method and path, headers, a body perhaps, and the status that it says. */
const calls = [
  ...page.matchAll(/^```http\n([A-Z]+) (\S+)\n((?:[\w-]+: .*\n)*)(?:\n([^→]+))?→ (\d+)\n```$/gm),
].map(([, method, path, headers, body, status]) => ({
  method: method!,
  path: path!,
  headers: Object.fromEntries(
    headers!
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(': ', 2) as [string, string]),
  ),
  body,
  status: Number(status),
}));

test('every call of the page for fleets of scanners is answered as it says, one after the other', async () => {
  expect(calls.length).toBe(page.split('```http').length - 1);
  const client = await service.client();
  for (const shortID of ['WIDGET-100', 'WIDGET-200']) await client.post('/Item', { shortID });
  const known: Record<string, string> = {};
  const filled = (text: string) =>
    text.replaceAll(/<(\w+)>/g, (_, name: string) =>
      name === 'now' ? new Date().toISOString() : known[name]!,
    );
  for (const call of calls) {
    const answer = await client.send(call.method, filled(call.path), {
      headers: {
        ...call.headers,
        ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(call.body === undefined ? {} : { body: filled(call.body) }),
    });
    const name = `${call.method} ${call.path} ${call.body ?? ''}`;
    expect(`${name}→ ${answer.status} ${answer.text}`).toContain(`${name}→ ${call.status} `);
    for (const { status } of answer.body.results ?? []) {
      if (answer.status === 200) expect(status, answer.text).toBe('applied');
    }
    if (typeof answer.body.transactionNo === 'number')
      known.transactionNo = String(answer.body.transactionNo);
    const next = answer.headers.get('X-Next-Modified-Since');
    if (next !== null) known.nextModifiedSince = next;
  }
});
