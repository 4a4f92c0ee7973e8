import { pino } from 'pino';

export type Log = pino.Logger;

/**
 * The log of a process: one JSON object a line on standard output. Bodies, headers and tokens never go in: callers pass an
 * error and a few named facts, nothing that came from a client.
 */
export function createLog(name: string): Log {
  return pino({ name, level: process.env.LOG_LEVEL ?? 'info', base: { pid: process.pid } });
}
