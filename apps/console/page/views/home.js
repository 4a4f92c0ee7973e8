import { useEffect, useState } from 'preact/hooks';
import { dayOf, daysUntil, time } from '../base/format.js';
import { html } from '../base/html.js';
import { Reading } from '../base/reading.js';
import { addressOf } from '../base/routes.js';
import { state, update } from '../base/state.js';
import { isUndoing, undo } from '../forms/carry-out.js';
import { ActivityPicture } from '../pictures/activity.js';
import { ExpiryPicture } from '../pictures/expiry.js';
import { choose } from '../scan/scan.js';
import { useHeld } from '../session/held.js';
import { can, canUndo, keepSignIn } from '../session/session.js';
import { expiringAfter, readExpiring, readToday, todayAfter } from '../stock/day.js';
import { lowAfter, readLow } from '../stock/low.js';
import { Marks } from '../stock/marks.js';
import { warehouseOf } from '../stock/matches.js';
import { recallSpots } from '../stock/spots.js';
import { sentenceOf } from '../stock/transaction-words.js';

const offline = 'Offline: this cannot be read.';
const shownMax = 6;
// Each is a section of its own.
const sections = [Today, Low, Expiring, Spots];
// Only at a desk: on a phone, a person is at work.
const wide = matchMedia('(min-width: 48rem)');
const pictures = [ActivityPicture, ExpiryPicture];

/** The page that a person comes back to between two scans. */
export function Home() {
  const { me, offersKeep } = state.session;
  const { waiting, refused } = state;
  const names = me.warehouses.map(({ name }) => name).join(', ');
  const shown = useDesk() ? [...sections, ...pictures] : sections;
  return html`
    <div class="greeting">
      <h1>${dayOf(new Date())}</h1>
      <p class="quiet"><bdi>${me.clientId}</bdi> · <bdi>${names}</bdi></p>
    </div>
    ${offersKeep && html`<${KeepOffer} />`}
    ${(waiting > 0 || refused.length > 0) && html`<${Unsent} waiting=${waiting} refused=${refused.length} />`}
    ${
      can('look')
        ? html`<div class="sections">${shown.map((Section) => html`<${Section} />`)}</div>`
        : html`<section class="card"><h2>Scan an item</h2><p class="quiet">This client may not look things up. A code is taken for an item.</p></section>`
    }
  `;
}

/** Whether the window is that of a desk. */
function useDesk() {
  const [isWide, tell] = useState(wide.matches);
  useEffect(() => {
    const listen = ({ matches }) => tell(matches);
    wide.addEventListener('change', listen);
    return () => wide.removeEventListener('change', listen);
  }, []);
  return isWide;
}

function KeepOffer() {
  const { session } = state;
  return html`<section class="card" aria-labelledby="keep-offer">
    <h2 id="keep-offer">You are signed in</h2>
    <p>As <bdi>${session.me.clientId}</bdi>, until this page is closed.</p>
    <div class="actions">
      <button onClick=${() => keepSignIn()}>Keep me signed in</button>
      <button class="plain" onClick=${() => update({ session: { ...session, offersKeep: false } })}>Not now</button>
    </div>
  </section>`;
}

function Unsent({ waiting, refused }) {
  const words = [waiting > 0 && `Not sent yet: ${waiting}`, refused > 0 && `To be decided: ${refused}`];
  return html`<section class="card" aria-labelledby="unsent">
    <h2 id="unsent">On this device</h2>
    <p class="more"><a href="#/waiting">${words.filter(Boolean).join(' · ')}</a></p>
  </section>`;
}

/** A section with rows: the first few until a person asks for all. `more`: the way to the rest. */
function Section({ id, title, rows, total, note, problem, more }) {
  const [isOpen, open] = useState(false);
  const shown = isOpen ? rows : rows?.slice(0, shownMax);
  return html`<section class="card" aria-labelledby=${id}>
    <div class="head"><h2 id=${id}>${title}</h2>${total > 0 && html`<span class="quiet">${total}</span>`}</div>
    <${Reading} problem=${problem} isRead=${rows !== undefined} />
    ${rows?.length === 0 && html`<p class="quiet">${note}</p>`}
    ${rows?.length > 0 && html`<ul class="entries">${shown}</ul>`}
    ${rows?.length > shown?.length && html`<button class="plain" onClick=${() => open(true)}>Show all ${rows.length}</button>`}
    ${(isOpen || rows?.length <= shownMax) && total > rows?.length && more}
  </section>`;
}

function Today() {
  const { clientId } = state.session.me;
  const today = new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
  const [shown, problem] = useHeld(`today/${today}`, () => readToday(today), todayAfter, offline);
  return html`<${Section} id="today" title="Done today" total=${shown?.total} problem=${problem}
    rows=${shown?.transactions.map((each) => html`<${Done} key=${each.transactionNo} done=${each} />`)}
    note="Nothing yet. Scan anything to begin: an item, a lot, a serial, a tag or a spot."
    more=${html`<p class="more"><a href=${addressOf('transactions', '', { field: 'clientId', search: clientId })}>Full list</a></p>`} />`;
}

function Done({ done }) {
  const { transactionNo, kind, at, reversedBy } = done;
  const { what, where } = sentenceOf(done);
  const mayUndo = reversedBy === null && canUndo(kind);
  return html`<li class=${reversedBy === null ? '' : 'undone'}>
    <a href=${addressOf('transaction', transactionNo)}>
      <strong><bdi>${what}</bdi></strong>
      <span class="quiet">${time(at)}${where !== '' && html` · <bdi>${where}</bdi>`}</span>
    </a>
    ${reversedBy !== null && html`<span class="quiet">Undone</span>`}
    ${mayUndo && html`<button aria-label=${`Undo: ${what}`} aria-disabled=${isUndoing(transactionNo)} onClick=${() => undo(transactionNo)}>Undo</button>`}
  </li>`;
}

function Expiring() {
  const [shown, problem] = useHeld(
    // What expires soon is something else each day.
    `expiring/${new Date().toDateString()}`,
    readExpiring,
    expiringAfter,
    offline,
  );
  const days = shown?.days ?? 30;
  return html`<${Section} id="expiring" title=${days === 0 ? 'Expired' : `Expires within ${days} days`} problem=${problem}
    total=${shown?.lots.length} note="Nothing in stock expires soon."
    rows=${shown?.lots.map((lot) => html`<${Ending} key=${lot.recNo} lot=${lot} />`)} />`;
}

function Ending({ lot }) {
  const { recNo, shortID, units, spot, wID, expires } = lot;
  return html`<li>
    <a href=${addressOf('lot', recNo)}>
      <strong><bdi>${shortID}</bdi></strong>
      <span class="quiet">${units} units${spot !== '' && html` at <bdi>${spot}</bdi>`} · <bdi>${warehouseOf(wID)}</bdi></span>
    </a>
    <span class="ending"><${Marks} lot=${lot} />${daysUntil(expires) !== null && html` <span>${daysUntil(expires)}</span>`}</span>
  </li>`;
}

/** Only where something is: many set no minimum. */
function Low() {
  const [shown] = useHeld('low', readLow, lowAfter, offline);
  if (!shown || shown.total === 0) return null;
  return html`<${Section} id="low" title="Below minimum" total=${shown.total}
    rows=${shown.levels.map((level) => html`<${Lacking} key=${`${level.wID}/${level.partNo}`} level=${level} />`)}
    more=${html`<p class="more"><a href=${addressOf('levels', '', { low: 'yes' })}>Full list</a></p>`} />`;
}

function Lacking({ level }) {
  const { shortID, description, available, minimum, wID } = level;
  return html`<li>
    <a href=${addressOf('item', shortID)}>
      <strong><bdi>${shortID}</bdi></strong>
      <span class="quiet">${description && html`<bdi>${description}</bdi> · `}<bdi>${warehouseOf(wID)}</bdi></span>
    </a>
    <span class="ending">${available.replace('-', '−')} of ${minimum}</span>
  </li>`;
}

function Spots() {
  const [spots, setSpots] = useState([]);
  useEffect(() => {
    recallSpots().then(setSpots);
  }, []);
  const isMine = ({ wID }) => state.session.me.warehouses.some((each) => each.wID === wID);
  const mine = spots.filter(isMine);
  if (mine.length === 0) return null;
  const isOne = new Set(mine.map(({ wID }) => wID)).size === 1;
  return html`<section class="card" aria-labelledby="spots">
    <h2 id="spots">Last spots</h2>
    <div class="chips">
      ${mine.map(
        (each) => html`<button onClick=${() => choose({ kind: 'spot', ...each })}>
          <bdi>${each.spot}</bdi>${!isOne && html` <span class="quiet"><bdi>${warehouseOf(each.wID)}</bdi></span>`}
        </button>`,
      )}
    </div>
  </section>`;
}
