// Error texts of other programs that contain no values. A log shows these texts and nothing of other texts.

/**
 * Beginnings of messages of ioredis about connections that are missing or do not answer. It gives no code.
 */
const ofConnections: readonly string[] = [
  'All sentinels are unreachable',
  "Cluster isn't ready and enableOfflineQueue options is false",
  'Command timed out',
  'Connection is closed',
  'Failed to refresh slots cache',
  'None of startup nodes is available',
  'Reached the max retries per request limit',
  'Redis is already connecting/connected',
  'Socket timeout. Expecting data',
  'Too many Cluster redirections',
  "Stream isn't writeable and enableOfflineQueue options is false",
];

/**
 * Beginnings of messages of Node, V8, ioredis, BullMQ and the Postgres driver. Each is fixed text in their
 * source; the rest of the message is cut off.
 */
const beginnings: readonly string[] = [
  ...ofConnections,
  // ioredis
  '[ioredis] Unhandled error event',
  '[WARN] Redis server does not require a password, but a password was supplied',
  "[WARN] This Redis server's `default` user does not require a password",
  '[ERROR] The server returned "wrong number of arguments for \'auth\' command"',
  // BullMQ; the id of a job is an envelope's, drawn by us
  'IMPORTANT! Eviction policy is',
  'It is highly recommended to use a minimum Redis version',
  'Missing key for job',
  'Missing lock for job',
  'Lock mismatch for job',
  'could not renew lock for job',
  'job stalled more than allowable limit',
  // The driver of Postgres, by our patch
  'The server takes no TLS, which sslmode asks for',
  // V8 and Node
  'Assignment to constant variable',
  'Cannot read properties of null',
  'Cannot read properties of undefined',
  'Cannot set properties of null',
  'Cannot set properties of undefined',
  'Invalid array length',
  'Invalid string length',
  'Invalid URL',
  'Maximum call stack size exceeded',
  'Possible EventEmitter memory leak detected',
  'The operation was aborted',
  'fetch failed',
  'premature close',
  'socket hang up',
];

/** Whether a text of ioredis means that a connection is missing or does not answer. */
export function isOfConnection(text: string): boolean {
  return ofConnections.some((beginning) => text.startsWith(beginning));
}

/** The known beginning of a text, or null. */
export function knownBeginning(text: string): string | null {
  return beginnings.find((beginning) => text.startsWith(beginning)) ?? null;
}

// The first word of an error from Redis. In scripts, Redis 6 has it in the middle, after a hyphen.
const redisCodes = new Set([
  ...['ERR', 'WRONGPASS', 'NOAUTH', 'NOPERM', 'OOM', 'READONLY', 'LOADING', 'BUSY', 'NOSCRIPT', 'WRONGTYPE'],
  ...['MISCONF', 'MASTERDOWN', 'CLUSTERDOWN', 'MOVED', 'ASK', 'TRYAGAIN', 'CROSSSLOT', 'EXECABORT'],
  ...['UNBLOCKED', 'NOREPLICAS', 'BUSYKEY', 'BUSYGROUP', 'NOGROUP', 'NOPROTO', 'UNKILLABLE', 'NOTBUSY'],
]);
// Phrases that distinguish errors whose code is only ERR.
const redisPhrases: readonly string[] = [
  'AUTH <password> called without any password configured',
  'max number of clients reached',
  'unknown command',
  'unknown subcommand',
  'wrong number of arguments',
  'syntax error',
  'value is not an integer or out of range',
  'DB index is out of range',
  'Protocol error',
  'Error running script',
  'Error compiling script',
];

/** An error from Redis without values: `OOM`, `ERR unknown command`. */
export function redisText(message: string): string {
  const first = /^-?([A-Z]+)(?= |$)/.exec(message)?.[1];
  const inner = /-([A-Z]{3,20}) /.exec(message)?.[1];
  const code = first !== undefined && redisCodes.has(first) ? first : null;
  if (code === null) return 'an error of Redis';
  if (code !== 'ERR') return code;
  if (inner !== undefined && redisCodes.has(inner)) return `ERR in a script: ${inner}`;
  const phrase = redisPhrases.find((each) => message.startsWith(`ERR ${each}`));
  return phrase === undefined ? code : `${code} ${phrase}`;
}

// Postgres' names for the conditions that this service meets.
const conditions: Record<string, string> = {
  '21000': 'cardinality_violation',
  '22001': 'string_data_right_truncation',
  '22003': 'numeric_value_out_of_range',
  '22007': 'invalid_datetime_format',
  '22008': 'datetime_field_overflow',
  '22012': 'division_by_zero',
  '22021': 'character_not_in_repertoire',
  '22023': 'invalid_parameter_value',
  '22P02': 'invalid_text_representation',
  '22P03': 'invalid_binary_representation',
  '22P05': 'untranslatable_character',
  '23001': 'restrict_violation',
  '23502': 'not_null_violation',
  '23503': 'foreign_key_violation',
  '23505': 'unique_violation',
  '23514': 'check_violation',
  '23P01': 'exclusion_violation',
  P0001: 'raise_exception',
  XX000: 'internal_error',
  XX001: 'data_corrupted',
  XX002: 'index_corrupted',
};

// Conditions whose messages contain only Postgres' own words and names of roles, databases, tables, columns
// and functions: connections (08), transactions (25, 40), prepared statements, roles and databases (26, 28,
// 3D), names in our statements (42), resources (53), locks (55), shutdown and cancellation (57). Classes
// whose messages quote data (22, 23, P0, XX) are not included.
const speaking = new Set([
  ...['08000', '08001', '08003', '08004', '08006', '08P01'],
  ...['25001', '25006', '25P01', '25P02', '25P03', '25P04', '26000', '28000', '28P01', '3D000'],
  ...['40001', '40003', '40P01', '42501', '42703', '42704', '42883', '42P01', '42P05', '42P07'],
  ...['53000', '53100', '53200', '53300', '53400', '55000', '55006', '55P03', '55P04'],
  ...['57000', '57014', '57P01', '57P02', '57P03', '57P04', '57P05'],
]);

/** An error from Postgres without the values of rows and parameters. */
export function postgresText(code: string, message: string): string {
  if (speaking.has(code)) return message;
  const condition = conditions[code];
  return condition === undefined ? `an error of Postgres, ${code}` : condition;
}
