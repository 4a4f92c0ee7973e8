import { distance } from 'fastest-levenshtein';

/** All settings of all processes, because all processes read the same file. */
export const knownSettings: readonly string[] = [
  ...['DATABASE_URL', 'DATABASE_READ_URL', 'DATABASE_PASSWORD', 'DATABASE_PASSWORD_FILE'],
  ...['REDIS_URL', 'REDIS_PASSWORD', 'REDIS_PASSWORD_FILE'],
  ...['REDIS_SENTINEL_PASSWORD', 'REDIS_SENTINEL_PASSWORD_FILE'],
  ...['QUEUE_PREFIX', 'QUEUE_SHARDS', 'INTERNAL_PORT', 'INTERNAL_HOST', 'INTERNAL_NAMES', 'LOG_LEVEL'],
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  ...[
    'PORT',
    'HOST',
    'RATE_LIMIT',
    'OPERATION_LIMIT',
    'DATABASE_CONNECTIONS',
    'CONNECTIONS_MAX',
    'CONNECTIONS_PER_ADDRESS_MAX',
  ],
  ...['ENVELOPE_MAX', 'ENVELOPES_IN_FLIGHT', 'DRAIN_MS', 'CORS_ORIGINS', 'CONSOLE'],
  ...['TRUST_PROXY', 'ACCESS_LOG', 'CERTIFICATE_URL'],
  ...['WORKER_CONCURRENCY', 'BATCH_MAX', 'IDEMPOTENCY_KEY_DAYS', 'BACKGROUND_AUDIT'],
  // Only docker-compose.yml and docker-compose.tls.yml read these.
  ...['APIS', 'WORKERS', 'SITE', 'TLS', 'TLS_FOLDER', 'TRUSTED_PROXIES', 'DASHBOARD_PORT', 'OPERATIONS_PORT'],
];

const known = new Set(knownSettings);
const ours = new Set(knownSettings.filter((name) => name.includes('_')).map(firstWordOf));
// Read by OpenTelemetry itself.
const ofOpenTelemetry = /^OTEL_/;
// Kubernetes adds these to every container's environment, for each service that it knows.
const ofKubernetes = /_(SERVICE_(HOST|PORT)(_\w+)?|PORT|PORT_\d+_(TCP|UDP)(_\w+)?)$/;

/**
 * Finds names in an environment that look like misspelled settings: they begin like one (`DATABASE_`, `RATE_`
 * …) or differ by a letter or two. `meant`: the nearest setting, if one is near. This is a guess, for a
 * warning: environments contain other things, and names without a resemblance are not reported.
 */
export function findUnknownSettings(env: NodeJS.ProcessEnv): { name: string; meant: string | null }[] {
  return Object.keys(env)
    .filter((name) => !known.has(name) && !ofKubernetes.test(name) && !ofOpenTelemetry.test(name))
    .map((name) => ({ name, meant: nearestTo(name) }))
    .filter(({ name, meant }) => meant !== null || ours.has(firstWordOf(name)));
}

// Docker, Node, npm and commands of this service read these from a `.env`.
const ofOthersInFile = /^(COMPOSE|DOCKER|BUILDKIT|NODE|npm|OTEL|INVENTORY|TZ$)/;

/** The same for the names of a file `.env`, which holds only settings: any name that is none is reported. */
function findUnknownNames(names: readonly string[]): { name: string; meant: string | null }[] {
  return names
    .filter((name) => !known.has(name) && !ofOthersInFile.test(name))
    .map((name) => ({ name, meant: nearestTo(name, 1) }));
}

/** The line for a log; null if there is nothing to report. Names only, because a value may be a password. */
export function unknownSettingsLine(env: NodeJS.ProcessEnv): string | null {
  return describeUnknown(findUnknownSettings(env));
}

/** The same for the names of a file `.env`. */
export function unknownNamesLine(names: readonly string[]): string | null {
  return describeUnknown(findUnknownNames(names));
}

function describeUnknown(unknown: readonly { name: string; meant: string | null }[]): string | null {
  const found = unknown.map(({ name, meant }) => {
    const plain = name.replace(/\W/g, '?').slice(0, 60);
    return meant === null ? plain : `${plain} (${meant}?)`;
  });
  return found.length === 0 ? null : `ignored, because the service has no such settings: ${found.join(', ')}`;
}

function firstWordOf(name: string): string {
  return name.slice(0, name.indexOf('_') + 1);
}

/** `awayMax`: by how many letters a short name may differ. */
function nearestTo(name: string, awayMax = 0): string | null {
  const upper = name.toUpperCase();
  const near = knownSettings
    .map((each) => ({ each, away: distance(upper, each) }))
    // One letter is too much of a short name: `HOST` and `POST` are different words.
    .filter(({ each, away }) => away <= (each.length < 6 ? awayMax : 2))
    .sort((left, right) => left.away - right.away);
  return near[0]?.each ?? null;
}
