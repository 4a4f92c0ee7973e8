import type { Json } from './schemas.ts';

type Parameter = { name: string; in: string; description: string; required?: true; example?: unknown };
type Content = { examples?: Record<string, { summary: string; value: Json }> };

/** An operation of the document, as other forms of the document need it. */
export type Operation = {
  method: string;
  /** Below the base path, with `{name}` for a parameter. */
  path: string;
  id: string;
  tag: string;
  summary: string;
  description: string;
  isExtension: boolean;
  /** Whether its example takes an `Idempotency-Key`. */
  isKeyed: boolean;
  pathParameters: Parameter[];
  queryParameters: Parameter[];
  /** The first example of its body; null if it has no body. */
  body: { isForm: boolean; example: Json } | null;
};

const form = 'application/x-www-form-urlencoded';

/** The query of its example: the parameters that must be given. */
export function queryOf({ queryParameters }: Operation): string {
  const required = queryParameters.filter((each) => each.required);
  return required.length === 0
    ? ''
    : `?${required.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`).join('&')}`;
}

/** Reads the operations of a document, in its order. */
export function operationsOf(paths: Json): Operation[] {
  return Object.entries(paths as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(method, path, operation)),
  );
}

/** Reads an operation of a path. */
export function operationOf(method: string, path: string, operation: Json): Operation {
  // Headers are references. Only the key matters here.
  const parameters = (operation.parameters ?? []) as (Parameter & { $ref?: string })[];
  const body = bodyOf(operation);
  return {
    method: method.toUpperCase(),
    path,
    id: String(operation.operationId),
    tag: String((operation.tags as string[])[0]),
    summary: String(operation.summary),
    description: String(operation.description),
    isExtension: operation['x-extension'] === true,
    // In a list of mode `each`, each operation has a key of its own.
    isKeyed:
      body?.example.mode !== 'each' && parameters.some(({ $ref }) => $ref?.endsWith('/Idempotency-Key')),
    pathParameters: parameters.filter((each) => each.in === 'path'),
    queryParameters: parameters.filter((each) => each.in === 'query'),
    body,
  };
}

function bodyOf({ requestBody }: Json): Operation['body'] {
  if (requestBody === undefined) return null;
  const [[type, { examples }] = ['', {} as Content]] = Object.entries(
    (requestBody as { content: Record<string, Content> }).content,
  );
  return { isForm: type === form, example: Object.values(examples ?? {})[0]!.value };
}
