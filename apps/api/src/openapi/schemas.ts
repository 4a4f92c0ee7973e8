import { z } from 'zod';

/** A JSON Schema of the document, or another object of it. */
export type Json = Record<string, unknown>;

export type Schemas = {
  /** The schema of parameters or a form. Named schemas become a reference to a component. */
  request(schema: z.ZodType): Json;
  /** The schema of a JSON body. For an optional field, null counts as omitted. */
  body(schema: z.ZodType): Json;
  /** The schema of an answer. */
  answer(schema: z.ZodType): Json;
  /** The named schemas so far, by name. */
  components: Record<string, Json>;
};

const decimalsOfRequests = (limit: number) => `Exact: at most 6 digits after the point, less than ${limit}.`;

/** Converts the validating schemas to schemas of the document. Named schemas become components. */
export function createSchemas(): Schemas {
  const components: Record<string, Json> = {};

  function convert(schema: z.ZodType, io: 'input' | 'output', finish = (json: Json) => json): Json {
    const { $schema, $defs, ...json } = z.toJSONSchema(schema, { io, override: describe }) as Json;
    for (const [id, named] of Object.entries(($defs ?? {}) as Record<string, Json>)) {
      components[id] = withReferences(finish(named));
    }
    return withReferences(finish(json));
  }

  return {
    components,
    request: (schema) => convert(schema, 'input'),
    body: (schema) => convert(schema, 'input', withNulls),
    answer: (schema) => convert(schema, 'output'),
  };
}

/** Adds what JSON Schema cannot express, and removes what does not help a reader. */
function describe({ zodSchema, jsonSchema: json }: { zodSchema: z.core.$ZodTypes; jsonSchema: Json }) {
  // The conversion loses defaults of parameters: a URL contains text, and the defaults are not text.
  const meta = z.globalRegistry.get(zodSchema);
  if (meta?.default !== undefined) json.default = meta.default;
  // A later version may add fields to an answer.
  if (json.additionalProperties === false) delete json.additionalProperties;
  if (json.format === 'date-time') delete json.pattern;
  // In a URL, a flag is one of two texts.
  if (json.type === 'boolean') delete json.enum;
  if (json.type === 'integer') {
    delete json.pattern;
    if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
    if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
    // No format for larger numbers: every JSON reader can hold them, but generators would turn int64 into
    // bigint.
    if (json.maximum !== undefined) json.format ??= 'int32';
  }
  if (json.type === 'number') {
    json.format = 'decimal';
    if (typeof json.exclusiveMaximum === 'number' && typeof json.description === 'string') {
      json.description = `${json.description}. ${decimalsOfRequests(json.exclusiveMaximum)}`;
    }
  }
}

/** A body whose optional fields may be null. */
function withNulls(json: Json): Json {
  if (json.type !== 'object') return json;
  const required = new Set(json.required as string[] | undefined);
  const properties = Object.entries((json.properties ?? {}) as Record<string, Json>).map(([name, field]) => [
    name,
    required.has(name) ? field : orNull(field),
  ]);
  return { ...json, properties: Object.fromEntries(properties) };
}

function orNull({ type, ...json }: Json): Json {
  if (typeof type !== 'string') throw new Error('an optional field of a body has one plain type');
  return {
    ...json,
    type: [type, 'null'],
    ...(Array.isArray(json.enum) ? { enum: [...json.enum, null] } : {}),
  };
}

function withReferences(json: Json): Json {
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
