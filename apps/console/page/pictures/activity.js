import { time } from '../base/format.js';
import { html } from '../base/html.js';
import { Reading } from '../base/reading.js';
import { state } from '../base/state.js';
import { useHeld } from '../session/held.js';
import { againAfter, orNone, useAgain } from './again.js';
import { Picture } from './picture.js';

const hourMs = 3_600_000;
const againMs = 300_000;
const pageSize = 1000;
const pagesMax = 2;
// Where more was done than these pages hold, fewer hours are read.
const spansHours = [24, 8, 2, 1];
// Everybody else is one more.
const namedMax = 4;

/** Who made how many transactions until this hour: `{ readAt, hours, from, isCut, counts }`. */
async function readActivity(hour) {
  const { client } = state.session;
  for (const hours of spansHours) {
    const from = hour - (hours - 1) * hourMs;
    // A day later, as the clock of this device may be behind.
    const asked = { from: new Date(from).toISOString(), to: new Date(hour + 24 * hourMs).toISOString() };
    const list = client.activity({ ...asked, by: 'hour', pageSize });
    const first = await list.page(1);
    const isCut = first.totalCount > pagesMax * pageSize;
    if (isCut && hours !== spansHours.at(-1)) continue;
    // By name: what is new between two pages moves a record from one to the next.
    const counts = new Map();
    const keep = (page) => {
      for (const each of page.value) counts.set(`${each.start} ${each.kind} ${each.clientId}`, each);
    };
    keep(first);
    for (let page = 2; page <= pagesMax && first.totalCount > (page - 1) * pageSize; page++)
      keep(await list.page(page));
    return { readAt: Date.now(), hours, from, isCut, counts: [...counts.values()] };
  }
}

const activityAfter = (known, change) =>
  ['stock', 'hold'].includes(change.type) ? againAfter(known, againMs) : known;

/** Transactions by hour and person. */
export function ActivityPicture() {
  const hour = Math.floor(Date.now() / hourMs) * hourMs;
  const key = `activity/${hour}`;
  const read = () => readActivity(hour).catch(orNone);
  const [shown, problem] = useHeld(key, read, activityAfter, 'Offline: this cannot be read.');
  useAgain(key, againMs);
  if (shown?.isNone) return null;
  const title = `Transactions in the last ${shown?.hours ?? spansHours[0]} hours`;
  return html`<section class="card" aria-labelledby="activity">
    <h2 id="activity">${title}</h2>
    <${Reading} problem=${problem} isRead=${shown !== null} />
    ${shown?.isCut && html`<p class="note">There were more than the picture shows.</p>`}
    ${shown?.counts.length === 0 && html`<p class="quiet">None.</p>`}
    ${shown?.counts.length > 0 && html`<${Picture} ...${pictureOf(shown, title)} />`}
  </section>`;
}

function pictureOf({ hours, from, counts }, title) {
  const labels = Array.from({ length: hours }, (_, place) => time(from + place * hourMs));
  const byPerson = new Map();
  for (const { start, clientId, transactions } of counts) {
    const values = byPerson.get(clientId) ?? labels.map(() => 0);
    // What is later than this device's clock counts for its last hour.
    const place = Math.min(Math.floor((Date.parse(start) - from) / hourMs), hours - 1);
    values[place] += transactions;
    byPerson.set(clientId, values);
  }
  const total = (values) => values.reduce((sum, each) => sum + each, 0);
  const persons = [...byPerson]
    .map(([label, values]) => ({ label, values }))
    .sort((one, other) => total(other.values) - total(one.values));
  const others = persons.slice(namedMax);
  const together = labels.map((_, place) => total(others.map(({ values }) => values[place])));
  // The fifth is shown by its name.
  const rest = others.length < 2 ? others : [{ label: `${others.length} others`, values: together }];
  const series = [...persons.slice(0, namedMax), ...rest];
  const all = labels.map((_, place) => total(series.map(({ values }) => values[place])));
  const most = all.indexOf(Math.max(...all));
  const figures = series.map(({ label, values }) => `${label} ${total(values)}`).join(', ');
  return {
    form: 'bars',
    about: `${title}, by hour and person: ${total(all)}, most at ${labels[most]} (${all[most]}). ${figures}.`,
    ...{ labels, series },
    heads: ['Hour', ...series.map(({ label }) => label)],
    rows: labels.map((label, place) => [label, ...series.map(({ values }) => values[place])]).reverse(),
  };
}
