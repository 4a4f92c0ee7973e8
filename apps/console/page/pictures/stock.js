import { day, dayMs, shortDay } from '../base/format.js';
import { html } from '../base/html.js';
import { Reading } from '../base/reading.js';
import { SeenSection } from '../base/seen-section.js';
import { state } from '../base/state.js';
import { useHeld } from '../session/held.js';
import { againAfter, orNone, useAgain } from './again.js';
import { Picture } from './picture.js';

const daysShown = 90;
// An item that is picked from all day is read no more often.
const againMs = 15_000;
const heads = ['Day', 'Received', 'Issued', 'Moved in', 'Moved out', 'Counted', 'In stock'];

/** The stock of an item over the last days, once it is in sight. */
export function StockPicture({ item }) {
  return html`<${SeenSection} id="stock" title=${`Stock over ${daysShown} days`}>
    <${Days} item=${item} />
  <//>`;
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
    <${Reading} problem=${problem} isRead=${shown !== null} />
    ${shown?.isNone && html`<p class="note">This service is older than the page and cannot show past stock.</p>`}
    ${shown?.days && html`<${Picture} ...${pictureOf(shown.days, shortID, uOM)} />`}
  `;
}

function pictureOf(days, shortID, unit) {
  const values = days.map(({ inStock }) => Number(inStock));
  const at = (amount) => days[values.lastIndexOf(amount)];
  const [least, most] = [at(Math.min(...values)), at(Math.max(...values))];
  const words = ({ inStock, day: date }) => `${inStock} on ${day(date)}`;
  const now = `${days.at(-1).inStock} ${unit || 'units'} now`;
  return {
    form: 'steps',
    about: `Stock of ${shortID} over ${daysShown} days: ${now}; least ${words(least)}, most ${words(most)}.`,
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
