import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from '../base/html.js';
import { drawChart } from './draw-chart.js';

const height = 11;
const short = new Intl.NumberFormat(undefined, { notation: 'compact' });
const axisOf = (labels) => ({
  values: (_chart, places) => places.map((place) => labels[place] ?? ''),
  incrs: [1, 2, 3, 4, 6, 7, 8, 12, 14, 28, 42, 90],
});
const wholeSteps = Array.from({ length: 15 }, (_, digits) => [1, 2, 5].map((step) => step * 10 ** digits));
const forms = {
  /** Bars that stand upon each other. */
  bars: ({ paths }) => ({ paths: paths.bars({ size: [0.7, 40] }), isFilled: true, width: 0 }),
  /** Each amount until the next one. */
  steps: ({ paths }) => ({ paths: paths.stepped({ align: 1, extend: true }) }),
};

/**
 * A picture of figures. `about`: says it in words; `labels`: what stands below it, from left to right;
 * `series`: `[{ label, values }]`, the lowest first; `heads` and `rows`: the figures, for a table behind it.
 */
export function Picture({ about, form, labels, series, heads, rows }) {
  return html`<figure class="picture">
    <${Chart} about=${about} form=${form} labels=${labels} series=${series} />
    ${
      series.length > 1 &&
      html`<ul class="legend">${series.map(({ label }, place) => html`<li class=${`series-${place + 1}`}><bdi>${label}</bdi></li>`)}</ul>`
    }
    <details class="behind">
      <summary>Figures</summary>
      <div class="scrolls" tabindex="0" role="region" aria-label=${`Figures: ${heads.join(', ')}`}><table>
        <thead><tr>${heads.map((head, place) => html`<th class=${place > 0 ? 'number' : ''} scope="col"><bdi>${head}</bdi></th>`)}</tr></thead>
        <tbody>${rows.map(([first, ...others]) => html`<tr><th scope="row">${first}</th>${others.map((each) => html`<td class="number">${each}</td>`)}</tr>`)}</tbody>
      </table></div>
    </details>
  </figure>`;
}

/** uPlot is fetched when the first picture is drawn: most who scan look at none. */
function Chart({ about, form, labels, series }) {
  const place = useRef();
  const [isMissing, miss] = useState(false);
  const shown = JSON.stringify([form, labels, series]);
  useEffect(() => {
    let chart = null;
    let isGone = false;
    const draw = ({ default: UPlot }) => {
      if (!isGone && place.current)
        chart = drawChart(UPlot, place.current, drawn(UPlot, { form, labels, series }));
    };
    import('uplot').then(draw, () => miss(true));
    return () => {
      isGone = true;
      chart?.close();
    };
  }, [shown]);
  return html`
    <div class="chart" role="img" aria-label=${about} ref=${place}></div>
    ${isMissing && html`<p class="note">The picture could not be loaded. The figures are below.</p>`}
  `;
}

function drawn(UPlot, { form, labels, series }) {
  const stacked = series.map((_, place) =>
    labels.map((_label, at) => series.slice(0, place + 1).reduce((sum, { values }) => sum + values[at], 0)),
  );
  const lines = series.map((_, place) => ({ colour: `--series-${place + 1}`, ...forms[form](UPlot) }));
  return {
    height,
    // What is drawn later hides what is behind it, so the highest comes first.
    series: lines.reverse(),
    data: [labels.map((_, place) => place), ...stacked.reverse()],
    x: axisOf(labels),
    y: {
      values: (_chart, amounts) => amounts.map((amount) => short.format(amount)),
      ...(form === 'bars' && { incrs: wholeSteps.flat() }),
    },
    scales: { x: { time: false, range: [-0.5, labels.length - 0.5] } },
  };
}
