import { keep, recall } from '../base/device-store.js';

const keptMax = 8;

/** The spots that were used last on this device, the last one first: `{ wID, spot }`. */
export const recallSpots = async () => (await recall('spots')) ?? [];

/** Notes that a spot was used. */
export async function keepSpot(wID, spot) {
  const others = (await recallSpots()).filter((each) => each.wID !== wID || each.spot !== spot);
  await keep('spots', [{ wID, spot }, ...others].slice(0, keptMax));
}
