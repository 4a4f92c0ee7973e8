import type { Worker } from 'bullmq';

const restMs = 250;

/**
 * Has a worker rest a moment after Redis refused a command, because it is full, say: BullMQ asks again at
 * once, thousands of times a second, and each time it is an error to report. Work that is under way goes on.
 */
export function restWhenRefused(worker: Worker): void {
  worker.on('error', (error) => {
    if (error.name !== 'ReplyError' || worker.isPaused()) return;
    void worker.pause(true);
    setTimeout(() => void worker.resume(), restMs).unref();
  });
}
