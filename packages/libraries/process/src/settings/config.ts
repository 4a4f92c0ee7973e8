import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { logLevels } from '../log/log.ts';
import { PlainError } from '../plain-error.ts';
import { whyNoPrimary } from './database-address.ts';
import { parseRedisAddress, RedisAddressError, withRedisPasswords } from './redis-address.ts';

/** A setting is missing or wrong. The message is one line for the operator. */
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

/** The settings for Postgres and Redis that all processes share. */
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
  /** Separates the keys of several services on one Redis. */
  QUEUE_PREFIX: z
    .string()
    // It appears in Redis's file of users, at the beginning of a pattern.
    .regex(/^[^\s\p{Cc}*?[\]\\"']+$/u, {
      error: 'must have no blanks, quotes, backslashes, and none of * ? [ ]',
    })
    .default('inventory'),
  /**
   * The most queues. There are as many in use as workers. The smallest value of all running workers counts.
   */
  QUEUE_SHARDS: count(1)
    .refine((value) => value <= 256, { error: 'must be at most 256' })
    .default(64),
  /** The port of /healthz, /readyz and /metrics. Unset: none. 0: the system chooses. */
  INTERNAL_PORT: Port.optional(),
  INTERNAL_HOST: z.string().default('127.0.0.1'),
  /**
   * Accepted host names besides addresses and names that cannot be registered on the internet, separated by
   * commas. A name that begins with a dot covers all names that end with it.
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
  /** The OTLP endpoint for traces, over HTTP. Unset: traces are off, and OpenTelemetry is not loaded. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .regex(/^https?:\/\//, { error: 'must be an http:// or https:// address' })
    .optional(),
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
};

/**
 * Reads the settings of a process from its environment. Empty counts as unset. The content of the file
 * DATABASE_PASSWORD_FILE becomes DATABASE_PASSWORD, so that the password need not be in the environment's
 * description. REDIS_PASSWORD, or the content of REDIS_PASSWORD_FILE, is put into REDIS_URL, and so is
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
  // An invalid address is refused below, together with all other faults.
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
 * In a Redis Cluster, the braces in a key select its node. Only queues and limits of clients may use them.
 */
function refuseBraces({ REDIS_URL: url, QUEUE_PREFIX: prefix }: Record<string, unknown>) {
  if (typeof url !== 'string' || typeof prefix !== 'string') return;
  if (parseRedisAddress(url).kind === 'cluster' && /[{}]/.test(prefix))
    throw new ConfigError(
      'QUEUE_PREFIX must have no braces on a Redis Cluster: all queues would be on one node',
    );
}

/** Returns the value, or the reason why REDIS_URL is invalid. */
function orWhyNot<Value extends object>(read: () => Value): Value | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof RedisAddressError) return error.message;
    throw error;
  }
}
