const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** A moment in the zone of this device. */
export const moment = (text) => (text === null || text === undefined ? '' : moments.format(new Date(text)));
/** An expiry, which is a day everywhere. */
export const day = (text) => (text === null || text === undefined ? '' : days.format(new Date(text)));
/** With its sign. */
export const signed = (units) => (String(units).startsWith('-') ? `−${String(units).slice(1)}` : `+${units}`);

/** An amount as people write it, for the service; null if it is none. */
export function amountOf(text) {
  const plain = text.trim().replace(',', '.');
  return /^\d+(\.\d+)?$/.test(plain) ? plain.replace(/^0+(?=\d)/, '') : null;
}
