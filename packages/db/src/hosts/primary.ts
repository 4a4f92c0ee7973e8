import type { Place } from '@inventory/process/database-address';
import { PlainError } from '@inventory/process/plain-error';
import { within } from '@inventory/process/within';

/**
 * What a server says of itself. `isPrimary`: it takes writes; `timeline`: each promotion begins the next one.
 */
export type Standing = { isPrimary: boolean; timeline: number };

/**
 * Which of several servers is the primary. The driver tries its hosts in order for each connection anew, for
 * ever where none is the primary, and stays with a server whatever that has become.
 */
export type Primary = {
  /**
   * The primary; while that is in doubt, as the servers say now. Fails as the servers do when none of them
   * is one.
   */
  find(): Promise<Place>;
  /** Something happened that may mean that another server is the primary: all of them are asked. */
  doubt(): void;
};

// A connection takes no longer.
const askWithinMs = 3000;
// When one has answered, the others get so long and twice as long as that one took.
const patienceMs = 1000;
// Of two that call themselves primary one was left behind: the second one may know better.
const graceMs = 250;
// An answer holds for so long, or a server that is away would be asked by every statement.
const goodForMs = 200;

/** No server can be written to: they are standbys, or were left behind by a promotion. */
class NoPrimaryError extends PlainError {
  /** As a network says it: nothing was sent. */
  readonly code = 'ECONNREFUSED';
}

/**
 * `ask` opens a connection to one of the servers and asks it; `onMoved` is told each time when the primary is
 * another one.
 */
export function createPrimary(
  places: readonly Place[],
  ask: (place: Place) => Promise<Standing>,
  onMoved: (place: Place) => void,
): Primary {
  let current: Place | null = null;
  // The highest that was seen. What was answered since is not in a server of a lower one.
  let timeline = 0;
  let look: Promise<Place> | null = null;
  let looked = { at: Number.NEGATIVE_INFINITY, error: null as unknown };

  function take(place: Place) {
    if (place === current) return;
    current = place;
    onMoved(place);
  }

  /** The timeline of a server that is the primary, as far as is known; throws unless it is. */
  async function askOne(place: Place): Promise<number> {
    const standing = await within(askWithinMs, ask(place));
    if (!standing.isPrimary) throw new NoPrimaryError('no server of DATABASE_URL takes writes');
    if (standing.timeline < timeline) {
      throw new NoPrimaryError('a server of DATABASE_URL takes writes that was left behind by a promotion');
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
 * Asks all of them at once, and returns the primary of the highest timeline among those that answer soon: of
 * equals the current one. One that answers later, and knows better, is told to `onLate`.
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

/** Of several errors the one that says most: what Postgres answered, then what the network did. */
function tellingOf(errors: readonly unknown[]): unknown {
  const isOfPostgres = (error: unknown) => (error as Error).name === 'PostgresError';
  const isOwn = (error: unknown) => error instanceof NoPrimaryError;
  return errors.find(isOfPostgres) ?? errors.find(isOwn) ?? errors[0];
}
