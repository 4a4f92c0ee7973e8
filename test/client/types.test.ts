import { join } from 'node:path';
import { openApiText } from '@inventory/api/openapi/document';
import openapiTypeScript, { astToString } from 'openapi-typescript';
import { expect, test } from 'vitest';
import { routes } from '../harness/contract/routes.ts';

// The text that the service serves; contract/openapi.test.ts sees that it does.
const text = openApiText(routes, '/api/v1');
const folder = join(import.meta.dirname, '../../packages/client/src/api');
const head = '// Made from the OpenAPI document. Write it anew with: npx -y pnpm@12 test client/types -u\n\n';

test('the types of the client are those of the served document', async () => {
  const types = astToString(await openapiTypeScript(JSON.parse(text)));
  await expect(head + types).toMatchFileSnapshot(join(folder, 'schema.ts'));
});

test('the client knows every quantity of the document, and no quantity is a whole number elsewhere', async () => {
  const decimals = new Set<string>();
  const integers = new Set<string>();
  walk(JSON.parse(text), (name, schema) => {
    const types = [schema.type].flat();
    if (types.includes('number')) decimals.add(name);
    if (types.includes('integer')) integers.add(name);
  });
  const names = [...decimals].sort();
  expect(names).toContain('units');
  expect(names.filter((name) => integers.has(name))).toEqual([]);
  const list = names.map((name) => `  '${name}',\n`).join('');
  const source = `${head}/** The fields that are quantities: exact decimals. */\nexport const decimalNames = [\n${list}] as const;\n`;
  await expect(source).toMatchFileSnapshot(join(folder, 'decimals.ts'));
});

type Schema = { type?: unknown; properties?: Record<string, Schema> };

/** Visits every named field of every schema. */
function walk(part: unknown, visit: (name: string, schema: Schema) => void): void {
  if (typeof part !== 'object' || part === null) return;
  for (const [name, field] of Object.entries((part as Schema).properties ?? {})) {
    // A field whose kinds differ has its types one level down.
    const kinds = Object.values(field).flatMap((each) => (Array.isArray(each) ? each : []));
    for (const schema of [field, ...kinds]) if (typeof schema === 'object') visit(name, schema);
  }
  for (const [name, each] of Object.entries(part)) {
    if (name !== 'example' && name !== 'examples') walk(each, visit);
  }
}
