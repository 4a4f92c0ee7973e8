import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const sources = join(import.meta.dirname, '../../../apps/api/src');

// The ways in which the api's own code reads a header.
const reads = /(?:ctx\.get|\bheader)\('([\w-]+)'\)|\.headers\.(\w+)\b(?! \?\?)/g;

// Headers that Node, Koa and the body reader read before or beside it.
const readByLibraries = [
  ...'Accept Accept-Encoding Cache-Control Connection Content-Encoding Content-Length Content-Type'.split(
    ' ',
  ),
  ...'Expect Host If-Modified-Since If-None-Match Transfer-Encoding Upgrade'.split(' '),
  ...'X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto'.split(' '),
];

/** Every request header that the api reads; those of its own code are found in the sources. */
export function readHeaders(): string[] {
  const names = new Map(readByLibraries.map((name) => [name.toLowerCase(), name]));
  for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    for (const [, one, other] of readFileSync(join(sources, file), 'utf8').matchAll(reads)) {
      const name = (one ?? other)!;
      if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name);
    }
  }
  return [...names.values()];
}
