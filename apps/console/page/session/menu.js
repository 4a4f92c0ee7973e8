import { html } from '../base/html.js';
import { Icon } from '../base/icon.js';
import { state } from '../base/state.js';
import { keepSignIn, signOut } from './session.js';

const iconPath = 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-7.5 8a7.5 7.5 0 0 1 15 0';

/** The client that is signed in, its warehouses, and the way out. */
export function Menu() {
  const { me, isKept } = state.session;
  return html`
    <button class="plain menu-button" popovertarget="menu" aria-label="Menu"><${Icon} path=${iconPath} /></button>
    <div id="menu" class="menu" popover="auto" role="dialog" aria-label="Menu">
      <p class="quiet">Signed in as</p>
      <p><strong><bdi>${me.clientId}</bdi></strong>${me.readOnly && html` <span class="mark">Read only</span>`}</p>
      <p class="quiet">${me.warehouses.length === 1 ? 'Warehouse' : 'Warehouses'}</p>
      <ul>${me.warehouses.map(({ wID, name }) => html`<li key=${wID}><bdi>${name}</bdi></li>`)}</ul>
      ${
        isKept
          ? html`<p class="quiet">Kept on this device until you sign out.</p>`
          : html`<button class="plain" onClick=${() => keepSignIn()}>Keep me signed in</button>`
      }
      <button onClick=${() => signOut()}>Sign out</button>
    </div>
  `;
}
