import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { whyNoPrimary } from './database-address.ts';
import { logLevels } from './log.ts';
import { PlainError } from './plain-error.ts';
import { parseRedisAddress, RedisAddressError, withRedisPasswords } from './redis-address.ts';

/** A setting is missing or wrong; the message is one line for the person who starts the process. */
export class ConfigError extends PlainError {}

const port = z
  .string()
  .regex(/^\d{1,5}$/, { error: 'must be a port number' })
  .transform(Number);

/** A port of this machine; 0 lets the system choose. */
export const Port = port.refine((value) => value <= 65_535, { error: 'must be a port number' });

/** A whole number from `min` on. */
export function count(min: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, { error: 'must be a whole number' })
    .transform(Number)
    .refine((value) => value >= min, { error: `must be at least ${min}` });
}

/** The settings by which every process of the service reaches Postgres and Redis. */
export const connections = {
  DATABASE_URL: z
    .string({ error: 'is not set' })
    .regex(/^postgres(ql)?:\/\//, { error: 'must be a postgres:// address', abort: true })
    .superRefine((url, context) => {
      const why = whyNoPrimary(url);
      if (why !== null) context.addIssue(why);
    }),
  /** One server, Sentinels or a Redis Cluster: see `parseRedisAddress`. */
  REDIS_URL: z.string({ error: 'is not set' }).superRefine((url, { addIssue }) => {
    const message = orWhyNot(() => parseRedisAddress(url));
    if (typeof message === 'string') addIssue({ code: 'custom', message });
  }),
  /** Sets the keys of several services on one Redis apart. */
  QUEUE_PREFIX: z
    .string()
    // It stands in lines of Redis's file of users, as the beginning of a pattern.
    .regex(/^[^\s\p{Cc}*?[\]\\"']+$/u, {
      error: 'must have no blanks, quotes, backslashes, and none of * ? [ ]',
    })
    .default('inventory'),
  /**
   * Queues that the work is shared among, at most: as many are in use as there are workers. The least that a
   * running worker has holds for all.
   */
  QUEUE_SHARDS: count(1)
    .refine((value) => value <= 256, { error: 'must be at most 256' })
    .default(64),
  /** Where /healthz, /readyz and /metrics are served; unset: nowhere; 0: where the system chooses. */
  INTERNAL_PORT: Port.optional(),
  INTERNAL_HOST: z.string().default('127.0.0.1'),
  /**
   * Names to which they answer beside addresses and names that nobody can own on the internet, separated by
   * commas; one that begins with a dot stands for every name that ends so.
   */
  INTERNAL_NAMES: z
    .string()
    .regex(/^(\.?[a-z\d-]+(\.[a-z\d-]+)*(\s*,\s*|$))*$/i, {
      error: 'must be names such as inventory.example.com or .example.com, separated by commas',
    })
    .default('')
    .transform((text) =>
      text
        .toLowerCase()
        .split(/[\s,]+/)
        .filter((name) => name !== ''),
    ),
  /** Where traces are sent, as OTLP over HTTP; unset: nowhere, and nothing of OpenTelemetry is loaded. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .regex(/^https?:\/\//, { error: 'must be an http:// or https:// address' })
    .optional(),
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
};

/**
 * The settings of a process out of its environment; empty counts as unset. DATABASE_PASSWORD_FILE names a
 * file whose content is put into DATABASE_PASSWORD, so that the password need not stand in the environment's
 * description; what REDIS_PASSWORD is or REDIS_PASSWORD_FILE names is put into REDIS_URL, and so is
 * REDIS_SENTINEL_PASSWORD.
 */
export function readConfig<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: NodeJS.ProcessEnv,
): z.infer<z.ZodObject<Shape>> {
  if (env.DATABASE_PASSWORD_FILE) {
    env.DATABASE_PASSWORD = readSecretFile('DATABASE_PASSWORD_FILE', env.DATABASE_PASSWORD_FILE);
  }
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const secretOf = (name: string) =>
    given[`${name}_FILE`] ? readSecretFile(`${name}_FILE`, given[`${name}_FILE`]!) : given[name];
  const passwords = { server: secretOf('REDIS_PASSWORD'), sentinel: secretOf('REDIS_SENTINEL_PASSWORD') };
  const url = given.REDIS_URL;
  // One that is not understood is refused below, with all else that is wrong.
  if (url !== undefined && typeof orWhyNot(() => parseRedisAddress(url)) !== 'string') {
    const changed = orWhyNot(() => ({ url: withRedisPasswords(url, passwords) }));
    if (typeof changed === 'string') throw new ConfigError(`REDIS_URL ${changed}`);
    given.REDIS_URL = changed.url;
  }
  const parsed = z.object(shape).safeParse(given);
  if (parsed.success) {
    refuseBraces(parsed.data);
    return parsed.data;
  }
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  throw new ConfigError(lines.join('; '));
}

function readSecretFile(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new ConfigError(`${name} names a file that cannot be read`);
  }
}

/**
 * On a Redis Cluster the braces in a key say which of its nodes has it: those of a queue, or of a client's
 * limit, and no others.
 */
function refuseBraces({ REDIS_URL: url, QUEUE_PREFIX: prefix }: Record<string, unknown>) {
  if (typeof url !== 'string' || typeof prefix !== 'string') return;
  if (parseRedisAddress(url).kind === 'cluster' && /[{}]/.test(prefix))
    throw new ConfigError(
      'QUEUE_PREFIX must have no braces on a Redis Cluster: all queues would stand on one node',
    );
}

/** The value that is read, or why REDIS_URL is invalid. */
function orWhyNot<Value extends object>(read: () => Value): Value | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof RedisAddressError) return error.message;
    throw error;
  }
}
