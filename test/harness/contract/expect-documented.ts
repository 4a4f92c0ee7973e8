import { answerHeaders, headerComponents, sharedAnswers } from '@inventory/api/openapi/responses';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ApiAnswer } from '../service/api-client.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document has its own names.
type Json = any;

const families = /^\/(PurchaseOrder|ShippingOrder|WorkOrder|Report)(\/|$)/;
// The document's own pages are not JSON of the contract.
const unlisted = /^\/(docs|openapi\.json)(\/|$)/;

/** The document as a checker of answers. */
export type Documented = {
  /** Throws when this answer is not in the document: its status, its headers, each property of its body. */
  expectDocumented(method: string, path: string, answer: ApiAnswer): void;
};

/** Reads a document; a schema is compiled when the first answer needs it. */
export function createDocumented(document: Json): Documented {
  const ajv = createAjv(document);
  // Answers outside any operation, such as 405, are not documented.
  const whole = {
    ...document,
    components: { ...document.components, responses: sharedAnswers(), headers: headerComponents() },
  };
  const validators = new Map<Json, ValidateFunction>();
  const templates = Object.entries(document.paths).map(([template, operations]) => ({
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
    isExact: !template.includes('{'),
    operations: operations as Record<string, Json>,
  }));

  function operationOf(method: string, path: string): Json | undefined {
    const name = method.toLowerCase();
    const matching = templates.filter((each) => each.pattern.test(path) && name in each.operations);
    return (matching.find((each) => each.isExact) ?? matching[0])?.operations[name];
  }

  /** The document's response for this status, or undefined. */
  function responseOf(method: string, path: string, status: number): Json | undefined {
    const { responses } = whole.components;
    if (status === 405) return responses.MethodNotAllowed;
    if (status === 501) return families.test(path) ? responses.NotImplemented : undefined;
    const operation = operationOf(method === 'HEAD' ? 'GET' : method, path);
    if (operation !== undefined) return resolve(whole, operation.responses[status]);
    const ofUnknownPaths: Record<number, Json> = {
      401: responses.Unauthorized,
      404: responses.NotFound,
      429: responses.RateLimited,
      500: responses.InternalError,
      503: responses.Unavailable,
    };
    return ofUnknownPaths[status];
  }

  function validatorOf(schema: Json): ValidateFunction {
    const known = validators.get(schema);
    if (known !== undefined) return known;
    const validate = ajv.compile(strict(inlined(schema)));
    validators.set(schema, validate);
    return validate;
  }

  return {
    expectDocumented(method, fullPath, answer) {
      const path = fullPath.replace(/[?#].*$/, '');
      if (unlisted.test(path)) return;
      const what = `${method} ${path} → ${answer.status}`;
      const response = responseOf(method, path, answer.status);
      if (response === undefined) throw new Error(`not in the OpenAPI document: ${what} ${answer.text}`);
      for (const [name, reference] of Object.entries(response.headers)) {
        if (resolve(whole, reference).required && !answer.headers.has(name)) {
          throw new Error(`${what} lacks the header ${name}`);
        }
      }
      for (const name of answerHeaders) {
        if (answer.headers.has(name) && response.headers[name] === undefined) {
          throw new Error(`${what} has the header ${name}, of which the document says nothing`);
        }
      }
      if (method === 'HEAD') return;
      const validate = validatorOf(response.content['application/json'].schema);
      const isValid: boolean = validate(answer.body);
      if (!isValid) {
        throw new Error(
          `not as the OpenAPI document has it: ${what} ${ajv.errorsText(validate.errors)}\n${answer.text}`,
        );
      }
      if (answer.body.statusCode !== undefined && answer.body.statusCode !== answer.status) {
        throw new Error(`${what} has another statusCode in its body: ${answer.text}`);
      }
    },
  };
}

/** Knows the document's schemas and formats. Datetimes in answers have a single form. */
export function createAjv(document: Json): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    allErrors: true,
    formats: {
      'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
      date: /^\d{4}-\d\d-\d\d$/,
      decimal: true,
      int32: true,
      password: true,
    },
  });
  // For generators; the variants are distinguished by a constant of their own.
  ajv.addKeyword('discriminator');
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    ajv.addSchema(strict(inlined(schema)), name);
  }
  return ajv;
}

/** The schema that a `$ref` points to. */
export function resolve(document: Json, node: Json): Json {
  if (node?.$ref === undefined) return node;
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((inside: Json, name: string) => inside[name], document);
}

/** A schema with references in the form ajv knows. */
export function inlined(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"'));
}

/** The document lets later versions add fields; the tests do not. */
function strict(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inside = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, strict(part)]));
  const isObject = inside.type === 'object' && inside.properties !== undefined;
  return isObject && inside.additionalProperties === undefined
    ? { ...inside, additionalProperties: false }
    : inside;
}

// One document for all: the routes of a service do not depend on its settings.
let served: Promise<Documented> | undefined;

/**
 * Checks an answer against the document of the service, which is read once per test file. Nothing outside the
 * base path is documented.
 */
export async function expectDocumented(baseUrl: string, method: string, path: string, answer: ApiAnswer) {
  if (!baseUrl.endsWith('/api/v1')) return;
  served ??= fetch(`${baseUrl}/openapi.json`)
    .then((response) => response.json())
    .then(createDocumented);
  (await served).expectDocumented(method, path, answer);
}
