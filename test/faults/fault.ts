import type { Callers } from './callers.ts';
import type { Cluster } from './cluster.ts';

/** The parts that a fault works upon. */
export type Scene = {
  cluster: Cluster;
  callers: Callers;
  random: () => number;
  now: () => number;
  /** Says that a promise was broken which only the fault itself can see. */
  report(problem: string): void;
};

/** One way of breaking the running service. */
export type Fault = {
  name: string;
  /** Whether callers who write may be answered 5xx or lose their connection. */
  hurts: boolean;
  /** Whether those who read may be, too. */
  hurtsReads?: boolean;
  /** Whether an api may find Postgres out of reach, so that it cannot say what became of a request. */
  hidesDatabase?: boolean;
  /**
   * Whether the answers of an api's statements may be lost: a write of an item, which has no id to ask for,
   * may be left in doubt.
   */
  losesAnswers?: boolean;
  /** Whether an api stands still, and answers nobody meanwhile. */
  stopsApi?: boolean;
  /** Whether a process that starts meanwhile may fail to. */
  hindersStart?: boolean;
  /** How long its harm goes on after the strike; 0 unless given. */
  healsWithinMs?: number;
  /** How long it is watched after the strike, when longer than any other. */
  watchMs?: number;
  /** The stock it needs before anybody calls. */
  prepare?(cluster: Cluster, rounds: number): Promise<void>;
  strike(scene: Scene): Promise<void>;
};

export const pause = (timeMs: number) => new Promise<void>((resolve) => setTimeout(resolve, timeMs));
