import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import type { Fault } from './fault.ts';
import type { Member } from './member.ts';
import { pickOne } from './random.ts';

function killing(name: string, members: (cluster: Cluster) => Member[]): Fault {
  return {
    name,
    hurts: true,
    async strike({ cluster, random }) {
      const up = members(cluster).filter(({ isUp }) => isUp);
      if (up.length === 0) return;
      const member = pickOne(random, up);
      const { exited } = member.current;
      member.kill('SIGKILL');
      await exited;
    },
  };
}

function freezing(name: string, members: (cluster: Cluster) => Member[]): Fault {
  return {
    name,
    hurts: true,
    stopsApi: name.startsWith('api'),
    async strike({ cluster, random }) {
      const { child } = pickOne(random, members(cluster)).current;
      child.kill('SIGSTOP');
      await pause(500 + random() * 2500);
      child.kill('SIGCONT');
    },
  };
}

/**
 * Kills each api once while the others serve. With so few requests under way, a single kill might hit none of
 * them midway.
 */
const killingApis: Fault = {
  name: 'api kill -9',
  hurts: true,
  hurtsReads: true,
  async strike({ cluster: { apis } }) {
    for (const api of apis) {
      while (!apis.every(({ isUp }) => isUp)) await pause(20);
      await pause(500);
      const { exited } = api.current;
      api.kill('SIGKILL');
      // A busy machine may take a while to end it; until then it still accepts connections.
      await exited;
    }
  },
};

/** A deploy: restarts every process, one after the other. */
const rolling: Fault = {
  name: 'rolling SIGTERM',
  hurts: false,
  async strike({ cluster }) {
    for (const member of cluster.members) await member.restart(0);
  },
};

const shiftMs = 30_000;

/** One api and one worker 30 s ahead, one of each 30 s behind, and one worker in step with Postgres. */
const clocksApart: Fault = {
  name: 'clock shift',
  hurts: false,
  async strike({ cluster: { apis, workers } }) {
    await Promise.all([apis[0]!.restart(shiftMs), workers[0]!.restart(-shiftMs)]);
    await Promise.all([apis[1]!.restart(-shiftMs), workers[1]!.restart(shiftMs)]);
    await pause(2000);
    await Promise.all([apis[0]!.restart(0), workers[0]!.restart(0)]);
    await Promise.all([apis[1]!.restart(0), workers[1]!.restart(0)]);
  },
};

/** Kills everything if the service has not recovered from a fault, so that the run can go on. */
export const killingAll: Fault = {
  name: '(killed, to go on)',
  hurts: true,
  hurtsReads: true,
  async strike({ cluster }) {
    for (const member of cluster.members) member.kill('SIGKILL');
  },
};

/** Processes that are killed, frozen or deployed, or that have wrong clocks. */
export const processFaults: readonly Fault[] = [
  killing('worker kill -9', ({ workers }) => workers),
  killingApis,
  freezing('worker frozen', ({ workers }) => workers),
  freezing('api frozen', ({ apis }) => apis),
  rolling,
  clocksApart,
];
