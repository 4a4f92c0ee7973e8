import { html } from './html.js';

const Loading = () => html`<p class="note" role="status">Loading …</p>`;

/** Why a section cannot be read, or that it is being read. Nothing else shows until `isRead`. */
export const Reading = ({ problem, isRead }) => html`
  ${problem && html`<p class="note" role="status">${problem}</p>`}
  ${!isRead && !problem && html`<${Loading} />`}
`;

/** The same of a view, which has nothing else to show. */
export const UnreadView = ({ title, problem }) => html`<section class="card">
  <h1>${title}</h1>
  ${problem === null ? html`<${Loading} />` : html`<p class="alert" role="alert">${problem}</p>`}
</section>`;
