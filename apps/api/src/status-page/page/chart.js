import { Component, createRef, h } from './preact.js';
import uPlot from './uplot.js';

/** The colour that the style sheet gives a name in the current scheme. */
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Converts rem to pixels, so that charts scale with the text. */
function pixels(rem) {
  return Math.round(rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const times = (_chart, seconds) => seconds.map((each) => clock.format(new Date(each * 1000)));

/**
 * A chart with a line for each series. `series`: `{ label, colour }`; `data`: times, then the values of each
 * series.
 */
export class Chart extends Component {
  place = createRef();

  componentDidMount() {
    const { series, data, unit } = this.props;
    const axis = { stroke: () => colour('--quiet'), font: `${pixels(0.75)}px system-ui, sans-serif` };
    const lines = { stroke: () => colour('--line'), width: 1 };
    const told = (_chart, value) => (value === null || value === undefined ? '–' : `${value} ${unit}`.trim());
    this.chart = new uPlot(
      {
        width: this.place.current.clientWidth,
        height: pixels(8),
        cursor: { y: false, points: { size: 5 } },
        legend: { show: false },
        padding: [8, 8, 0, 0],
        scales: { y: { range: (_chart, _low, high) => [0, Math.max(1, (high ?? 0) * 1.1)] } },
        axes: [
          {
            ...axis,
            values: times,
            grid: { show: false },
            ticks: { show: false },
            size: pixels(1.6),
            space: pixels(5),
          },
          { ...axis, grid: lines, ticks: { show: false }, size: pixels(3), space: pixels(2) },
        ],
        series: [
          {},
          ...series.map(({ label, colour: name }) => ({
            label,
            stroke: () => colour(name),
            width: 2,
            points: { show: false },
            value: told,
          })),
        ],
      },
      data,
      this.place.current,
    );
    this.observer = new ResizeObserver(() => {
      const width = this.place.current?.clientWidth ?? 0;
      if (width > 0) this.chart.setSize({ width, height: pixels(8) });
    });
    this.observer.observe(this.place.current);
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    this.repaint = () => this.chart.redraw(false, true);
    this.scheme.addEventListener('change', this.repaint);
  }

  componentDidUpdate() {
    this.chart.setData(this.props.data);
  }

  componentWillUnmount() {
    this.observer.disconnect();
    this.scheme.removeEventListener('change', this.repaint);
    this.chart.destroy();
  }

  render({ label }) {
    return h('div', { class: 'chart', ref: this.place, role: 'img', 'aria-label': label });
  }
}
