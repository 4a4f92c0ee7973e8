/** A curve: its name and its points, x and y. */
export type Curve = { name: string; dashed?: boolean; color: string; points: [number, number][] };

const width = 720;
const height = 400;
const left = 60;
const right = 210;
const top = 40;
const bottom = 46;

/** An SVG of curves on logarithmic axes. */
export function lineChart(title: string, axes: { x: string; y: string }, curves: readonly Curve[]): string {
  const all = curves.flatMap((curve) => curve.points);
  const x = scale(
    all.map(([value]) => value),
    left,
    width - right,
  );
  const y = scale(
    all.map(([, value]) => value),
    height - bottom,
    top,
  );
  const ticks = [
    ...x.powers.map((power) => tick(x.at(power), height - bottom + 16, power.toLocaleString('en'), 'middle')),
    ...y.powers.map((power) => tick(left - 6, y.at(power) + 4, String(power), 'end')),
    ...y.powers.map(
      (power) => `<path d="M${left} ${y.at(power)}H${width - right}" stroke="#8883" stroke-width="1"/>`,
    ),
  ];
  // Labels at the ends of the curves, spaced apart.
  let lowest = Number.NEGATIVE_INFINITY;
  const named = [...curves]
    .sort((a, b) => y.at(a.points.at(-1)![1]) - y.at(b.points.at(-1)![1]))
    .map((curve) => {
      lowest = Math.max(lowest + 16, y.at(curve.points.at(-1)![1]) + 4);
      return `<text x="${width - right + 8}" y="${lowest}" fill="${curve.color}">${curve.name}</text>`;
    });
  const lines = curves.map(({ points, color, dashed }) => {
    const path = points.map(([px, py]) => `${x.at(px).toFixed(1)} ${y.at(py).toFixed(1)}`).join('L');
    const dots = points.map(
      ([px, py]) => `<circle cx="${x.at(px).toFixed(1)}" cy="${y.at(py).toFixed(1)}" r="3" fill="${color}"/>`,
    );
    return `<path d="M${path}" fill="none" stroke="${color}" stroke-width="2"${dashed ? ' stroke-dasharray="5 4"' : ''}/>${dots.join('')}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>${title}</title>
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="${left}" y="20" font-size="14" font-weight="bold">${title}</text>
<text x="${(left + width - right) / 2}" y="${height - 8}" text-anchor="middle">${axes.x}</text>
<text transform="translate(14 ${(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle">${axes.y}</text>
${[...ticks, ...lines, ...named].join('\n')}
</svg>
`;
}

/** The whole powers of ten around the values, and the place of a value between `from` and `to`. */
function scale(values: readonly number[], from: number, to: number) {
  const lowest = Math.floor(Math.log10(Math.min(...values)));
  const highest = Math.ceil(Math.log10(Math.max(...values)));
  return {
    powers: Array.from({ length: highest - lowest + 1 }, (_, index) => 10 ** (lowest + index)),
    at: (value: number) => from + ((Math.log10(value) - lowest) / (highest - lowest)) * (to - from),
  };
}

function tick(x: number, y: number, text: string, anchor: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="#555">${text}</text>`;
}
