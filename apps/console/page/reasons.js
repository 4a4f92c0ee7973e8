import { keep, recall } from './device-store.js';

/** The reason that was given last for this operation on this device, as text. */
export const recallReason = async (op) => (await recall(`reason/${op}`)) ?? '';
export const keepReason = (op, reason) => keep(`reason/${op}`, String(reason));
