import { connections, count, Port } from '@inventory/process/config';
import { hostCountOf, whyNoAddress } from '@inventory/process/database-address';
import { z } from 'zod';

/** The settings of an api process. */
export const apiSettings = {
  ...connections,
  PORT: Port.default(3000),
  HOST: z.string().default('127.0.0.1'),
  /** Requests per client in a window of 60 s, for clients without a limit of their own. */
  RATE_LIMIT: count(1).default(100),
  /** Operations of batches per client in a window of 60 s, for clients without a limit of their own. */
  OPERATION_LIMIT: count(1).default(30_000),
  /**
   * Connections to Postgres for cheap lists and single items; at most 21 more: costly lists, and what must
   * not stand behind any.
   */
  DATABASE_CONNECTIONS: count(1).default(10),
  /**
   * A replica, several behind a load balancer, or a pooler before either, for lists; with the user and the
   * password of DATABASE_URL. Unset: the primary answers all of them.
   */
  DATABASE_READ_URL: z
    .string()
    .superRefine((url, context) => {
      const why = whyNoAddress(url);
      if (why !== null) context.addIssue(why);
      else if (hostCountOf(url) > 1)
        context.addIssue('must be an address with one host; a load balancer may stand before several');
    })
    .optional(),
  /**
   * Connections of callers; one more closes the one that has been idle for longest. Unset: as many as the
   * limit of open files allows.
   */
  CONNECTIONS_MAX: count(1).optional(),
  /**
   * Those from one address on which no right token or secret came, an IPv6 network of 64 bits being one
   * address; 0: any number. Unset: 250, and any behind a proxy.
   */
  CONNECTIONS_PER_ADDRESS_MAX: count(0).optional(),
  /** Requests in one envelope at most. */
  ENVELOPE_MAX: count(1).default(64),
  /** Envelopes under way at once at most, per shard. */
  ENVELOPES_IN_FLIGHT: count(1).default(4),
  /** Whether each request is a line of the log. */
  ACCESS_LOG: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  /**
   * How long a process that is told to stop goes on accepting, milliseconds: the load balancer's time to
   * notice. With the longest answer it must fit into the time that a process has to stop.
   */
  DRAIN_MS: count(0)
    .refine((value) => value <= 7000, { error: 'must be at most 7000' })
    .default(0),
  /** The origins, separated by commas, whose pages may call the api from a browser; empty: none. */
  CORS_ORIGINS: z
    .string()
    .default('')
    .transform((text) => text.split(',').map((origin) => origin.trim()))
    .transform((origins) => origins.filter((origin) => origin !== ''))
    .refine((origins) => origins.every(isOrigin), {
      error:
        'must be origins as browsers send them, such as https://app.example.com, separated by commas; * is none',
    }),
  /**
   * Proxies before the service whose entry in X-Forwarded-For is believed, counted from the right; 0: the
   * header is ignored.
   */
  TRUST_PROXY: z
    .string()
    .regex(/^(\d|false)$/, {
      error:
        'must be the number of proxies before the service whose entry in X-Forwarded-For is believed, such as 1 ' +
        '(0: the header is ignored)',
    })
    .transform((text) => (text === 'false' ? 0 : Number(text)))
    .default(0),
};

/**
 * Whether a text is one origin of web pages, as browsers write it: no path, no default port, small letters.
 */
function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
