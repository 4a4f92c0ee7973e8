import { PlainError } from '@inventory/process/plain-error';

/**
 * A command could not do what the operator asked for. The message is one line for the operator. Exit code 2:
 * the command itself is wrong.
 */
export class CommandError extends PlainError {
  readonly exitCode: 1 | 2;
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
