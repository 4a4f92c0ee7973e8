import { patiently } from '../base/limit.js';

// A list of lots or levels does not tell the unit of measure, the catalog does. Of a larger one, only what a
// search has found is known: to read it whole would take too many of the calls that this client may make.
const itemsMax = 1000;
const pageSize = 250;

const known = new Map();
let readFor = null;

/** The unit of measure of an item's record; empty if it is not known. */
export const unitOf = ({ uOM, partNo }) => uOM ?? known.get(partNo) ?? '';

export function learnUnits(items) {
  for (const { partNo, uOM } of items) known.set(partNo, uOM);
}

/** Reads the unit of this record's item, unless it is known. Without it, the page says "units". */
export async function readUnit(client, { partNo }) {
  if (known.has(partNo)) return;
  const item = await client.item(partNo).catch(() => null);
  if (item !== null) learnUnits([item]);
}

/** Reads the units of a small catalog, once for each client. */
export async function readUnits(client) {
  if (readFor === client) return;
  readFor = client;
  const list = client.items({ all: true, pageSize });
  try {
    for (let page = 1, hasMore = true; hasMore; page++) {
      const answer = await patiently(() => list.page(page));
      learnUnits(answer.value);
      hasMore = answer.hasMore && answer.totalCount <= itemsMax;
    }
  } catch (error) {
    // The next table asks again.
    readFor = null;
    throw error;
  }
}
