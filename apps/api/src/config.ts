import { connections, count, Port } from '@inventory/process/settings/config';
import { hostCountOf, whyNoAddress } from '@inventory/process/settings/database-address';
import { z } from 'zod';

/** The settings of an api process. */
export const apiSettings = {
  ...connections,
  PORT: Port.default(3000),
  HOST: z.string().default('127.0.0.1'),
  /** Requests in a window of 60 s, for clients without a limit of their own. */
  RATE_LIMIT: count(1).default(100),
  /** Batch operations in a window of 60 s, for clients without a limit of their own. */
  OPERATION_LIMIT: count(1).default(30_000),
  /**
   * Connections to Postgres for cheap lists and single items. Up to 21 more are used for costly lists and for
   * work that must not wait for lists.
   */
  DATABASE_CONNECTIONS: count(1).default(10),
  /**
   * A replica that answers lists, or a load balancer or pooler in front of replicas. User and password are
   * those of DATABASE_URL. Unset: the primary answers all lists.
   */
  DATABASE_READ_URL: z
    .string()
    .superRefine((url, context) => {
      const why = whyNoAddress(url);
      if (why !== null) context.addIssue(why);
      else if (hostCountOf(url) > 1)
        context.addIssue('must be an address with one host; use a load balancer for several');
    })
    .optional(),
  /**
   * Most connections of callers. One more closes the connection that has been idle for longest. Unset: as
   * many as the limit of open files allows.
   */
  CONNECTIONS_MAX: count(1).optional(),
  /**
   * Most connections from one address (for IPv6: one /64 network) that have not sent a valid token or secret.
   * 0: no limit. Unset: 250, or no limit behind a proxy.
   */
  CONNECTIONS_PER_ADDRESS_MAX: count(0).optional(),
  /** Most requests in one envelope. */
  ENVELOPE_MAX: count(1).default(64),
  /** Most envelopes under way at once, per shard. */
  ENVELOPES_IN_FLIGHT: count(1).default(4),
  /** Whether the log has a line for each request. */
  ACCESS_LOG: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  /**
   * How long a process that is stopping still accepts requests, in milliseconds: the load balancer needs this
   * time to notice. Together with the longest answer it must fit into the time a process has to stop.
   */
  DRAIN_MS: count(0)
    .refine((value) => value <= 7000, { error: 'must be at most 7000' })
    .default(0),
  /** Origins whose pages may call the api from a browser, separated by commas. Empty: none. */
  CORS_ORIGINS: z
    .string()
    .default('')
    .transform((text) => text.split(',').map((origin) => origin.trim()))
    .transform((origins) => origins.filter((origin) => origin !== ''))
    .refine((origins) => origins.every(isOrigin), {
      error:
        'must be origins as browsers send them, such as https://app.example.com, separated by commas; * is not allowed',
    }),
  /** The address at which callers reach the service with TLS; the metrics tell when its certificate ends. */
  CERTIFICATE_URL: z
    .string()
    .refine((url) => URL.canParse(url) && new URL(url).protocol === 'https:', {
      error: 'must be an https:// address',
    })
    .optional(),
  /** Whether the page for people is served at `/console`. */
  CONSOLE: z.enum(['true', 'false'], { error: 'must be true or false' }).default('true'),
  /**
   * The number of trusted proxies in front of the service: their entries in X-Forwarded-For count, from the
   * right. 0: the header is ignored.
   */
  TRUST_PROXY: z
    .string()
    .regex(/^(\d|false)$/, {
      error:
        'must be the number of trusted proxies in front of the service (entries in X-Forwarded-For), such as 1 ' +
        '(0: the header is ignored)',
    })
    .transform((text) => (text === 'false' ? 0 : Number(text)))
    .default(0),
};

/** Whether a text is the origin of a web page as browsers send it: no path, no default port, lower case. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
