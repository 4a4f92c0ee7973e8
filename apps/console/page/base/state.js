/** All that the views share. */
export const state = {
  /** null: nobody is signed in. */
  session: null,
  /** The client ID and secret of a code that was scanned or opened, until they were tried. */
  code: null,
  /** The state that the last call showed. */
  isOnline: true,
  /** Until then, by `performance.now()`, the service takes no calls of this client: it made too many. */
  limitedUntil: 0,
  /** How many operations wait, and those that were refused. */
  waiting: 0,
  refused: [],
  /** The last scan, while it has several matches or none. */
  scanned: null,
  /** Ends when the codes that were scanned are looked up and taken. */
  looking: Promise.resolve(),
  /** The form that is open: its operation and what is known of its fields. */
  form: null,
  /** An unknown code that is being taught to an item, or made a new one. */
  learning: null,
  /** The reasons that have names, as the service lists them. */
  reasons: [],
  /**
   * What the last code told, for the view that it led to: `{ description, fills, at, address }`; `fills`: for
   * the next form there; `at`: when, in milliseconds.
   */
  told: null,
  /** The warehouse of the last piece of work. */
  lastWid: null,
  /** The last thing that was done: `{ text, transactionNo, level }`. */
  notice: null,
};

const listeners = new Set();

/** Changes the state and draws the page again. */
export function update(changes) {
  Object.assign(state, changes);
  for (const listener of listeners) listener();
}

export function onUpdate(listener) {
  listeners.add(listener);
}
