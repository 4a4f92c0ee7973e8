/** A line of a process's log. `time`: ISO 8601; `level`: pino's number, 40 is a warning and 50 an error. */
export type LogLine = { level: number; time: string; msg: string; [fact: string]: unknown };

/** The lines of what a process wrote that are of its log. */
export function logLinesOf(written: string): LogLine[] {
  return written
    .split('\n')
    .flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line)] : []));
}
