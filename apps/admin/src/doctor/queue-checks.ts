import type { Part, QueueHealth } from '@inventory/queue/health';
import { fail, ok, type Question, unknown, warn } from './check.ts';

/** What was seen of the queues, and QUEUE_SHARDS where it is set. */
export type Seen = { health: QueueHealth; shardsSet: number | null };

// An api has a few envelopes under way at once and refuses what would wait for long.
const waitingMany = 100;
const waitingTooMany = 1000;

const startWorker = 'start a worker with this REDIS_URL, QUEUE_PREFIX and QUEUE_SHARDS';

function countOf(health: QueueHealth, kind: Part['kind'], shard: number): number {
  return health.parts.filter((part) => part.kind === kind && part.shard === shard).length;
}

function shardName(seen: Seen, shard: number): string {
  return seen.health.shards.length > 1 ? ` of shard ${shard}` : '';
}

const describeStill = ({ kind, address, idleSeconds }: Part) =>
  `the ${kind} at ${address} has asked for nothing for ${idleSeconds} s`;

export const queueChecks: Question<Seen>[] = [
  {
    id: 'workers',
    wanted: 'every worker asks for work, and every queue finishes what comes',
    look: async (seen) => judgeWorkers(seen),
  },
  {
    id: 'apis',
    wanted: 'at least one api, and each hears what becomes of its work',
    async look({ health }) {
      const apis = health.parts.filter(({ kind }) => kind === 'api');
      if (apis.length === 0) return warn('no api is connected to this Redis', 'start an api');
      const still = apis.filter(({ asked }) => !asked);
      if (still.length === 0) return ok(`${apis.length} connected`);
      return warn(
        `${still.map(describeStill).join('; ')}: it stands still or its network swallows packets`,
        'look at that process and its log; end it, and what supervises it starts it anew',
      );
    },
  },
  {
    id: 'queue',
    wanted: `fewer than ${waitingMany} envelopes that wait`,
    async look(seen) {
      const { shards } = seen.health;
      const waiting = shards.reduce((sum, shard) => sum + shard.waiting, 0);
      const found = `${waiting} envelopes wait`;
      const stuck = shards.filter((shard) => shard.waiting > 0 && !shard.finished);
      if (stuck.length > 0) {
        return fail(
          `${found} and none was finished in ${Math.round(seen.health.watchedMs / 1000)} s${stuck.map(({ shard }) => shardName(seen, shard)).join(',')}`,
          'see the check `workers`, and the log of the workers for what they cannot apply',
        );
      }
      if (waiting < waitingMany) return ok(found);
      const remedy = 'start more workers, or see what slows Postgres';
      return waiting < waitingTooMany ? warn(found, remedy) : fail(`the queue is full: ${found}`, remedy);
    },
  },
  {
    id: 'shards',
    wanted: 'the same QUEUE_SHARDS for every api and worker',
    look: async (seen) => judgeShards(seen),
  },
];

function judgeWorkers(seen: Seen) {
  const { health } = seen;
  const workers = health.parts.filter(({ kind }) => kind === 'worker');
  if (workers.length === 0) return fail('no worker is connected to this Redis', startWorker);
  const still = workers.filter(({ asked }) => !asked);
  const stillText = still.map(describeStill).join('; ');
  const remedy =
    'it is stopped or stands still: look at that process and its log; end it, and what supervises it starts it anew';
  const unserved = health.shards.filter(
    ({ shard }) => !workers.some((part) => part.shard === shard && part.asked),
  );
  if (unserved.length > 0) {
    const where = unserved.map(({ shard }) => shardName(seen, shard)).join(',');
    return fail(
      `no worker takes work${where}${stillText === '' ? '' : `: ${stillText}`}`,
      still.length > 0 ? remedy : startWorker,
    );
  }
  if (still.length > 0) return warn(stillText, remedy);
  const idle = health.shards.filter(({ finished }) => !finished);
  if (idle.length > 0) {
    return fail(
      `workers ask for work${idle.map(({ shard }) => shardName(seen, shard)).join(',')}, and none was finished in ${Math.round(health.watchedMs / 1000)} s`,
      'see `memory`, and the log of the workers',
    );
  }
  return ok(
    `${Math.max(...health.shards.map(({ shard }) => countOf(health, 'worker', shard)))} connected, all take work`,
  );
}

function judgeShards({ health, shardsSet }: Seen) {
  const workers = health.parts.flatMap(({ shard }) => shard ?? []);
  if (workers.length === 0) return unknown('no worker is connected to this Redis');
  const counts = Array.from(
    { length: 1 + Math.max(...workers) },
    (_, shard) => workers.filter((each) => each === shard).length,
  );
  const found = `${counts.length === 1 ? '1 queue' : `${counts.length} queues`} (workers ${counts.join(' + ')})`;
  const remedy = 'set QUEUE_SHARDS alike for all of them and start them anew, the workers first';
  if (new Set(counts).size !== 1) return fail(`they do not agree: ${found}`, remedy);
  if (shardsSet !== null && shardsSet !== counts.length)
    return fail(`QUEUE_SHARDS is ${shardsSet} here, and ${found} in use`, remedy);
  return ok(found);
}
