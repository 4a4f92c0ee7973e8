import type { Queue, Worker } from 'bullmq';

/**
 * Has the library tell of the steps of a job (added, waits, is active) in a stream of their own, which nobody reads. In the stream
 * of events the api would be woken for each of them, and it is the completion that it waits for: the worker tells that where it
 * always does, because the library notes the place when it is made. A job that failed by stalling is told as a step too; what
 * became of its requests the api asks Postgres.
 */
export function keepStepsApart(part: Queue | Worker): void {
  part.keys.events = part.toKey('steps');
}
