import { expect, test } from 'vitest';
import { differs, ratioText } from './compare.ts';

test('a ratio is told as its median, with the lowest and the highest turn', () => {
  expect(ratioText([1.2, 0.8, 0.9])).toBe('0.90 [0.80–1.20]');
  expect(ratioText([])).toBe('');
});

test.each([
  ['nearer to 1 than a turn of the twin', [0.9, 0.95, 1], [0.94, 1, 1.05], false],
  ['as far above 1 as a turn of the twin below it', [1.05, 1.05, 1.05], [0.95, 1, 1], false],
  ['below all turns of the twin', [0.6, 0.7, 0.9], [0.94, 1, 1.05], true],
  ['above all turns of the twin', [1.2, 1.3, 0.9], [0.94, 1, 1.05], true],
  ['without a twin', [0.5], [], false],
])('a difference: %s', (_, ratios, twin, told) => {
  expect(differs(ratios, twin)).toBe(told);
});
