import type { Callers } from './callers.ts';
import type { Cluster } from './cluster.ts';

/** The parts that a fault works on. */
export type Scene = {
  cluster: Cluster;
  callers: Callers;
  random: () => number;
  now: () => number;
  /** Reports a broken promise that only the fault itself can see. */
  report(problem: string): void;
};

/** One way to break the running service. */
export type Fault = {
  name: string;
  /** Whether writes may get a 5xx or lose their connection. */
  hurts: boolean;
  /** Whether reads may, too. */
  hurtsReads?: boolean;
  /** Whether an api may be unable to reach Postgres, so that the outcome of a request is unknown. */
  hidesDatabase?: boolean;
  /**
   * Whether answers to an api's statements may be lost. A write of an item has no id to look up, so its
   * outcome may then be unknown.
   */
  losesAnswers?: boolean;
  /** Whether an api freezes and answers nobody meanwhile. */
  stopsApi?: boolean;
  /** Whether a process that starts meanwhile may fail to start. */
  hindersStart?: boolean;
  /** How long the harm lasts after the strike. Default: 0. */
  healsWithinMs?: number;
  /** How soon the service must be back, if that is not as soon as after other faults. */
  backWithinMs?: number;
  /** How long it is watched after the strike, if longer than other faults. */
  watchMs?: number;
  /** Creates the stock that it needs, before the callers start. */
  prepare?(cluster: Cluster, rounds: number): Promise<void>;
  strike(scene: Scene): Promise<void>;
};
