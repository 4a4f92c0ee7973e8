// Before all others, because the address may hold a secret.
import './session/sign-in-code.js';
import { render } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { html } from './base/html.js';
import { Icon } from './base/icon.js';
import { Limit } from './base/limit.js';
import { readRoute } from './base/routes.js';
import { onUpdate, state, update } from './base/state.js';
import { Notice } from './forms/notice.js';
import { Badge, Waiting } from './forms/waiting.js';
import { WorkForm } from './forms/work-form.js';
import { Found } from './scan/found.js';
import { Learn } from './scan/learn.js';
import { ScanField } from './scan/scan-field.js';
import { hurry } from './session/line.js';
import { Menu } from './session/menu.js';
import { can, resume } from './session/session.js';
import { SignIn, SignInAnother } from './session/sign-in.js';
import { TableView } from './tables/table-view.js';
import { tables } from './tables/tables.js';
import { Home } from './views/home.js';
import { Item } from './views/item.js';
import { Lot } from './views/lot.js';
import { Transaction } from './views/transaction.js';

const homeIcon = 'M4 11 12 4l8 7v9h-5v-6H9v6H4z';

function Page() {
  const [, draw] = useState(0);
  useLayoutEffect(() => {
    const drawAgain = () => draw((times) => times + 1);
    onUpdate(drawAgain);
    // A code that was scanned while the page started is told before.
    drawAgain();
  }, []);
  if (state.session === null) return html`<${SignIn} />`;
  const route = readRoute();
  return html`
    <header>
      <div class="bar">
        <img class="logo" src="icon.svg" alt="" width="32" height="32" />
        <${ScanField} />
        <${Badge} />
        <${Menu} />
      </div>
      <${Navigation} view=${route.view} />
    </header>
    <main>
      <${Limit} />
      ${state.code && html`<${SignInAnother} key=${state.code.clientId} code=${state.code} />`}
      ${state.form && html`<${WorkForm} form=${state.form} />`}
      <${Content} route=${route} />
    </main>
    <${Notice} />
  `;
}

/** The form for an unknown code, the result of the last scan, or the view of the address. */
function Content({ route }) {
  const { learning, scanned } = state;
  if (learning !== null) return html`<${Learn} learning=${learning} />`;
  return scanned === null ? html`<${View} ...${route} />` : html`<${Found} scanned=${scanned} />`;
}

function Navigation({ view }) {
  const links = can('look') ? Object.entries(tables) : [];
  return html`<nav aria-label="Views">
    <${NavLink} name="" isCurrent=${view === ''} icon=${homeIcon} title="Home" />
    ${links.map(([name, { icon, title }]) => html`<${NavLink} name=${name} isCurrent=${name === view} icon=${icon} title=${title} />`)}
  </nav>`;
}

const NavLink = ({ name, isCurrent, icon, title }) =>
  html`<a href="#/${name}" aria-current=${isCurrent ? 'page' : undefined} onClick=${leaveScan}><${Icon} path=${icon} />${title}</a>`;

/** The address may be that of the view already, behind what a scan found. */
function leaveScan() {
  if (state.scanned !== null) update({ scanned: null, learning: null });
}

function View({ view, id, query }) {
  if (view === 'waiting') return html`<${Waiting} />`;
  if (can('look')) {
    if (view === 'item' && id !== '') return html`<${Item} key=${id} shortID=${id} />`;
    if (view === 'lot') return html`<${Lot} key=${id} recNo=${Number(id)} />`;
    if (view === 'transaction') return html`<${Transaction} key=${id} transactionNo=${Number(id)} />`;
    if (view in tables) return html`<${TableView} key=${view} name=${view} query=${query} />`;
  }
  return html`<${Home} />`;
}

// A form belongs to the view that it was opened on, and so does what a code told.
window.addEventListener('hashchange', () => {
  const told = state.told?.address === location.hash ? state.told : null;
  update({ form: null, scanned: null, learning: null, told });
});
window.addEventListener('offline', hurry);
window.addEventListener('online', () => state.isOnline || hurry());
// Without https there is none, and the page works online only.
navigator.serviceWorker?.register('service-worker.js').catch(console.warn);
navigator.storage?.persist?.();

await resume().catch(console.warn);
render(html`<${Page} />`, document.getElementById('page'));
