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
      if (health.hidden !== null) return unseen(health);
      const apis = health.parts.filter(({ kind }) => kind === 'api');
      if (apis.length === 0) return warn('no api is connected to this Redis', 'start an api');
      const still = apis.filter(({ asked }) => !asked);
      if (still.length === 0)
        return ok(
          `${Math.max(...health.shards.map(({ shard }) => countOf(health, 'api', shard)))} connected`,
        );
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

// As services that others run may refuse it.
const unseen = ({ hidden }: QueueHealth) => unknown(`Redis does not say who is connected (${hidden})`);

function judgeWorkers(seen: Seen) {
  const { health } = seen;
  if (health.hidden !== null) {
    const works = health.shards.every(({ finished }) => finished);
    return works ? ok(`every queue finishes envelopes; ${unseen(health).found}`) : unseen(health);
  }
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
  const { parts } = health;
  if (health.hidden !== null) return unseen(health);
  if (parts.length === 0) return unknown('neither an api nor a worker is connected to this Redis');
  const count = 1 + Math.max(...parts.map(({ shard }) => shard));
  const describe = (kind: Part['kind']) => {
    const counts = Array.from({ length: count }, (_, shard) => countOf(health, kind, shard));
    return { counts, agree: new Set(counts).size === 1, text: `${kind}s ${counts.join(' + ')}` };
  };
  const kinds = [describe('api'), describe('worker')].filter(({ counts }) => counts.some((each) => each > 0));
  const found = `${count === 1 ? '1 queue' : `${count} queues`} (${kinds.map(({ text }) => text).join(', ')})`;
  const remedy = 'set QUEUE_SHARDS alike for all of them and start them anew, the workers first';
  if (kinds.some(({ agree }) => !agree)) return fail(`they do not agree: ${found}`, remedy);
  if (shardsSet !== null && shardsSet !== count)
    return fail(`QUEUE_SHARDS is ${shardsSet} here, and ${found} in use`, remedy);
  return ok(found);
}
