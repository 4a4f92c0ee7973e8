import { Chart } from './chart.js';
import htm from './htm.js';
import { h, render } from './preact.js';

const html = htm.bind(h);
const silentFromMs = 5000;
const pointsMax = 300;

/** The last data received. `heardAt`: of `performance.now()`. */
const shown = { fields: [], points: [], now: null, stock: null, heardAt: performance.now() };

const signs = { well: '✓', warn: '!', bad: '✕', silent: '?' };
const states = { redis: 'Redis', postgres: 'Postgres' };
const serverStates = {
  primary: ['well', '✓'],
  standby: ['well', '✓'],
  readOnly: ['warn', '!'],
  away: ['warn', '✕'],
};
const outcomes = { applied: '✓ applied', refused: '– refused', abandoned: '✕ abandoned' };

const decimals = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

const number = (value) => (value === null || value === undefined ? '–' : decimals.format(value));

const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const daysOfYears = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** The time in the viewer's zone, with the date if that is not today, and the year if it is another. */
function time(text) {
  if (text === null) return '–';
  const [at, now] = [new Date(text), new Date()];
  if (daysOfYears.format(at) === daysOfYears.format(now)) return clock.format(at);
  const day = (at.getFullYear() === now.getFullYear() ? days : daysOfYears).format(at);
  // Keeps day and month on one line.
  return `${day.replace(' ', '\u00a0')}, ${clock.format(at)}`;
}

function duration(seconds) {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** The value of a field in the last point. */
const latest = (field) => shown.now?.point[shown.fields.indexOf(field)] ?? null;

/** Times and the values of these fields, in the form of a chart. */
function dataOf(fields) {
  const places = ['at', ...fields].map((field) => shown.fields.indexOf(field));
  return places.map((place) => shown.points.map((point) => point[place]));
}

/** Links to a cause in the handbook. */
function Chapter({ of }) {
  return html`<a href=${`operations/handbook#${of.chapter.toLowerCase()}`}>Handbook</a>`;
}

function Banner({ silentSeconds }) {
  const { now } = shown;
  const isSilent = silentSeconds * 1000 >= silentFromMs;
  const state = isSilent ? 'silent' : (now?.state ?? 'silent');
  const sentence = isSilent
    ? `No news from the api for ${duration(silentSeconds)}: it has stopped, or cannot be reached from here.`
    : (now?.sentence ?? 'Waiting for the first news …');
  const [first, ...others] = isSilent || now === null ? [] : now.causes;
  document.title = `${signs[state]} ${sentence}`;
  return html`
    <header class=${`banner ${state}`}>
      <span class="sign" aria-hidden="true">${signs[state]}</span>
      <div>
        <h1 role="status">${sentence}</h1>
        ${isSilent && html`<p>What stands below is old. Look at the api's process and its log; the page goes on by itself.</p>`}
        ${first && html`<p>${first.advice} <${Chapter} of=${first} /> <span class="since">For ${duration(first.forSeconds)}.</span></p>`}
        ${
          others.length > 0 &&
          html`<ul class="others">
            ${others.map((cause) => html`<li key=${cause.code}><b>${cause.sentence}</b> ${cause.advice} <${Chapter} of=${cause} /></li>`)}
          </ul>`
        }
      </div>
    </header>
  `;
}

function Tile({ title, value, note, children, class: kind = '' }) {
  return html`
    <section class=${`tile ${kind}`}>
      <h2>${title}</h2>
      ${value !== undefined && html`<p class="value">${value}</p>`}
      ${note !== undefined && html`<p class="note">${note}</p>`}
      ${children}
    </section>
  `;
}

/** A chart's legend, with the current values. */
function Keys({ series, unit }) {
  return html`
    <ul class="keys">
      ${series.map(
        ({ label, field, colour }) =>
          html`<li key=${field}><i class=${colour.slice(2)}></i>${label} <b>${number(latest(field))}</b> ${unit}</li>`,
      )}
    </ul>
  `;
}

function ChartTile({ title, unit, series, value, note, children }) {
  return html`
    <${Tile} title=${title} value=${value} note=${note}>
      <${Chart} label=${`${title}, last five minutes`} series=${series} data=${dataOf(series.map(({ field }) => field))} />
      <${Keys} series=${series} unit=${unit} />
      ${children}
    <//>
  `;
}

function WorkerList({ workers }) {
  if (workers.length === 0) return null;
  return html`
    <table>
      <tbody>
        ${workers.map(
          ({ name, unseenMs, note }, index) => html`
            <tr key=${index}>
              <td class="name">${name}</td>
              <td class="count">${unseenMs > 3000 ? `silent for ${Math.round(unseenMs / 1000)} s` : note === null ? '–' : `busy ${Math.round(note.busyRatio * 100)} %`}</td>
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}

function Counts({ title, counts }) {
  if (counts.length === 0) return null;
  return html`
    <h3>${title}</h3>
    <table>
      <tbody>${counts.map(({ what, count }) => html`<tr key=${what}><td class="name">${what}</td><td class="count">${count}</td></tr>`)}</tbody>
    </table>
  `;
}

function clockText(difference) {
  if (Math.abs(difference) < 0.1) return 'Clock is that of Postgres';
  return `Clock is ${number(Math.abs(difference))} s ${difference > 0 ? 'behind' : 'ahead of'} Postgres`;
}

function Parts({ now }) {
  const difference = now.clockDifferenceSeconds;
  const isWrong = Math.abs(difference) > 1;
  return html`
    <ul class="parts">
      ${Object.entries(states).map(
        ([part, name]) =>
          html`<li key=${part} class=${now[part] ? 'well' : 'bad'}>${now[part] ? '✓' : '✕'} ${name} ${now[part] ? 'is there' : 'is away'}</li>`,
      )}
      ${now.servers.map(({ role, text }) => html`<li key=${text} class=${serverStates[role][0]}>${serverStates[role][1]} ${text}</li>`)}
      <li class=${latest('workers') > 0 ? 'well' : 'bad'}>
        ${latest('workers') > 0 ? '✓' : '✕'} ${latest('workers')} ${latest('workers') === 1 ? 'worker' : 'workers'} seen
      </li>
      <li class=${isWrong ? 'warn' : 'well'}>
        ${isWrong ? '!' : '✓'} ${clockText(difference)}
      </li>
    </ul>
  `;
}

function Stock({ stock }) {
  const { warehouses } = stock;
  return html`
    <${Tile} title="Stock by warehouse" class="wide" note=${stock.stockAt === null ? 'Not read yet.' : `As of ${time(stock.stockAt)}.`}>
      <div class="scroll">
        <table>
          <thead><tr><th>Warehouse</th><th class="count">Items</th><th class="count">Lots</th><th class="count">In stock</th><th class="count">On hold</th></tr></thead>
          <tbody>
            ${warehouses.map(
              (each) => html`
                <tr key=${each.wid}>
                  <td class="name">${each.name} <span class="quiet">${each.wid}</span></td>
                  <td class="count">${whole.format(each.items)}</td>
                  <td class="count">${whole.format(each.lots)}</td>
                  <td class="count">${each.units === null ? '–' : whole.format(each.units)}</td>
                  <td class="count">${each.onHold === null ? '–' : whole.format(each.onHold)}</td>
                </tr>
              `,
            )}
          </tbody>
        </table>
      </div>
      ${warehouses.length >= stock.warehousesMax && html`<p class="note">The first ${stock.warehousesMax} alone.</p>`}
    <//>
  `;
}

function Transactions({ stock }) {
  return html`
    <${Tile} title="Last transactions" class="wide">
      <div class="scroll">
        <table>
          <thead><tr><th class="count">No.</th><th>Time</th><th>Kind</th><th>Client</th><th>Outcome</th></tr></thead>
          <tbody>
            ${stock.transactions.map(
              (each) => html`
                <tr key=${each.transactionNo}>
                  <td class="count">${each.transactionNo}</td>
                  <td>${time(each.at)}</td>
                  <td>${each.kind ?? '–'}</td>
                  <td class="name">${each.client ?? '–'}</td>
                  <td class=${`outcome ${each.status}`}>${outcomes[each.status]} <span class="quiet">${each.code ?? ''}</span></td>
                </tr>
              `,
            )}
          </tbody>
        </table>
      </div>
      ${stock.transactions.length === 0 && html`<p class="note">None yet.</p>`}
    <//>
  `;
}

const throughput = [
  { label: 'requests', field: 'requestsPerSecond', colour: '--first' },
  { label: 'transactions', field: 'transactionsPerSecond', colour: '--second' },
];
const latency = [
  { label: 'half', field: 'medianMs', colour: '--first' },
  { label: '95 of 100', field: 'p95Ms', colour: '--second' },
  { label: '99 of 100', field: 'p99Ms', colour: '--third' },
];
const waiting = [
  { label: 'callers', field: 'waiting', colour: '--first' },
  { label: 'envelopes in Redis', field: 'backlog', colour: '--second' },
];
const refusals = [
  { label: 'refused', field: 'refusalsPerSecond', colour: '--second' },
  { label: 'failed', field: 'failuresPerSecond', colour: '--third' },
];
const workers = [{ label: 'seen', field: 'workers', colour: '--first' }];

function Page() {
  const { now, stock } = shown;
  const silentSeconds = Math.floor((performance.now() - shown.heardAt) / 1000);
  return html`
    <${Banner} silentSeconds=${silentSeconds} />
    ${
      now !== null &&
      html`<main class=${silentSeconds * 1000 >= silentFromMs ? 'old' : ''}>
        <${Tile} title="Parts" note=${`${now.connections} connections of callers`}><${Parts} now=${now} /><//>
        <${ChartTile} title="Throughput" unit="/s" series=${throughput} value=${`${number(latest('requestsPerSecond'))} /s`} />
        <${ChartTile} title="Latency" unit="ms" series=${latency} value=${`${number(latest('p95Ms'))} ms`} note="95 of 100 requests of the last 10 s took less" />
        <${ChartTile} title="Waiting" unit="" series=${waiting} value=${number(latest('waiting'))} note=${`the oldest for ${number(now.oldestWaitSeconds)} s`} />
        <${ChartTile} title="Workers" unit="" series=${workers} value=${number(latest('workers'))} note="seen in the last three seconds">
          <${WorkerList} workers=${now.workers} />
        <//>
        <${ChartTile} title="Refusals" unit="/s" series=${refusals}>
          <${Counts} title="Refused in the last minute" counts=${now.refusals} />
          <${Counts} title="Failed in the last minute" counts=${now.failures} />
        <//>
        ${stock !== null && html`<${Stock} stock=${stock} /><${Transactions} stock=${stock} />`}
        ${
          now.past.length > 0 &&
          html`<${Tile} title="Since this api started" class="wide">
            <ul class="past">
              ${now.past.map((each) => html`<li key=${each.from + each.sentence}><span class="quiet">${time(each.from)} to ${time(each.to)}</span> ${each.sentence}</li>`)}
            </ul>
          <//>`
        }
      </main>`
    }
    <footer>This api process, at ${time(now?.at ?? null)}; workers, stock and transactions are those of all. <a href="operations/handbook">Handbook</a> · <a href="metrics">Metrics</a></footer>
  `;
}

const root = document.getElementById('page');
const draw = () => render(html`<${Page} />`, root);

const events = new EventSource('operations/events');
const on = (name, take) =>
  events.addEventListener(name, (event) => {
    take(JSON.parse(event.data));
    shown.heardAt = performance.now();
    draw();
  });
on('history', ({ fields, points }) => {
  shown.fields = fields;
  shown.points = points;
});
on('now', (now) => {
  shown.now = now;
  // The first point after the history may be its last one.
  if (shown.points.at(-1)?.[0] !== now.point[0])
    shown.points = [...shown.points, now.point].slice(-pointsMax);
});
on('stock', (stock) => {
  shown.stock = stock;
});
// Redraws when nothing arrives, to show the silence.
setInterval(draw, 1000);
draw();
