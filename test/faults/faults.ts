import type { Fault } from './fault.ts';
import { loadFaults } from './load-faults.ts';
import { networkFaults } from './network-faults.ts';
import { processFaults } from './process-faults.ts';
import { sentinelFaults, serverFaults } from './server-faults.ts';
import { standbyFaults } from './standby-faults.ts';

/** All faults. A run strikes each once before it strikes any again. */
export const faults: readonly Fault[] = [...processFaults, ...serverFaults, ...networkFaults, ...loadFaults];

/** The faults for a Redis that Sentinels watch. */
export const faultsOnSentinels: readonly Fault[] = [...faults, ...sentinelFaults];

/** The faults for a Postgres with a synchronous standby. Only `standbyFaults` starts its servers again. */
export const faultsOnStandby: readonly Fault[] = [...processFaults, ...networkFaults, ...standbyFaults];
