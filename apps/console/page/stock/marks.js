import { html } from '../base/html.js';
import { isExpired } from './lots-in-order.js';

/** Why nobody can take from a lot. */
export const Marks = ({ lot }) => html`
  ${lot.hold && html` <span class="mark">On hold</span>`}
  ${isExpired(lot) && html` <span class="mark">Expired</span>`}
`;
