import { state } from '../base/state.js';
import { reasonOf } from '../forms/carry-out.js';
import { can } from '../session/session.js';

const codeMax = 64;

/**
 * The code that an unknown scan may be taught as: of a GS1 label the number of its item alone. null: none,
 * or this client may not.
 */
export function teachable({ data, gs1 }) {
  const code = gs1 && gs1.form !== 'gtin' ? gs1.gtin : data.trim();
  return can('teach') && code && code.length <= codeMax ? code : null;
}

/** Whether a code is a number that trade gives to an item, rather than a name that people give. */
export const isTradeNumber = ({ gs1 }) => Boolean(gs1?.gtin);

/**
 * Teaches a code to an item. `units`: what one scan of it stands for, if a person said it. Returns null, or
 * why not, for people.
 */
export async function teach(code, { partNo, shortID }, units) {
  const path = { partNo, alias: code };
  try {
    const body = units === undefined ? undefined : { units: Number(units) };
    const { data } = await state.session.client.api.PUT('/Item/{partNo}/Aliases/{alias}', {
      params: { path },
      body,
    });
    // A service of an older version knows no units.
    const isStored = units === undefined || Number(data.units) === Number(units);
    return isStored ? null : `“${code}” is ${shortID} now, but its units were not stored. Try again later.`;
  } catch (error) {
    if (error.reason === 'nameTaken')
      return `“${code}” is ${await ownerOf(error)} already, and means that item.`;
    if (error.reason === 'tooManyAliases')
      return `${shortID} has as many other names as an item may have. Remove one of them first.`;
    return whyNot(error, 'Nothing was taught.');
  }
}

/** Makes an item. Returns `{ item }`, or `{ problem, name }`: why not, and the field that is wrong, if one is. */
export async function makeItem({ shortID, description, uOM }) {
  try {
    return { item: await state.session.client.createItem({ shortID, description, uOM }) };
  } catch (error) {
    const [name, faults] = Object.entries(error.details ?? {})[0] ?? [];
    if (name === 'shortID' && faults.some((fault) => fault.includes(' is taken')))
      return { name, problem: `There is an item, or another name of one, that is “${shortID}” already.` };
    if (error.outcome === 'unknown')
      return { problem: `The answer was lost, so “${shortID}” may have been made. Scan it to see.` };
    return { name, problem: whyNot(error, 'No item was made.') };
  }
}

async function ownerOf({ figures }) {
  const item = await state.session.client.item(Number(figures.partNo)).catch(() => null);
  return item === null ? 'the name of another item' : `a name of ${item.shortID}`;
}

function whyNot(error, otherwise) {
  return error.status === 0 ? `Offline: ${otherwise.toLowerCase()}` : `${reasonOf(error)} ${otherwise}`;
}
