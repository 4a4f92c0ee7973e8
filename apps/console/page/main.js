import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Found } from './found.js';
import { html } from './html.js';
import { Item } from './item.js';
import { Lot } from './lot.js';
import { Notice } from './notice.js';
import { readRoute } from './routes.js';
import { ScanField } from './scan-field.js';
import { can, resume, signOut } from './session.js';
import { SignIn } from './sign-in.js';
import { onUpdate, state, update } from './state.js';
import { TableView } from './table-view.js';
import { tables } from './tables.js';
import { Transaction } from './transaction.js';
import { Badge, Waiting } from './waiting.js';
import { WorkForm } from './work-form.js';

function Page() {
  const [, draw] = useState(0);
  useEffect(() => onUpdate(() => draw((times) => times + 1)), []);
  if (state.session === null) return html`<${SignIn} />`;
  const route = readRoute();
  return html`
    <header>
      <div class="bar">
        <a class="home" href="#/" aria-label="Inventory"><img src="icon.svg" alt="" width="32" height="32" /></a>
        <${ScanField} />
        <${Badge} />
      </div>
      <${Navigation} view=${route.view} />
    </header>
    <main>
      ${state.form && html`<${WorkForm} form=${state.form} />`}
      ${state.scanned ? html`<${Found} scanned=${state.scanned} />` : html`<${View} ...${route} />`}
    </main>
    <${Notice} />
  `;
}

function Navigation({ view }) {
  const views = can('look') ? Object.keys(tables) : [];
  return html`<nav aria-label="Tables">
    ${views.map(
      (name) =>
        html`<a href="#/${name}" aria-current=${name === view ? 'page' : undefined}><${Icon} path=${tables[name].icon} />${tables[name].title}</a>`,
    )}
    <button class="plain" onClick=${() => signOut()}><${Icon} path="M10 4H5v16h5m0-8h10l-4-4m4 4-4 4" />Sign out</button>
  </nav>`;
}

const Icon = ({ path }) => html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d=${path} /></svg>`;

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

function Home() {
  const { clientId, warehouses } = state.session.me;
  return html`<section class="home-view">
    <svg viewBox="0 0 96 64" aria-hidden="true"><path d="M8 8v48M16 8v48M22 8v48M34 8v48M40 8v48M52 8v48M60 8v48M66 8v48M78 8v48M88 8v48" /></svg>
    <h1>Scan anything</h1>
    <p>An item, a lot, a serial, a tag or a spot.</p>
    <p class="quiet"><bdi>${clientId}</bdi> · <bdi>${warehouses.map(({ name }) => name).join(', ')}</bdi></p>
  </section>`;
}

// A form belongs to the view that it was opened on.
window.addEventListener('hashchange', () => update({ form: null, scanned: null }));
window.addEventListener('online', () => update({ isOnline: true }));
window.addEventListener('offline', () => update({ isOnline: false }));
// Without https there is none, and the page works online only.
navigator.serviceWorker?.register('service-worker.js').catch(console.warn);
navigator.storage?.persist?.();

await resume().catch(console.warn);
render(html`<${Page} />`, document.getElementById('page'));
