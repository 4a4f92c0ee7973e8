/** A group of bars, one for each name of the chart, in order; null: not measured. */
export type BarGroup = { name: string; values: (number | null)[] };

const width = 720;
const left = 190;
const right = 70;
const barHeight = 14;
const gap = 14;

/** An SVG of horizontal bars. `series`: the names of the bars in each group, with their colors. */
export function barChart(
  title: string,
  series: readonly { name: string; color: string }[],
  groups: readonly BarGroup[],
): string {
  const most = Math.max(...groups.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const legendTop = 44;
  const top = legendTop + 18 * series.length;
  const groupHeight = series.length * barHeight + gap;
  const height = top + groups.length * groupHeight;
  const legend = series.map(
    ({ name, color }, index) =>
      `<rect x="${left}" y="${legendTop - 10 + 18 * index}" width="10" height="10" fill="${color}"/>` +
      `<text x="${left + 16}" y="${legendTop + 18 * index}">${name}</text>`,
  );
  const bars = groups.flatMap(({ name, values }, group) => {
    const y = top + group * groupHeight;
    const middle = y + (series.length * barHeight) / 2 + 4;
    return [
      `<text x="${left - 8}" y="${middle}" text-anchor="end">${name}</text>`,
      ...values.map((value, index) => {
        if (value === null) return '';
        const length = (value / most) * (width - left - right);
        const at = y + index * barHeight;
        return (
          `<rect x="${left}" y="${at}" width="${length.toFixed(1)}" height="${barHeight - 2}" fill="${series[index]!.color}"/>` +
          `<text x="${(left + length + 6).toFixed(1)}" y="${at + barHeight - 4}" fill="#555">${Math.round(value).toLocaleString('en')}</text>`
        );
      }),
    ];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>${title}</title>
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="10" y="20" font-size="14" font-weight="bold">${title}</text>
${[...legend, ...bars].filter((part) => part !== '').join('\n')}
</svg>
`;
}
