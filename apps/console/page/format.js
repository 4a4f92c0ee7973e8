const moments = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const momentsOfYears = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** A moment in the zone of this device, with the year if it is another. */
export function moment(text) {
  if (text === null || text === undefined) return '';
  const at = new Date(text);
  return (at.getFullYear() === new Date().getFullYear() ? moments : momentsOfYears).format(at);
}

/** An expiry, which is a day everywhere. */
export const day = (text) => (text === null || text === undefined ? '' : days.format(new Date(text)));
/** With its sign. */
export const signed = (units) => (String(units).startsWith('-') ? `−${String(units).slice(1)}` : `+${units}`);

/** An amount as people write it, for the service; null if it is none. */
export function amountOf(text) {
  const plain = text.trim().replace(',', '.');
  return /^\d+(\.\d+)?$/.test(plain) ? plain.replace(/^0+(?=\d)/, '') : null;
}
