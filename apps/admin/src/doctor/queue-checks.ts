import { adviceOf } from '@inventory/domain/operating/diagnoses';
import type { Part, QueueHealth } from '@inventory/queue/health';
import { fail, ok, type Question, unknown, warn } from './check.ts';

/** The state of the queues. */
export type Seen = { health: QueueHealth };

// An api has a few envelopes under way at once and refuses what would wait for long.
const waitingMany = 100;
const waitingTooMany = 1000;

/** A Redis that refuses work shows no worker, because none can report. */
const startWorker = ({ health }: Seen) =>
  adviceOf(health.lacksReplicas ? 'InventoryRedisUnwritable' : 'InventoryNoWorker');

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
      // In a Redis Cluster each has several connections.
      if (still.length === 0) return ok(`${new Set(apis.map((part) => part.process)).size} connected`);
      return warn(
        `${still.map(describeStill).join('; ')}: it stands still or its network swallows packets`,
        adviceOf('InventoryProcessSilent'),
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
          'see the checks `workers` and `writes`, and the log of the workers for what they cannot apply',
        );
      }
      if (waiting < waitingMany) return ok(found);
      const remedy = adviceOf('InventoryQueueFull');
      return waiting < waitingTooMany ? warn(found, remedy) : fail(`the queue is full: ${found}`, remedy);
    },
  },
  {
    id: 'shards',
    wanted: 'each queue in use is held by a worker',
    look: async (seen) => judgeShards(seen),
  },
];

// Managed services may refuse it.
const unseen = ({ hidden }: QueueHealth) => unknown(`Redis does not say who is connected (${hidden})`);

function judgeWorkers(seen: Seen) {
  const { health } = seen;
  if (health.hidden !== null) {
    const works = health.shards.every(({ finished }) => finished);
    return works ? ok(`every queue finishes envelopes; ${unseen(health).found}`) : unseen(health);
  }
  const workers = health.parts.filter(({ kind }) => kind === 'worker');
  if (workers.length === 0) return fail('no worker is connected to this Redis', startWorker(seen));
  // Each has several connections.
  const still = [
    ...new Map(workers.filter(({ asked }) => !asked).map((part) => [part.process, part])).values(),
  ];
  const stillText = still.map(describeStill).join('; ');
  const remedy = adviceOf('InventoryProcessSilent');
  const unserved = health.shards.filter(
    ({ shard }) => !workers.some((part) => part.shard === shard && part.asked),
  );
  if (unserved.length > 0) {
    const where = unserved.map(({ shard }) => shardName(seen, shard)).join(',');
    return fail(
      `no worker takes work${where}${stillText === '' ? '' : `: ${stillText}`}`,
      still.length > 0 ? remedy : startWorker(seen),
    );
  }
  if (still.length > 0) return warn(stillText, remedy);
  const idle = health.shards.filter(({ finished }) => !finished);
  if (idle.length > 0) {
    return fail(
      `workers ask for work${idle.map(({ shard }) => shardName(seen, shard)).join(',')}, and none was finished in ${Math.round(health.watchedMs / 1000)} s`,
      'see `writes`, `memory`, and the log of the workers',
    );
  }
  return ok(`${new Set(workers.map((part) => part.process)).size} connected, all take work`);
}

function judgeShards(seen: Seen) {
  const { health } = seen;
  const { seating, parts, hidden } = health;
  if (hidden === null && parts.length === 0)
    return unknown('no api and no worker is connected to this Redis');
  const { workers, shards } = seating;
  if (workers.length === 0) return unknown('no worker has reported: see `workers`');
  const inUse = shards.filter(({ isInUse }) => isInUse);
  const leaving = shards.length - inUse.length;
  const holding = new Set(shards.map(({ holder }) => holder));
  const idle = workers.filter((worker) => !holding.has(worker)).length;
  const found = [
    `${inUse.length === 1 ? '1 queue' : `${inUse.length} queues`} (${inUse.map(({ shard, holder }) => `${shard}: ${holder ?? 'nobody'}`).join(', ')})`,
    ...(leaving === 0 ? [] : [`${leaving} going out of use`]),
    ...(idle === 0 ? [] : [`${idle} of ${workers.length} workers wait for one to go`]),
  ].join('; ');
  if (inUse.some(({ holder }) => holder === null)) return fail(found, startWorker(seen));
  if (idle > 0) return warn(found, 'raise QUEUE_SHARDS of every worker: the smallest value counts');
  return ok(found);
}
