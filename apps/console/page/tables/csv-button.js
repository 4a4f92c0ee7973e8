import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from '../base/html.js';
import { update } from '../base/state.js';
import { saveCsv } from './csv.js';

const count = new Intl.NumberFormat();

/**
 * Saves the list as a file; shows how far it is, and stops when asked to or when the view is left. A screen
 * reader is told that it begins and ends, not of each page.
 */
export function CsvButton({ name, asked }) {
  const [progress, setProgress] = useState(null);
  const ending = useRef(null);
  useEffect(() => () => ending.current?.abort(), []);
  const begin = async () => {
    ending.current = new AbortController();
    const { signal } = ending.current;
    setProgress('');
    const onProgress = (rows, total) =>
      setProgress(total === null ? count.format(rows) : `${count.format(rows)} of ${count.format(total)}`);
    try {
      await saveCsv(name, asked, { onProgress, signal });
      update({ notice: { text: `Saved ${name}.csv.`, level: 'well' } });
    } catch (error) {
      if (!signal.aborted) update({ notice: { text: `No CSV: ${error.message}`, level: 'bad' } });
    }
    if (!signal.aborted) setProgress(null);
  };
  const stop = () => {
    ending.current.abort();
    setProgress(null);
  };
  return html`<div class="csv">
    <span class="quiet" role="status">${progress === null ? '' : 'Reading …'}</span>
    <span class="quiet">${progress}</span>
    <button class="plain" onClick=${progress === null ? begin : stop}>${progress === null ? 'CSV' : 'Stop'}</button>
  </div>`;
}
