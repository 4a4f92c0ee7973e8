/**
 * A line of a process's log. `time` is ISO 8601; `level` is pino's number: 40 is a warning and 50 an error.
 */
export type LogLine = { level: number; time: string; msg: string; [fact: string]: unknown };

/** The log lines in the output of a process. */
export function logLinesOf(written: string): LogLine[] {
  return written
    .split('\n')
    .flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line)] : []));
}
