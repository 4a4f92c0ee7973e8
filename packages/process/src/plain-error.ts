/**
 * An error whose message is written in our own source, with nothing in it but names and numbers of ours: a
 * log may show it. The message of any other error may hold what a client sent or a password, and stays out of
 * the log (describe-error.ts).
 */
export class PlainError extends Error {}
