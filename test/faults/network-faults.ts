import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import type { Fault } from './fault.ts';

type Stretch = keyof Cluster['proxies'];
const stretches = ['api-redis', 'worker-redis', 'api-postgres', 'worker-postgres'] as const;

function breaking(state: 'stalled' | 'cut', stretch: Stretch): Fault {
  return {
    name: `${stretch} ${state}`,
    hurts: true,
    hurtsReads: stretch === 'api-postgres',
    hidesDatabase: stretch === 'api-postgres',
    hindersStart: true,
    async strike({ cluster, random }) {
      cluster.proxies[stretch].setState(state);
      await pause(300 + random() * (state === 'cut' ? 700 : 2700));
      cluster.proxies[stretch].setState('open');
    },
  };
}

// The promise: back within 5 s of silence.
const silenceMs = 5000;

/** Every open connection on this path dies silently; new ones work. */
function blackHole(stretch: Stretch): Fault {
  return {
    name: `${stretch} black hole`,
    hurts: true,
    hurtsReads: stretch === 'api-postgres',
    hidesDatabase: stretch === 'api-postgres',
    hindersStart: true,
    healsWithinMs: silenceMs,
    // Also watches that nobody is hurt once the silence is over.
    watchMs: silenceMs + 2000,
    async strike({ cluster }) {
      cluster.proxies[stretch].setState('black hole');
    },
  };
}

/** Each path between a kind of process and a server, broken in each way that networks break. */
export const networkFaults: readonly Fault[] = [
  ...stretches.map((stretch) => breaking('stalled', stretch)),
  ...stretches.map((stretch) => breaking('cut', stretch)),
  ...stretches.map(blackHole),
];
