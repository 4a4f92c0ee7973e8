import { html } from './html.js';

/** A sign beside a word. `path`: in 24 by 24. */
export const Icon = ({ path }) => html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d=${path} /></svg>`;
