import { useRef } from 'preact/hooks';
import { day, shortDay } from '../base/format.js';
import { html } from '../base/html.js';
import { useSeen } from '../base/seen.js';
import { state } from '../base/state.js';
import { useHeld } from '../session/held.js';
import { againAfter, orNone, useAgain } from './again.js';
import { Picture } from './picture.js';

const daysShown = 90;
const dayMs = 86_400_000;
// An item that is picked from all day is read no more often.
const againMs = 15_000;
const heads = ['Day', 'Received', 'Issued', 'Moved in', 'Moved out', 'Counted', 'In stock'];

/** The stock of an item over the last days, once it is in sight. */
export function StockPicture({ item }) {
  const section = useRef();
  const isSeen = useSeen(section);
  return html`<section class="card" aria-labelledby="stock" ref=${section}>
    <h2 id="stock">Stock over ${daysShown} days</h2>
    ${isSeen ? html`<${Days} item=${item} />` : html`<p class="note">…</p>`}
  </section>`;
}

function Days({ item: { partNo, shortID, uOM } }) {
  const dayOf = (ms) => new Date(ms).toISOString().slice(0, 10);
  const today = dayOf(Date.now());
  const key = `item/${shortID}/days/${today}`;
  const read = async () => {
    const readAt = Date.now();
    const from = dayOf(Date.parse(today) - (daysShown - 1) * dayMs);
    return { readAt, days: await state.session.client.stockDays({ partNo, from, to: today }) };
  };
  const isOfItem = (lot) => lot.partNo === partNo;
  const apply = (known, change) =>
    change.type === 'stock' && (change.lots ?? []).some(isOfItem) ? againAfter(known, againMs) : known;
  const [shown, problem] = useHeld(key, () => read().catch(orNone), apply, 'Offline: this may be old.');
  useAgain(key, againMs);
  return html`
    ${problem && html`<p class="note" role="status">${problem}</p>`}
    ${shown === null && !problem && html`<p class="note" role="status">Loading …</p>`}
    ${shown?.isNone && html`<p class="note">This service is older than the page, and cannot tell.</p>`}
    ${shown?.days && html`<${Picture} ...${pictureOf(shown.days, shortID, uOM)} />`}
  `;
}

function pictureOf(days, shortID, unit) {
  const values = days.map(({ inStock }) => Number(inStock));
  const at = (amount) => days[values.lastIndexOf(amount)];
  const [least, most] = [at(Math.min(...values)), at(Math.max(...values))];
  const told = ({ inStock, day: date }) => `${inStock} on ${day(date)}`;
  const now = `${days.at(-1).inStock} ${unit || 'units'} now`;
  return {
    form: 'steps',
    about: `Stock of ${shortID} over ${daysShown} days: ${now}; least ${told(least)}, most ${told(most)}.`,
    labels: days.map((each) => shortDay(each.day)),
    series: [{ label: 'In stock', values }],
    heads,
    rows: days
      .map((each) => [
        ...[day(each.day), each.received, each.issued, each.movedIn, each.movedOut, each.counted],
        each.inStock,
      ])
      .reverse(),
  };
}
