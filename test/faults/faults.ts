import type { Fault } from './fault.ts';
import { loadFaults } from './load-faults.ts';
import { networkFaults } from './network-faults.ts';
import { processFaults } from './process-faults.ts';
import { serverFaults } from './server-faults.ts';

/** Every fault; a run strikes each once before any comes again. */
export const faults: readonly Fault[] = [...processFaults, ...serverFaults, ...networkFaults, ...loadFaults];
