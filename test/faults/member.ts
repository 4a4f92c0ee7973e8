import { setTimeout as pause } from 'node:timers/promises';
import type { Exit, Started } from '../harness/service/processes.ts';

export type Role = 'api' | 'worker';

/** A process of the service. It is restarted whenever it ends. */
export type Member = {
  name: string;
  role: Role;
  current: Started;
  /** The port of the current process; 0 while none listens. */
  port: number;
  isUp: boolean;
  kill(signal: NodeJS.Signals): void;
  /** Restarts it with a clock that is off by this much, and waits until it is up. */
  restart(clockShiftMs: number): Promise<void>;
  /** Stops it for good. */
  end(): Promise<void>;
};

/** An exit that the run did not cause, or a bad exit after the process was told to stop. */
export type BadEnd = { name: string; at: number; what: string; lastWords: string };

/** A failed start, which is retried. Expected while a server is broken. */
export type FailedStart = { name: string; from: number; until: number; why: string };

export type MemberEvents = {
  now: () => number;
  badEnds: BadEnd[];
  failedStarts: FailedStart[];
};

// A process gives itself 20 s for an orderly exit.
const endWithinMs = 25_000;

/** Starts a process, restarts it whenever it ends, and notes each unexpected exit. */
export async function startMember(
  name: string,
  role: Role,
  start: (clockShiftMs: number) => Promise<Started>,
  { now, badEnds, failedStarts }: MemberEvents,
): Promise<Member> {
  let ending = false;
  let restarting: Promise<void> = Promise.resolve();
  let told: NodeJS.Signals | null = null;
  let clockShiftMs = 0;
  let incarnation = 0;

  const member: Member = {
    name,
    role,
    current: await start(0),
    port: 0,
    isUp: false,
    kill(signal) {
      // A draining api gets no new callers, as behind a load balancer.
      if (signal === 'SIGTERM') member.port = 0;
      if (signal === 'SIGTERM' || signal === 'SIGKILL') told = signal;
      member.current.child.kill(signal);
    },
    async restart(shiftMs) {
      const before = incarnation;
      clockShiftMs = shiftMs;
      member.kill('SIGTERM');
      while (incarnation === before) await pause(20);
    },
    async end() {
      ending = true;
      // A process that is just starting would outlive this run.
      await restarting;
      if (!member.isUp) return;
      member.current.child.kill('SIGCONT');
      member.kill('SIGTERM');
      const late = setTimeout(() => member.current.child.kill('SIGKILL'), endWithinMs);
      await member.current.exited;
      clearTimeout(late);
    },
  };

  function follow(started: Started) {
    incarnation += 1;
    told = null;
    Object.assign(member, { current: started, port: started.port, isUp: true });
    started.exited.then((exit) => {
      Object.assign(member, { port: 0, isUp: false });
      const what = judge(exit, told);
      if (what !== null) badEnds.push({ name, at: now(), what, lastWords: exit.lastWords });
      if (!ending) restarting = startAgain();
    });
  }

  async function startAgain() {
    while (!ending) {
      const from = now();
      try {
        follow(await start(clockShiftMs));
        return;
      } catch (error) {
        failedStarts.push({ name, from, until: now(), why: String(error) });
        await pause(200);
      }
    }
  }
  follow(member.current);
  return member;
}

/** The fault of an exit, or null. */
function judge({ code, signal }: Exit, told: NodeJS.Signals | null): string | null {
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  if (told === null) return `ended by itself, ${how}`;
  if (told === 'SIGKILL') return signal === 'SIGKILL' ? null : `ended by itself before it was killed, ${how}`;
  return code === 0 ? null : `was told to stop and ended with ${how}`;
}
