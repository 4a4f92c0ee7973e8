import type { LoadResult } from './load.ts';
import { atLeast, atMost, type Mark } from './report.ts';
import { beside, busiest, halfLoad, quarter, tracked, withKeys } from './scenarios.ts';

type Named = { name: string; callers: number };

/**
 * The requirements on the ways of writing, from the measurements. `median` gives the median of one figure of
 * a result, NaN if a way was not measured under a load.
 */
export function marksOf(
  median: (way: string, scenario: Named, read: (result: LoadResult) => number) => number,
): Mark[] {
  const hottest = { name: 'mixed, one item', callers: 128 };
  const alone = { name: 'receive, 1,000 items', callers: 1 };
  const rate = (way: string, scenario: Named) => median(way, scenario, (result) => result.rate);
  const p50 = (way: string, scenario: Named) => median(way, scenario, (result) => result.p50Ms);
  const p99 = (way: string, scenario: Named) => median(way, scenario, (result) => result.p99Ms);
  const all = [
    atLeast(
      '128 callers, mixed: ours / one request per batch',
      rate('ours', busiest) / rate('single', busiest),
      3,
    ),
    atLeast('128 callers, mixed: ours / plain', rate('ours', busiest) / rate('plain', busiest), 1.5),
    atLeast('128 callers, mixed, one item: ours / plain', rate('ours', hottest) / rate('plain', hottest), 4),
    atLeast('128 callers, mixed: one item / 1,000 items', rate('ours', hottest) / rate('ours', busiest), 0.9),
    atLeast('mixed: ours of 32 callers / of 128', rate('ours', quarter) / rate('ours', busiest), 0.75),
    atMost('one caller, receive: p50 of ours / plain', p50('ours', alone) / p50('plain', alone), 1.5),
    atMost(
      "half of plain's full load, mixed: p99 of ours / plain",
      p99('ours', halfLoad) / p99('plain', halfLoad),
      2.5,
    ),
    ...tracked.map((scenario) =>
      atLeast(`128 callers: ${scenario.name} / mixed`, rate('ours', scenario) / rate('ours', beside), 0.7),
    ),
    atLeast(
      '128 callers, mixed: a key on each / without keys',
      rate('ours', withKeys) / rate('ours', beside),
      0.9,
    ),
  ];
  return all.filter(([, seen]) => seen !== 'NaN');
}
