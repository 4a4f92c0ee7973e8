// The status page serves this, too. So it imports nothing.

/** The colour that the style sheet gives a name in the current scheme. */
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Converts rem to pixels, so that charts scale with the text. */
function pixels(rem) {
  return Math.round(rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
}

/**
 * Draws a chart into an element, whose width it takes, now and later. `height`: in rem; `series`: what uPlot
 * takes, but `colour`: a name of the style sheet; `x` and `y`: what they change of their axes; `scales`: that
 * of x. Returns `{ update(data), close() }`.
 */
export function drawChart(UPlot, place, { height, series, data, x, y, scales }) {
  const axis = {
    stroke: () => colour('--quiet'),
    font: `${pixels(0.75)}px system-ui, sans-serif`,
    ticks: { show: false },
  };
  const lines = { stroke: () => colour('--line'), width: 1 };
  const chart = new UPlot(
    {
      width: place.clientWidth,
      height: pixels(height),
      cursor: { y: false, points: { size: 5 } },
      legend: { show: false },
      padding: [8, 16, 0, 0],
      scales: { ...scales, y: { range: (_chart, _low, high) => [0, Math.max(1, (high ?? 0) * 1.1)] } },
      axes: [
        { ...axis, grid: { show: false }, size: pixels(1.6), space: pixels(5), ...x },
        { ...axis, grid: lines, size: pixels(3), space: pixels(2), ...y },
      ],
      series: [
        {},
        ...series.map(({ colour: name, isFilled, ...each }) => ({
          stroke: () => colour(name),
          ...(isFilled && { fill: () => colour(name) }),
          width: 2,
          points: { show: false },
          ...each,
        })),
      ],
    },
    data,
    place,
  );
  const observer = new ResizeObserver(() => {
    if (place.clientWidth > 0) chart.setSize({ width: place.clientWidth, height: pixels(height) });
  });
  observer.observe(place);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  // Paths of bars keep their colour, so they are made again.
  const repaint = () => chart.redraw(true, true);
  scheme.addEventListener('change', repaint);
  return {
    update: (next) => chart.setData(next),
    close() {
      observer.disconnect();
      scheme.removeEventListener('change', repaint);
      chart.destroy();
    },
  };
}
