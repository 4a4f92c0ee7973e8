import { useEffect, useRef, useState } from 'preact/hooks';
import { saveCsv } from './csv.js';
import { html } from './html.js';
import { go } from './routes.js';
import { Rows } from './rows.js';
import { state } from './state.js';
import { tables } from './tables.js';

const pageSize = 50;

/** A table with its search and filters, which stand in the address. Further pages come as one scrolls. */
export function TableView({ name, query }) {
  const { title, fields, hasWarehouse } = tables[name];
  const { rows, total, hasMore, problem, readOn } = usePages(name, query);
  const form = useRef();
  // Not with each rendering: a page that arrives must not take away what is being typed.
  useEffect(() => {
    form.current.elements.search.value = query.search ?? '';
  }, [name, query.search]);
  const apply = (event) => {
    event?.preventDefault();
    const { search, field, wid, inStock } = form.current.elements;
    go(name, '', {
      search: search.value.trim(),
      field: field?.value,
      wid: wid?.value,
      inStock: inStock?.checked === false ? 'false' : '',
    });
  };
  return html`
    <section class="card" aria-labelledby="table">
      <div class="head">
        <h1 id="table">${title}</h1>
        <span class="quiet" role="status">${total === null ? '' : `${total} found`}</span>
        <button class="plain" onClick=${() => saveCsv(name, queryOf(name, query))}>CSV</button>
      </div>
      <form class="filters" ref=${form} onSubmit=${apply}>
        <label><span>Search</span>
          <input type="search" name="search" autocomplete="off" autocapitalize="off" spellcheck=${false} maxlength="200" />
        </label>
        ${
          Object.keys(fields).length > 1 &&
          html`<label><span>Field</span><select name="field" value=${query.field} onChange=${apply}>
            ${Object.entries(fields).map(([field, word]) => html`<option value=${field} selected=${field === query.field}>${word}</option>`)}
          </select></label>`
        }
        ${
          hasWarehouse &&
          html`<label><span>Warehouse</span><select name="wid" onChange=${apply}>
            <option value="">All</option>
            ${state.session.me.warehouses.map(({ wID, name: word }) => html`<option value=${wID} selected=${String(wID) === query.wid}>${word}</option>`)}
          </select></label>`
        }
        ${
          name === 'lots' &&
          html`<label class="check"><input type="checkbox" name="inStock" checked=${query.inStock !== 'false'} onChange=${apply} />In stock</label>`
        }
      </form>
      ${problem && html`<p class="alert" role="alert">${problem}</p>`}
      ${rows && html`<${Rows} table=${name} rows=${rows} labelledby="table" />`}
      ${hasMore && html`<${More} onSeen=${readOn} />`}
    </section>
  `;
}

/** A button that presses itself when it comes into sight. */
function More({ onSeen }) {
  const button = useRef();
  useEffect(() => {
    const observer = new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && onSeen());
    observer.observe(button.current);
    return () => observer.disconnect();
  });
  return html`<button class="plain" ref=${button} onClick=${onSeen}>More</button>`;
}

function usePages(name, query) {
  const asked = JSON.stringify([name, query]);
  const [read, setRead] = useState({ asked: null, rows: null, total: null, page: 0, hasMore: false });
  const current = useRef();
  current.current = asked;
  const busy = useRef(null);
  const readPage = async (page, before) => {
    const { client } = state.session;
    if (busy.current === `${asked}${page}`) return;
    busy.current = `${asked}${page}`;
    try {
      const answer = await tables[name].list(client, { ...queryOf(name, query), pageSize }).page(page);
      if (current.current !== asked) return;
      // A record that moved to a later page meanwhile is there already. The first column names it.
      const [{ name: id }] = tables[name].columns;
      const known = new Set(before.map((row) => row[id]));
      const rows = [...before, ...answer.value.filter((row) => !known.has(row[id]))];
      setRead({ asked, rows, total: answer.totalCount, page, hasMore: answer.hasMore, problem: null });
    } catch (error) {
      if (current.current !== asked) return;
      const problem = error.status === 0 ? 'Offline: this list cannot be read.' : error.message;
      setRead((old) => ({ ...old, asked, rows: before, hasMore: false, problem }));
    } finally {
      busy.current = null;
    }
  };
  useEffect(() => {
    readPage(1, []);
  }, [asked]);
  const shown = read.asked === asked ? read : { rows: null, total: null, hasMore: false };
  return { ...shown, readOn: () => readPage(read.page + 1, read.rows) };
}

/** The query of the API for what stands in the address. */
function queryOf(name, { search, field, wid, inStock }) {
  const { fields, hasWarehouse } = tables[name];
  const chosen = field in fields ? field : Object.keys(fields)[0];
  return {
    ...(search ? { [chosen]: search } : {}),
    ...(wid && hasWarehouse ? { wid: Number(wid) } : {}),
    // Without this, those that are used up, too.
    ...(inStock === 'false' && name === 'lots' ? { inStock: undefined } : {}),
  };
}
