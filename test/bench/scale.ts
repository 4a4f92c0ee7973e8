import { readOptions } from '../harness/read-options.ts';
import { mixed, one, receive, spread } from './requests.ts';
import { type SeveralResult, startSeveral } from './several.ts';
import { startBenchStack } from './site.ts';

// pnpm bench scale [--apis 1,2,4,8] [--workers 1] [--rate 1500]: the cost of a request with this many
// processes.
const values = readOptions(
  'bench scale',
  'Starts this many apis and workers, and prints the cost of a request in each part.',
  {
    apis: { value: 'numbers', default: '1,2,4,8', about: 'how many apis, one after the other' },
    workers: { value: 'numbers', default: '1', about: 'how many workers, one after the other' },
    asked: { value: 'number', about: 'how many of the apis are asked; the others stand by' },
    rate: { value: 'number', about: 'requests a second over all apis; as many as there can be otherwise' },
    callers: { value: 'number', default: '64', about: 'callers over all apis' },
    per: { value: 'number', about: 'callers for each worker instead' },
    load: { value: 'name', default: 'receive', about: 'receive, mixed, or one: receipts of one item' },
    turn: { value: 'number', default: '0', about: 'milliseconds that each turn with Postgres takes longer' },
    seconds: { value: 'number', default: '8', about: 'how long each is measured' },
    warm: { value: 'number', default: '4000', about: 'requests that each api has served before' },
    set: { value: 'settings', default: '', about: 'settings of the processes, NAME=value,NAME=value' },
    source: { value: 'folder', about: 'the service as it stands in another checkout' },
  },
);
const loads = { receive: receive(spread), mixed: mixed(spread), one: receive(one) };
const next = loads[values.load as keyof typeof loads];
const numbers = (text: string) => text.split(',').map(Number);
const env = Object.fromEntries(
  values.set
    .split(',')
    .filter((each) => each !== '')
    .map((each) => each.split('=') as [string, string]),
);
const pace = values.rate === undefined ? {} : { pacePerSecond: Number(values.rate) };
const asked = values.asked === undefined ? {} : { asked: Number(values.asked) };
const stack = await startBenchStack();
for (const apis of numbers(values.apis)) {
  for (const workers of numbers(values.workers)) {
    const callers = values.per === undefined ? Number(values.callers) : Number(values.per) * workers;
    const fleet = await startSeveral(stack, {
      name: `scale_${apis}_${workers}`,
      apis,
      workers,
      turnMs: Number(values.turn),
      env,
      ...(values.source === undefined ? {} : { source: values.source }),
    });
    for (let served = 0; served < Number(values.warm) * apis; ) {
      const { rate } = await fleet.run({ callers: Math.max(callers, 16 * apis), seconds: 1, next });
      served += Math.max(rate, 100);
    }
    const before = process.cpuUsage();
    const result = await fleet.run({ callers, seconds: Number(values.seconds), next, ...pace, ...asked });
    const { user, system } = process.cpuUsage(before);
    console.log(textOf(apis, workers, callers, result, (user + system) / 1e6 / Number(values.seconds)));
    await fleet.stop();
  }
}
await stack.stop();

function textOf(
  apis: number,
  workers: number,
  callers: number,
  result: SeveralResult,
  loadCores: number,
): string {
  const { rate, p50Ms, p99Ms, errors, cpu, bystanders } = result;
  const parts = cpu === null ? [] : [cpu.api, cpu.worker, cpu.postgres, cpu.redis];
  const sum = parts.reduce((total, each) => total + each, 0);
  return (
    `${apis} apis ${workers} workers ${callers} callers: ${rate.toFixed(0)}/s p50 ${p50Ms.toFixed(1)} ms p99 ${p99Ms.toFixed(1)} ms ` +
    `errors ${errors} cpu ${parts.map((each) => each.toFixed(0)).join(' + ')} = ${sum.toFixed(0)} us ` +
    `, of that apis that were not asked ${bystanders.toFixed(0)} ` +
    `(${((sum * rate) / 1e6).toFixed(2)} cores, the load ${loadCores.toFixed(2)})`
  );
}
