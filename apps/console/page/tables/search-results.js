import { html } from '../base/html.js';
import { wordsOf } from './filters.js';

const choicesMax = 20;

/** Tells what a search is taken for, and offers to go on with one thing. */
export function Choices({ list, noun, onChoose }) {
  const { choices, found, one, asked } = list;
  const { search } = asked;
  const count = choices.length === 1 ? '1 item' : `${choices.length} items`;
  const [word, value] = one ? wordsOf(one.filter, one.value) : [];
  const offered = html`<${Offered} choices=${choices} onChoose=${onChoose} />`;
  if (found > 0)
    return html`
      <p role="status">“<bdi>${search}</bdi>” is in ${found > choices.length ? 'many' : found} items. Type on, or choose one to see its ${noun}.</p>
      ${offered}
    `;
  return html`
    ${one && html`<p role="status">Of ${word.toLowerCase()} <bdi><b>${value}</b></bdi></p>`}
    ${
      choices.length > (one ? 0 : 1) &&
      html`<details class="narrow-to">
        <summary>${one ? 'Or of' : 'Of'} ${count} with “<bdi>${search}</bdi>”</summary>
        ${offered}
      </details>`
    }
  `;
}

const Offered = ({ choices, onChoose }) => html`
  <ul class="choices" aria-label="Narrow to">
    ${choices.slice(0, choicesMax).map(
      (choice) => html`<li><button type="button" class="choice" onClick=${() => onChoose(choice)}>
        <span class="quiet">${wordsOf(choice.filter, choice.value)[0]}</span>
        <bdi><b>${choice.value}</b></bdi> <bdi class="detail">${choice.detail}</bdi>
      </button></li>`,
    )}
  </ul>
  ${choices.length > choicesMax && html`<p class="note">There are more. Type more to narrow the list.</p>`}
`;

/** Tells why there are no rows, and how to get out of it. */
export function Empty({ noun, list, onSet }) {
  const { search, set } = list.asked;
  const isFiltered = Object.keys(set).length > 0;
  const why = [search !== '' && ` for “${search}”`, isFiltered && ' with these filters']
    .filter(Boolean)
    .join('');
  return html`<div class="empty">
    <p>${why === '' ? `There are no ${noun} yet.` : `There are no ${noun}${why}.`}</p>
    ${search !== '' && html`<button type="button" onClick=${() => onSet({ search: '' })}>Clear search</button>`}
    ${isFiltered && html`<button type="button" onClick=${() => onSet({ set: {} })}>Remove filters</button>`}
  </div>`;
}
