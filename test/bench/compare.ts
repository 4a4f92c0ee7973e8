import { medianOf } from './load.ts';

/** A figure of one way divided by that of another, of each turn. */
export type Ratios = readonly number[];

/** `0.85 [0.80–0.91]`: the median of the turns, the lowest and the highest. */
export function ratioText(ratios: Ratios): string {
  if (ratios.length === 0) return '';
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
  return `${medianOf(ratios).toFixed(2)} [${low.toFixed(2)}–${high.toFixed(2)}]`;
}

const distance = (ratio: number) => Math.max(ratio, 1 / ratio);

/**
 * Whether ratios show more than chance: their median is farther from 1 than any turn of an unchanged twin,
 * whose ratios are all that the same code differs by.
 */
export function differs(ratios: Ratios, twin: Ratios): boolean {
  if (ratios.length === 0 || twin.length === 0) return false;
  return distance(medianOf(ratios)) > Math.max(...twin.map(distance));
}
