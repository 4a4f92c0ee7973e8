import { type Operation, operationOf, queryOf } from './operations.ts';
import type { Json } from './schemas.ts';

/** A sample of the document, in the form that several readers of OpenAPI know. */
export type CodeSample = { lang: string; label: string; source: string };

/**
 * Adds `x-codeSamples` to every operation, made from its own examples. `$BASE_URL` and `$TOKEN` stand for
 * the address of the service and the token.
 */
export function withCodeSamples(paths: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(paths as Record<string, Record<string, Json>>).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          { ...operation, 'x-codeSamples': samplesOf(operationOf(method, path, operation)) },
        ]),
      ),
    ]),
  );
}

function samplesOf(operation: Operation): CodeSample[] {
  return [
    { lang: 'Shell', label: 'curl', source: curlOf(operation) },
    { lang: 'JavaScript', label: '@inventory/client', source: clientCallOf(operation) },
  ];
}

function curlOf(operation: Operation): string {
  const { method, path, isKeyed, pathParameters, body } = operation;
  const filled = pathParameters.reduce(
    (at, { name, example }) => at.replace(`{${name}}`, encodeURIComponent(String(example))),
    path,
  );
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}"$BASE_URL${filled}${queryOf(operation)}"`];
  if (!body?.isForm) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (isKeyed) lines.push('-H "Idempotency-Key: $(uuidgen)"');
  if (body?.isForm) {
    for (const [name, value] of Object.entries(body.example))
      lines.push(`--data-urlencode ${shellQuoted(`${name}=${value}`)}`);
  } else if (body !== null) {
    lines.push("-H 'Content-Type: application/json'");
    lines.push(`-d ${shellQuoted(JSON.stringify(body.example, null, 2))}`);
  }
  return lines.join(' \\\n  ');
}

const shellQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

// The client names these calls after the operation.
const sameNames = 'receive move issue count reverse batch createItem updateItem discontinueItem'.split(' ');
// These are named after what they return: `getLot` is `lot`.
const shorterNames: Record<string, string> = {
  ...{ getMe: 'me', getTransaction: 'transaction', getLot: 'lot', getItem: 'item', scanCodes: 'scan' },
  getStockDays: 'stockDays',
};
// These are read with `for await`.
const loops: Record<string, [call: string, each: string]> = {
  listTransactions: ['transactions()', 'transaction'],
  listLots: ['lots()', 'lot'],
  listWarehouseLots: ['lots({ wid: $wid })', 'lot'],
  listStockLevels: ['stockLevels()', 'level'],
  listWarehouseStockLevels: ['stockLevels({ wid: $wid })', 'level'],
  listStockAt: ['stockAt({ time: $time })', 'item'],
  listActivity: ['activity({ from: $from, to: $to })', 'some'],
  listItems: ['items()', 'item'],
  listAllItems: ['items({ all: true })', 'item'],
  getChanges: ['changes()', 'change'],
};

/** Calls the client's own method where it has one, else `api`, which has every operation. */
function clientCallOf(operation: Operation): string {
  const { id, method, path, pathParameters, queryParameters, body } = operation;
  if (body?.isForm) return clientSetup(body.example);
  const literalsOf = (parameters: Operation['pathParameters']) =>
    Object.fromEntries(parameters.map(({ name, example }) => [name, literalOf(example)] as const));
  const literals = literalsOf(pathParameters);
  const query = literalsOf(queryParameters.filter(({ required }) => required));
  const asked = { ...literals, ...query };
  const loop = loops[id];
  if (loop !== undefined) {
    const call = loop[0].replace(/\$(\w+)/g, (_, name: string) => asked[name]!);
    return `for await (const ${loop[1]} of inventory.${call})\n  console.log(${loop[1]});`;
  }
  const name = sameNames.includes(id) ? id : shorterNames[id];
  if (name !== undefined) {
    const named = Object.entries(query)
      .map(([key, literal]) => `${key}: ${literal}`)
      .join(', ');
    const alone = named === '' ? Object.values(literals).join(', ') : `{ ${named} }`;
    const given = body === null ? alone : literalOf(body.example);
    return `const answer = await inventory.${name}(${given});`;
  }
  const params = Object.entries(literals).map(([key, literal]) => `${key}: ${literal}`);
  const parts = [
    ...(params.length > 0 ? [`  params: { path: { ${params.join(', ')} } },\n`] : []),
    ...(body === null ? [] : [`  body: ${literalOf(body.example).replaceAll('\n', '\n  ')},\n`]),
  ];
  const options = parts.length > 0 ? `, {\n${parts.join('')}}` : '';
  return `const { data } = await inventory.api.${method}('${path}'${options});`;
}

/** Stands for fetching a token: the client does that by itself. */
function clientSetup({ client_id }: Json): string {
  return `import { InventoryClient } from '@inventory/client';

const inventory = new InventoryClient({
  baseUrl: '$BASE_URL',
  clientId: '${client_id}',
  clientSecret: process.env.CLIENT_SECRET,
});`;
}

/** A value as JavaScript is written: names without quotes, texts in single ones. */
function literalOf(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replaceAll(/^( *)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replaceAll(/"((?:[^"\\]|\\.)*)"/g, (text, inner: string) => (/['\\]/.test(inner) ? text : `'${inner}'`));
}
