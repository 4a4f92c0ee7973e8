import { PlainError } from '@inventory/process/plain-error';
import type { Place } from '@inventory/process/settings/database-address';
import { type Look, lookAt, type Standing } from './standing.ts';

/**
 * Finds the primary among several servers. The driver itself tries its hosts in order for each new
 * connection, forever if none is the primary, and then stays with a server even if its role changes.
 */
export type Primary = {
  /**
   * Returns the primary; if it is in doubt, asks the servers. If none is the primary, fails like the servers.
   */
  find(): Promise<Place>;
  /** Says that another server may be the primary. All servers are asked. */
  doubt(): void;
};

// After the first answer, the others get this long plus twice the time of that answer.
const patienceMs = 1000;
// If two servers claim to be the primary, one of them is outdated. The second answer may come from the right
// one.
const graceMs = 250;
// An answer is used for this long. Otherwise every statement would ask again while a server is away.
const goodForMs = 200;

/** No server takes writes: all are standbys, or were left behind by a promotion. */
class NoPrimaryError extends PlainError {
  /** A network error code: nothing was sent. */
  readonly code = 'ECONNREFUSED';
}

/**
 * `ask` opens a connection to a server and asks it; `onLook` is told how that ended. `onMoved` is called each
 * time the primary changes.
 */
export function createPrimary(
  places: readonly Place[],
  ask: (place: Place) => Promise<Standing>,
  onLook: (look: Look) => void,
  onMoved: (place: Place) => void,
): Primary {
  let current: Place | null = null;
  // The highest timeline seen so far. A server with a lower one lacks everything that was answered since.
  let timeline = 0;
  let look: Promise<Place> | null = null;
  let looked = { at: Number.NEGATIVE_INFINITY, error: null as unknown };

  function take(place: Place) {
    if (place === current) return;
    current = place;
    onMoved(place);
  }

  /** Returns the timeline of a server that is the primary, as far as known. Throws if it is not. */
  async function askOne(place: Place): Promise<number> {
    const look = await lookAt(place, ask);
    onLook(look);
    const { standing } = look;
    if (standing === null) throw look.error;
    if (standing.role !== 'primary') throw new NoPrimaryError('no server of DATABASE_URL takes writes');
    if (standing.timeline < timeline) {
      throw new NoPrimaryError(
        'a server of DATABASE_URL takes writes, but it was left behind by a promotion',
      );
    }
    timeline = standing.timeline;
    return timeline;
  }

  function begin(): Promise<Place> {
    look ??= lookAround(places, askOne, { isCurrent: (place) => place === current, onLate: take })
      .then(
        (place) => {
          take(place);
          looked = { at: performance.now(), error: null };
          return place;
        },
        (error) => {
          current = null;
          looked = { at: performance.now(), error };
          throw error;
        },
      )
      .finally(() => {
        look = null;
      });
    return look;
  }

  const isFresh = () => performance.now() - looked.at < goodForMs;
  return {
    async find() {
      if (look === null && current !== null) return current;
      if (look === null && looked.error !== null && isFresh()) throw looked.error;
      return begin();
    },
    doubt() {
      if (look === null && !isFresh()) begin().catch(() => {});
    },
  };
}

/**
 * Asks all servers at once and returns the primary with the highest timeline among those that answer soon;
 * among equals, the current one. If a later answer is better, `onLate` is called.
 */
function lookAround(
  places: readonly Place[],
  askOne: (place: Place) => Promise<number>,
  { isCurrent, onLate }: { isCurrent: (place: Place) => boolean; onLate: (place: Place) => void },
): Promise<Place> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const errors: unknown[] = [];
    let best: { place: Place; timeline: number } | null = null;
    let left = places.length;
    let settled = false;
    let patience: NodeJS.Timeout | undefined;
    let grace: NodeJS.Timeout | undefined;
    const settle = () => {
      settled = true;
      clearTimeout(patience);
      clearTimeout(grace);
      if (best === null) reject(tellingOf(errors));
      else resolve(best.place);
    };
    const hear = (place: Place, timeline: number) => {
      if (best !== null && timeline < best.timeline) return;
      if (best !== null && timeline === best.timeline && (settled || !isCurrent(place))) return;
      best = { place, timeline };
      if (settled) onLate(place);
    };
    const note = () => {
      left -= 1;
      if (settled) return;
      if (left === 0 || (best !== null && isCurrent(best.place))) return settle();
      if (best !== null) grace ??= setTimeout(settle, graceMs);
      patience ??= setTimeout(settle, patienceMs + 2 * (performance.now() - startedAt));
    };
    for (const place of places) {
      askOne(place)
        .then(
          (timeline) => hear(place, timeline),
          (error) => errors.push(error),
        )
        .then(note);
    }
  });
}

/** Returns the most informative of several errors: an answer from Postgres before a network error. */
function tellingOf(errors: readonly unknown[]): unknown {
  const isOfPostgres = (error: unknown) => (error as Error).name === 'PostgresError';
  const isOwn = (error: unknown) => error instanceof NoPrimaryError;
  return errors.find(isOfPostgres) ?? errors.find(isOwn) ?? errors[0];
}
