import type { Presence } from '@inventory/process/presence';
import { createUnwritable } from '@inventory/process/unwritable';
import { describeRefusal, type RedisRefusal, whyRefused } from '@inventory/redis/refusal';

/** Whether Redis takes work, as the commands of this process show. */
export type RedisWork = {
  /** Notes why a command failed. */
  failed(error: unknown): void;
  /** Notes that Redis did not take an envelope. */
  sendFailed(error: unknown): void;
  /** False for some seconds after Redis did not take an envelope. */
  takesWork(): boolean;
  /** Notes whether Redis is there, with the reason if it answers and refuses. */
  note(isThere: boolean): void;
  /** Why Redis, which answers, refuses work; null: it takes work, or is away. */
  refusal(): RedisRefusal | null;
};

// A full Redis still answers, but accepts nothing.
const sendFailedForMs = 3000;

export function createRedisWork(presence: Presence): RedisWork {
  const refused = createUnwritable<RedisRefusal>();
  let sendFailedAt = Number.NEGATIVE_INFINITY;

  function failed(error: unknown) {
    const reason = whyRefused(error);
    if (reason !== null) refused.note(reason);
  }

  return {
    failed,
    sendFailed(error) {
      failed(error);
      sendFailedAt = performance.now();
    },
    takesWork: () => performance.now() - sendFailedAt > sendFailedForMs,
    note(isThere) {
      const reason = refused.now();
      presence.note('redis', isThere, reason === null ? undefined : describeRefusal(reason));
    },
    // The reason is remembered for some seconds, also when Redis takes work again.
    refusal: () => (presence.isThere('redis') ? null : refused.now()),
  };
}
