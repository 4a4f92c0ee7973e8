import { state } from '../base/state.js';
import { transactionsAfter } from './transactions-after.js';

const transactionsMax = 50;
const lotsMax = 100;
const dayMs = 86_400_000;
// Where more lots expire than are read, those that expire first are asked for.
const horizonsDays = [30, 7, 0];

/** This client's transactions since this moment: `{ since, total, transactions }`, the newest first. */
export async function readToday(since) {
  const { client, me } = state.session;
  const asked = { clientId: me.clientId, startDate: since, pageSize: transactionsMax };
  const { value, totalCount } = await client.transactions(asked).page();
  return { since, total: totalCount, transactions: value };
}

/** The same after a change; undefined if it must be read again. */
export function todayAfter({ since, total, transactions }, change) {
  // A hold is told without its transaction.
  if (change.type === 'hold') return undefined;
  const { clientId } = state.session.me;
  const isMeant = (each) => each.clientId === clientId && each.at >= since;
  const now = transactionsAfter(transactions, change, isMeant);
  return { since, total: total + now.length - transactions.length, transactions: now };
}

/** The lots in stock that expire soon: `{ before, days, isWhole, lots }`, the first to expire first. */
export async function readExpiring() {
  const { client } = state.session;
  let found;
  for (const days of horizonsDays) {
    const before = new Date(Date.now() + days * dayMs).toISOString();
    const asked = { inStock: true, expiresBefore: before, view: 'full', pageSize: lotsMax };
    const { value, hasMore } = await client.lots(asked).page();
    found = { before, days, isWhole: !hasMore, lots: value.sort(byExpiry) };
    if (!hasMore) break;
  }
  return found;
}

/** The same after a change; undefined if it must be read again. */
export function expiringAfter(known, change) {
  const { before, isWhole, lots } = known;
  const shown = new Map(lots.map((lot) => [lot.recNo, lot]));
  const isMeant = ({ recNo, expires }) => shown.has(recNo) || (expires && expires < before);
  const changed = (change.type === 'hold' ? [change] : (change.lots ?? [])).filter(isMeant);
  if (changed.length === 0) return known;
  if (!isWhole) return undefined;
  for (const lot of changed)
    if (lot.active) shown.set(lot.recNo, lot);
    else shown.delete(lot.recNo);
  return { ...known, lots: [...shown.values()].sort(byExpiry) };
}

const byExpiry = (one, other) =>
  Date.parse(one.expires) - Date.parse(other.expires) || one.recNo - other.recNo;
