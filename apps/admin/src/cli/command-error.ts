import { PlainError } from '@inventory/process/plain-error';

/**
 * A command did not do what the operator asked for; the message is one line for them. Exit code 2: the
 * command itself is wrong.
 */
export class CommandError extends PlainError {
  readonly exitCode: 1 | 2;
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
