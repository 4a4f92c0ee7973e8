import { drawChart } from './draw-chart.js';
import { Component, createRef, h } from './preact.js';
import uPlot from './uplot.js';

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const times = (_chart, seconds) => seconds.map((each) => clock.format(new Date(each * 1000)));

/**
 * A chart with a line for each series. `series`: `{ label, colour }`; `data`: times, then the values of each
 * series.
 */
export class Chart extends Component {
  place = createRef();

  componentDidMount() {
    const { series, data } = this.props;
    this.chart = drawChart(uPlot, this.place.current, { height: 8, series, data, x: { values: times } });
  }

  componentDidUpdate() {
    this.chart.update(this.props.data);
  }

  componentWillUnmount() {
    this.chart.close();
  }

  render({ label }) {
    return h('div', { class: 'chart', ref: this.place, role: 'img', 'aria-label': label });
  }
}
