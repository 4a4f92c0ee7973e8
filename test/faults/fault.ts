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
  /** Whether writing callers may get a 5xx or lose their connection. */
  hurts: boolean;
  /** Whether reading callers may, too. */
  hurtsReads?: boolean;
  /** Whether an api may find Postgres out of reach, so that the outcome of a request is unknown. */
  hidesDatabase?: boolean;
  /**
   * Whether the answers to an api's statements may be lost: a write of an item, which has no id to look up,
   * may be left in doubt.
   */
  losesAnswers?: boolean;
  /** Whether an api stands still, and answers nobody meanwhile. */
  stopsApi?: boolean;
  /** Whether a process that starts meanwhile may fail to. */
  hindersStart?: boolean;
  /** How long its harm goes on after the strike; 0 unless given. */
  healsWithinMs?: number;
  /** How long it is watched after the strike, if longer than the others. */
  watchMs?: number;
  /** Creates the stock it needs before the callers start. */
  prepare?(cluster: Cluster, rounds: number): Promise<void>;
  strike(scene: Scene): Promise<void>;
};
