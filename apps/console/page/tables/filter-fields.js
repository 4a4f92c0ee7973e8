import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { html } from '../base/html.js';
import { filters, wordsOf } from './filters.js';
import { tables } from './tables.js';

/** The fields that narrow a table. On a phone they open with a button, and the order is among them. */
export function Filters({ name, asked, onSet }) {
  const [isOpen, open] = useState(false);
  const { filters: own, columns } = tables[name];
  const { set, sort } = asked;
  const apply = (filter, value) => {
    const { [filter]: _, [filters[filter].replaces]: __, ...others } = set;
    onSet({ set: value === '' ? others : { ...others, [filter]: value } });
  };
  const count = Object.keys(set).length;
  const fields = own.filter((filter) => filters[filter].kind || filters[filter].options);
  return html`
    <button type="button" class="plain opens-filters" aria-expanded=${isOpen} aria-controls="filters" onClick=${() => open(!isOpen)}>
      Filters${count > 0 && ` (${count})`}
    </button>
    <div class="filters ${isOpen ? 'open' : ''}" id="filters" role="group" aria-label="Filters">
      ${fields.map((filter) => html`<${Field} key=${filter} name=${filter} value=${set[filter] ?? ''} onValue=${apply} />`)}
      <label class="order"><span>Order</span>
        <select aria-label="Order" onChange=${({ target }) => onSet({ sort: target.value === '' ? null : target.value.split(' ') })}>
          <option value="">Usual</option>
          ${columns
            .filter(({ sorts }) => sorts)
            .flatMap(({ name: column, word }) => [
              [`${column} ASC`, `${word} ↑`],
              [`${column} DESC`, `${word} ↓`],
            ])
            .map(
              ([value, word]) =>
                html`<option value=${value} selected=${value === sort?.join(' ')}>${word}</option>`,
            )}
        </select>
      </label>
    </div>
  `;
}

function Field({ name, value, onValue }) {
  const { word, kind, none, options } = filters[name];
  const field = useRef();
  // Not with each rendering: rows that arrive must not take away what is being typed.
  useLayoutEffect(() => {
    if (kind && field.current.value !== value) field.current.value = value;
  }, [value]);
  const onChange = ({ target }) => {
    const given = target.value.trim();
    if (given !== value && (given === '' || filters[name].ask(given) !== null)) onValue(name, given);
  };
  const onKeyDown = (event) => event.key === 'Enter' && onChange(event);
  return html`<label><span>${word}</span>${
    options
      ? html`<select name=${name} aria-label=${word} onChange=${onChange}>
          <option value="">${none}</option>
          ${options(value).map(([each, words]) => html`<option value=${each} selected=${each === value}>${words}</option>`)}
        </select>`
      : html`<input type=${kind} name=${name} ref=${field} autocomplete="off" autocapitalize="off" spellcheck=${false} maxlength="200"
          onChange=${onChange} onKeyDown=${onKeyDown} />`
  }</label>`;
}

/** The filters that are set. Each is removed by a touch. */
export function Chips({ asked, onSet }) {
  const { set } = asked;
  const names = Object.keys(set);
  if (names.length === 0) return null;
  const remove = (name) => {
    const { [name]: _, ...others } = set;
    onSet({ set: others });
  };
  return html`<ul class="chips" aria-label="Filters that are set">
    ${names.map((name) => {
      const [word, value] = wordsOf(name, set[name]);
      return html`<li><button type="button" class="chip" onClick=${() => remove(name)} aria-label=${`Remove ${word} ${value}`}>
        <span class="quiet">${word}</span> <bdi>${value}</bdi><svg viewBox="0 0 12 12" aria-hidden="true"><path d="m3 3 6 6m0-6-6 6" /></svg>
      </button></li>`;
    })}
    ${names.length > 1 && html`<li><button type="button" class="chip all" onClick=${() => onSet({ set: {} })}>Remove filters</button></li>`}
  </ul>`;
}
