/**
 * An error whose message comes from this source code and contains only our own names and numbers, so a log
 * may show it. The message of any other error may contain a client's data or a password and is not logged
 * (describe-error.ts).
 */
export class PlainError extends Error {}
