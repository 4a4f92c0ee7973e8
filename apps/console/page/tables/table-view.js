import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { noteFocus } from '../base/focus.js';
import { html } from '../base/html.js';
import { addressOf, go } from '../base/routes.js';
import { state, update } from '../base/state.js';
import { readReasons } from '../stock/reasons.js';
import { readUnits } from '../stock/units.js';
import { CsvButton } from './csv-button.js';
import { Chips, Filters } from './filter-fields.js';
import { readQuery, writeQuery } from './filters.js';
import { LongList } from './long-list.js';
import { LongTable } from './long-table.js';
import { SearchField } from './search-field.js';
import { Choices, Empty } from './search-results.js';
import { tables } from './tables.js';

/** A table with its search, filters and order, which stand in the address. */
export function TableView({ name, query }) {
  const { title } = tables[name];
  const asked = readQuery(tables[name], query);
  const { list, isReading, retry } = useLongList(name, asked);
  const field = useRef();
  const show = (changes) => go(name, '', writeQuery({ ...asked, ...changes }));
  const search = (text) => {
    // Each key would be a step back.
    history.replaceState(null, '', addressOf(name, '', writeQuery({ ...asked, search: text })));
    update({});
  };
  const choose = ({ filter, value }) => {
    show({ search: '', set: { ...asked.set, [filter]: value } });
    field.current.focus();
  };
  const sort = useCallback((next) => show({ sort: next }), [JSON.stringify(asked)]);
  // Where these end, a person looks for what comes next.
  const hasRows = list?.pages.length > 0;
  const isEmpty = list?.pages.every(({ rows }) => rows?.length === 0);
  return html`
    <section class="card table-view" aria-labelledby="table">
      <div class="head">
        <h1 id="table">${title}</h1>
        <span class="quiet" role="status">${list ? foundWords(list) : 'Loading …'}</span>
        <${CsvButton} name=${name} asked=${asked} />
      </div>
      <div class="finder">
        <${SearchField} field=${field} table=${tables[name]} value=${asked.search} onSearch=${search} />
        <${Filters} name=${name} asked=${asked} onSet=${show} />
      </div>
      <${Chips} asked=${asked} onSet=${(changes) => {
        show(changes);
        field.current.focus();
      }} />
      ${list?.problem && !hasRows && html`<${Problem} words=${list.problem} onRetry=${retry} />`}
      ${list && html`<${Choices} list=${list} noun=${tables[name].noun} onChoose=${choose} />`}
      <div class="sheet" aria-busy=${isReading}>
        ${list && !isEmpty && html`<${LongTable} name=${name} list=${list} labelledby="table" onSort=${sort} />`}
        ${isEmpty && !list.problem && !list.found && html`<${Empty} noun=${tables[name].noun} list=${list} onSet=${show} />`}
      </div>
      ${list?.problem && hasRows && html`<${Problem} words=${list.problem} onRetry=${retry} />`}
      ${list?.hasMore && !isReading && !list.problem && html`<${More} list=${list} />`}
      ${
        list?.isCut &&
        html`<p class="note">Only the first are shown. Choose one item to see all of its ${tables[name].noun}, or save all as CSV.</p>`
      }
    </section>
  `;
}

const Problem = ({ words, onRetry }) =>
  html`<div class="alert" role="alert"><p>${words}</p><button onClick=${onRetry}>Try again</button></div>`;

const count = new Intl.NumberFormat();

function foundWords({ total, found, problem, pages }) {
  if (problem && pages.length === 0) return '';
  if (found) return `${count.format(found)} items found`;
  return total === null ? '' : `${count.format(total)} found`;
}

/** A button that presses itself when it comes into sight. */
function More({ list }) {
  const button = useRef();
  useEffect(() => {
    const observer = new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && list.readOn(), {
      rootMargin: '600px 0px',
    });
    observer.observe(button.current);
    return () => observer.disconnect();
  });
  const press = async () => {
    const place = list.pages.length;
    const isLeftAlone = noteFocus();
    await list.readOn();
    // The rows that were asked for come next.
    setTimeout(() => {
      if (isLeftAlone()) document.querySelector(`.long > [data-place="${place}"] a`)?.focus();
    });
  };
  return html`<button class="plain more-rows" ref=${button} onClick=${press}>More</button>`;
}

// The table that was left last, to find it as it was on the way back.
let left = null;

/** The list that the address asks for. The last list stays in sight until the next one is there. */
function useLongList(name, asked) {
  const key = JSON.stringify([name, asked]);
  const [tries, setTries] = useState(0);
  const [, draw] = useState(0);
  const shown = useRef(null);
  const wait = useRef(null);
  const { session, isOnline } = state;
  const drawAgain = () => draw((times) => times + 1);
  useEffect(() => {
    const list = new LongList(name, asked, drawAgain);
    const before = left !== null && left.key === key && history.state?.left === left.id ? left : null;
    list.open(before?.heights).then(() => {
      if (list.isEnded) return;
      shown.current?.list.end();
      shown.current = { list, key, before };
      drawAgain();
    });
    wait.current = list;
    // An older answer never takes the place of a newer one.
    return () => shown.current?.list !== list && list.end();
  }, [key, tries]);
  useEffect(() => {
    readUnits(session.client).then(drawAgain, console.warn);
    readReasons(session.client).then(drawAgain);
    return () => {
      wait.current?.end();
      shown.current?.list.end();
    };
  }, []);
  // A person stays at the rows that were read.
  const retry = () => {
    const { list } = shown.current;
    if (list.pages.length > 0) list.readAgain();
    else setTries((times) => times + 1);
  };
  // Offline it could not be read.
  useEffect(() => {
    if (isOnline && shown.current?.list.problem) retry();
  }, [isOnline]);
  useScroll(shown);
  const { list = null, key: shownKey } = shown.current ?? {};
  return { list, isReading: shownKey !== key, retry };
}

/** Keeps the place for the way back. */
function useScroll(shown) {
  const current = shown.current?.list;
  useLayoutEffect(() => {
    if (!current) return;
    const { before } = shown.current;
    if (before !== null) window.scrollTo(0, before.scrollY);
    const id = before?.id ?? String(Math.random());
    if (history.state?.left !== id) history.replaceState({ left: id }, '');
    shown.current.id = id;
  }, [current]);
  useLayoutEffect(
    () => () => {
      if (shown.current === null) return;
      const { key, id } = shown.current;
      const pages = [...document.querySelectorAll('.long > tbody')];
      left = { key, id, heights: pages.map((page) => page.offsetHeight), scrollY: window.scrollY };
      window.scrollTo(0, 0);
    },
    [],
  );
}
