import { useEffect, useState } from 'preact/hooks';
import { html } from './html.js';
import { state, update } from './state.js';

const leftMs = () => state.limitedUntil - Date.now();

/** Notes an answer that says for how many seconds the service takes no more calls. */
export function noteLimit({ status, headers }) {
  const seconds = Number(headers.get('Retry-After'));
  if (status === 429 && seconds > 0) update({ limitedUntil: Date.now() + seconds * 1000 });
}

/** Does this again when the limit's time is over, however often that takes. */
export async function patiently(run) {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (error.status !== 429) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.max(leftMs(), 1000)));
    }
  }
}

/** For how many seconds the page waits. */
export function Limit() {
  const [, draw] = useState(0);
  const seconds = Math.ceil(leftMs() / 1000);
  useEffect(() => {
    if (seconds <= 0) return;
    const timer = setTimeout(() => draw((times) => times + 1), 1000);
    return () => clearTimeout(timer);
  });
  if (seconds <= 0) return null;
  return html`<p class="note wait" role="status">
    This client has made too many calls. The page goes on by itself in ${seconds} s.
  </p>`;
}
