import { dayMs, shortDay } from '../base/format.js';
import { html } from '../base/html.js';
import { Reading } from '../base/reading.js';
import { state } from '../base/state.js';
import { useHeld } from '../session/held.js';
import { expiringAfter } from '../stock/day.js';
import { againAfter, useAgain } from './again.js';
import { Picture } from './picture.js';

const weeksShown = 8;
const lotsMax = 250;
const weekMs = 7 * dayMs;
const againMs = 300_000;

/** The last Monday, UTC, as an expiry is. */
function lastMonday() {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  return today - ((new Date(today).getUTCDay() + 6) % 7) * dayMs;
}

/**
 * The lots in stock that expire in the weeks from this Monday: `{ readAt, monday, before, isWhole, lots }`;
 * where there are more than are read, `expired` and `counts`, of each week, instead of lots.
 */
async function readExpiry(monday) {
  const { client } = state.session;
  const readAt = Date.now();
  const ends = Array.from({ length: weeksShown }, (_, week) => monday + (week + 1) * weekMs);
  const until = (end) => ({ inStock: true, expiresBefore: new Date(end).toISOString() });
  const { expiresBefore: before } = until(ends.at(-1));
  const found = await client.lots({ ...until(ends.at(-1)), view: 'full', pageSize: lotsMax }).page();
  if (!found.hasMore) return { readAt, monday, before, isWhole: true, lots: found.value };
  const sums = [];
  for (const end of [readAt, ...ends])
    sums.push((await client.lots({ ...until(end), pageSize: 1 }).page()).totalCount);
  const [expired, ...others] = sums;
  const counts = others.map((sum, week) => Math.max(0, sum - (others[week - 1] ?? expired)));
  return { readAt, monday, before, isWhole: false, lots: [], expired, counts };
}

const expiryAfter = (known, change) => expiringAfter(known, change) ?? againAfter(known, againMs);

/** The lots in stock by the week that they expire in. */
export function ExpiryPicture() {
  const monday = lastMonday();
  // What has expired is another number each day.
  const key = `expiry/${monday}/${new Date().toISOString().slice(0, 10)}`;
  const [shown, problem] = useHeld(
    key,
    () => readExpiry(monday),
    expiryAfter,
    'Offline: this cannot be read.',
  );
  useAgain(key, againMs);
  const { expired, counts } = shown?.isWhole ? countsOf(shown) : (shown ?? {});
  const isNone = expired === 0 && counts.every((count) => count === 0);
  return html`<section class="card" aria-labelledby="expiry">
    <h2 id="expiry">Lots by week of expiry</h2>
    <${Reading} problem=${problem} isRead=${shown !== null} />
    ${shown && isNone && html`<p class="quiet">Nothing in stock expires within ${weeksShown} weeks.</p>`}
    ${shown && !isNone && html`<${Picture} ...${pictureOf(shown.monday, expired, counts)} />`}
  </section>`;
}

function countsOf({ monday, lots }) {
  const counts = Array.from({ length: weeksShown }, () => 0);
  let expired = 0;
  for (const { expires } of lots) {
    const at = Date.parse(expires);
    const week = Math.floor((at - monday) / weekMs);
    if (at < Date.now()) expired += 1;
    else if (week < weeksShown) counts[week] += 1;
  }
  return { expired, counts };
}

function pictureOf(monday, expired, counts) {
  const starts = counts.map((_, week) => shortDay(monday + week * weekMs));
  const labels = ['Expired', 'This week', ...starts.slice(1)];
  const values = [expired, ...counts];
  const figures = labels.map((label, place) => `${label} ${values[place]}`).join(', ');
  return {
    form: 'bars',
    about: `Lots in stock by the week they expire in, each from its Monday: ${figures}.`,
    labels,
    series: [{ label: 'Lots', values }],
    heads: ['Week', 'Lots'],
    rows: labels.map((label, place) => [place < 2 ? label : `From ${label}`, values[place]]),
  };
}
