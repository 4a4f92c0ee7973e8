import type { Fault } from './fault.ts';
import { loadFaults } from './load-faults.ts';
import { networkFaults } from './network-faults.ts';
import { processFaults } from './process-faults.ts';
import { sentinelFaults, serverFaults } from './server-faults.ts';
import { standbyFaults } from './standby-faults.ts';

/** Every fault; a run strikes each once before any comes again. */
export const faults: readonly Fault[] = [...processFaults, ...serverFaults, ...networkFaults, ...loadFaults];

/** The same for servers that Sentinels watch. */
export const faultsOnSentinels: readonly Fault[] = [...faults, ...sentinelFaults];

/** Those for a Postgres with a synchronous standby: nobody starts its servers again but the fault. */
export const faultsOnStandby: readonly Fault[] = [...processFaults, ...networkFaults, ...standbyFaults];
