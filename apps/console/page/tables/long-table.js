import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { html } from '../base/html.js';
import { columnsOf, Head, Row } from './rows.js';

// Rows are drawn before one sees them.
const nearBy = '1200px 0px';

/**
 * The rows of a long list. Of those far from what is seen, only their height stays, so that a list of any
 * length takes little memory. `onSort` is told the column and the direction, or null for the usual order.
 */
export function LongTable({ name, list, labelledby, onSort }) {
  const columns = columnsOf(name);
  const watcher = useMemo(
    () =>
      new IntersectionObserver(
        (entries) => {
          for (const { target, isIntersecting, boundingClientRect } of entries) {
            // Rows that have the focus stay.
            const isHeld = target.contains(document.activeElement);
            list.move(Number(target.dataset.place), isIntersecting || isHeld, boundingClientRect.height);
          }
        },
        { rootMargin: nearBy },
      ),
    [list],
  );
  useEffect(() => () => watcher.disconnect(), [watcher]);
  const firsts = [];
  list.pages.reduce((first, { rows }, place) => {
    firsts[place] = first;
    return first + (rows?.length ?? 50);
  }, 0);
  const { sort } = list.asked;
  const ariaSort = ({ name: column }) => (sort?.[0] === column ? directions[sort[1]] : undefined);
  const head = (column) => html`<${ColumnHead} ...${column} list=${list} onSort=${onSort} />`;
  const table = useRef();
  // Its head stays below that of the page.
  useLayoutEffect(() => {
    table.current.style.setProperty('--top', `${document.querySelector('header').offsetHeight}px`);
  });
  return html`<table role="table" class="long ${name}" ref=${table} aria-labelledby=${labelledby} aria-rowcount=${list.total === null ? -1 : list.total + 1}>
    <${Head} columns=${columns} ariaSort=${ariaSort} head=${head} />
    ${list.pages.map(
      (page, place) =>
        html`<${Page} key=${place} page=${page} place=${place} first=${firsts[place]} columns=${columns} watcher=${watcher} />`,
    )}
  </table>`;
}

const directions = { ASC: 'ascending', DESC: 'descending' };

function ColumnHead({ name, word, list, onSort }) {
  if (!list.sortsBy(name)) return word;
  const [by, direction] = list.asked.sort ?? [];
  const next = by !== name ? [name, 'ASC'] : direction === 'ASC' ? [name, 'DESC'] : null;
  return html`<button type="button" class="sort" onClick=${() => onSort(next)}>${word}${
    by === name && html`<${Arrow} direction=${direction} />`
  }</button>`;
}

const Arrow = ({ direction }) =>
  html`<svg viewBox="0 0 12 12" aria-hidden="true"><path d=${direction === 'ASC' ? 'M6 10V2M3 5l3-3 3 3' : 'M6 2v8M3 7l3 3 3-3'} /></svg>`;

function Page({ page, place, first, columns, watcher }) {
  const body = useRef();
  useLayoutEffect(() => {
    const element = body.current;
    watcher.observe(element);
    return () => watcher.unobserve(element);
  }, [watcher]);
  const { rows, height, isNear } = page;
  return html`<tbody ref=${body} role="rowgroup" data-place=${place}>
    ${
      isNear && rows !== null
        ? rows.map((row, at) => html`<${Row} key=${at} columns=${columns} row=${row} index=${first + at} />`)
        : html`<tr class="gap" aria-hidden="true" style=${{ height: `${height}px` }}></tr>`
    }
  </tbody>`;
}
