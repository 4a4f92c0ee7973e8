import { useEffect, useState } from 'preact/hooks';
import { html } from './html.js';
import { state, update } from './state.js';

// A clock that is set makes the page wait no longer.
const leftMs = () => state.limitedUntil - performance.now();

let busyAt = 0;

/** Whether the service has asked to wait since this moment. */
export const isBusySince = (time) => busyAt >= time;

/** Notes an answer that asks to wait. Of a limit, it says for how many seconds. */
export function noteLimit({ status, headers }) {
  if ([429, 503].includes(status)) busyAt = Date.now();
  const seconds = Number(headers.get('Retry-After'));
  if (status === 429 && seconds > 0) update({ limitedUntil: performance.now() + seconds * 1000 });
}

/** Does this again when the limit's time is over, however often that takes. */
export async function patiently(run) {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      // Its own time may end while it waits.
      const isLimited = error.status === 0 && state.isOnline && leftMs() > 0;
      if (error.status !== 429 && !isLimited) throw error;
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
  // A screen reader is told once, not each second.
  return html`<p class="note wait">
    <span role="status">This client has made too many calls. The page goes on by itself</span>
    <span role="timer" aria-live="off"> in ${seconds} s.</span>
  </p>`;
}
