import { startProxy } from '../faults/proxy.ts';
import { readOptions } from '../harness/read-options.ts';
import { runLoad } from './load.ts';
import { type Mark, marksTable, writeSection } from './report.ts';
import { mixed, receive, spread } from './requests.ts';
import { startSite } from './site.ts';
import { startBenchStack } from './stack.ts';
import { ways } from './ways.ts';

// pnpm bench overload [--seconds 10]: three times the service's capacity, and no Redis. Accepted requests
// must be answered in time, the rest refused at once.
const values = readOptions(
  'bench overload',
  'Sends three times the load the service can take, then takes Redis away: accepted requests must be answered in time, the rest refused at once.',
  {
    seconds: { value: 'number', default: '10', about: 'how long each load lasts' },
    dry: { flag: true, about: 'leave docs/benchmarks.md as it is' },
  },
);
const seconds = Number(values.seconds);
// Small envelopes fill the service long before the machine: the load and the refusals must not take its CPU.
const small = { ENVELOPE_MAX: '2', ENVELOPES_IN_FLIGHT: '2', BATCH_MAX: '4' };
const callers = 3000;

const stack = await startBenchStack();
const site = await startSite(stack, { ...ways.ours, env: small }, 'bench_overload');
const load = { ...site, warmUpSeconds: 2, seconds, next: mixed(spread) };
await runLoad({ ...load, callers: 32 });
const full = await runLoad({ ...load, callers: 64 });
const flooded = await runLoad({ ...load, callers, pacePerSecond: 3 * full.rate });
// Measured before and after, because a shared machine varies in speed.
const fullAfter = await runLoad({ ...load, callers: 64 });
const capacity = (full.rate + fullAfter.rate) / 2;
await site.stop();

const redisUrl = new URL(stack.redisUrl);
const network = await startProxy(Number(redisUrl.port));
redisUrl.port = String(network.port);
const away = await startSite(stack, { ...ways.ours, env: { REDIS_URL: redisUrl.href } }, 'bench_away');
const withoutRedis = { closed: await refusals('cut'), hung: await refusals('stalled') };
network.setState('open');
await away.stop();
network.close();
await stack.stop();

/**
 * The answers to writes while the path to Redis is in this state, from its first moment on, and the errors of
 * reads meanwhile.
 */
async function refusals(state: 'cut' | 'stalled') {
  network.setState('open');
  await runLoad({ ...away, callers: 8, seconds: 1, warmUpSeconds: 2, next: receive(spread) });
  network.setState(state);
  let stopped = false;
  const reads = (async () => {
    const seen = { count: 0, errors: 0 };
    while (!stopped) {
      const answer = await fetch(`${away.origin}/api/v1/Inventory`, {
        headers: { authorization: `Bearer ${away.token}` },
      });
      await answer.arrayBuffer();
      seen.count += 1;
      if (answer.status !== 200) seen.errors += 1;
    }
    return seen;
  })();
  const writes = await runLoad({ ...away, callers: 8, seconds: 3, warmUpSeconds: 0, next: receive(spread) });
  stopped = true;
  return { writes, reads: await reads };
}

const { unavailable } = flooded;
const ratio = flooded.rate / capacity;
const marks: Mark[] = [
  ['goodput / capacity', ratio.toFixed(2), '>= 0.9', ratio >= 0.9],
  ['p99 of what was taken, ms', flooded.p99Ms.toFixed(0), '<= 1000', flooded.p99Ms <= 1000],
  ['p50 of the refusals, ms', unavailable.p50Ms.toFixed(1), '<= 20', unavailable.p50Ms <= 20],
  ...Object.entries(withoutRedis).flatMap(([name, { writes, reads }]): Mark[] => {
    const markMs = name === 'closed' ? 100 : 1200;
    const { maxMs } = writes.unavailable;
    return [
      [`Redis ${name}: slowest refusal of a write, ms`, maxMs.toFixed(0), `<= ${markMs}`, maxMs <= markMs],
      [`Redis ${name}: failed reads, of ${reads.count}`, String(reads.errors), '0', reads.errors === 0],
    ];
  }),
];
const text = [
  `Mixed requests for ${seconds} s, three times what the service can do, from ${callers} callers. Envelopes of two and ` +
    'batches of four make the service full before the machine, which also runs the load and the refusals. ' +
    `Capacity ${full.rate.toFixed(0)}/s before and ${fullAfter.rate.toFixed(0)}/s after, p99 ${full.p99Ms.toFixed(0)} ms; under the flood ${flooded.rate.toFixed(0)}/s applied, ` +
    `p50 ${flooded.p50Ms.toFixed(0)} ms; ${unavailable.count} refused with 503, p99 ${unavailable.p99Ms.toFixed(0)} ms; ` +
    `${flooded.errors - unavailable.count} other errors.`,
  marksTable(marks),
].join('\n\n');
console.log(`\n${text}`);
if (!values.dry) await writeSection('overload', `\`pnpm bench overload --seconds ${seconds}\``, text);
