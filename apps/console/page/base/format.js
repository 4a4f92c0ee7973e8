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

const times = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
/** A moment of today in the zone of this device. */
export const time = (text) => times.format(new Date(text));

const weekdays = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
/** A day of this device, as people call it. */
export const dayOf = (date) => weekdays.format(date);

export const dayMs = 86_400_000;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
/** How soon an expiry is, such as `tomorrow`; null if it is over. */
export function daysUntil(expires) {
  const left = Date.parse(expires) - Date.now();
  return left < 0 ? null : relative.format(Math.floor(left / dayMs), 'day');
}

const shortDays = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
/** A day of UTC where the year is known. */
export const shortDay = (date) => shortDays.format(new Date(date));

/** An expiry, which is a day everywhere. */
export const day = (text) => (text === null || text === undefined ? '' : days.format(new Date(text)));
const kinds = {
  receive: 'received',
  move: 'moved',
  issue: 'issued',
  count: 'counted',
  reverse: 'undone',
  hold: 'held or released',
};
/** The effect of transactions of a kind, as people say it. */
export const kindWord = (kind) => kinds[kind] ?? kind;
/** The effect of a transaction. */
export const effectWord = ({ kind, hold }) => {
  if (!hold) return kindWord(kind);
  return hold.hold ? 'put on hold' : 'released';
};
export const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);
/** With its sign. */
export const signed = (units) => (String(units).startsWith('-') ? `−${String(units).slice(1)}` : `+${units}`);

/** An amount as people write it, for the service; null if it is none. */
export function amountOf(text) {
  const plain = text.trim().replace(',', '.');
  return /^\d+(\.\d+)?$/.test(plain) ? plain.replace(/^0+(?=\d)|\.?0+$(?<=\..*)/g, '') : null;
}

/**
 * The two amounts, with words for them, that a text may mean whose only separator has three digits behind it,
 * as `1,000`: thousands, and a fraction. null: it means one.
 */
export function meaningsOf(text) {
  const [, before, behind] = /^([1-9]\d{0,2})[.,](\d{3})$/.exec(text.trim()) ?? [];
  if (before === undefined) return null;
  const thousands = `${before}${behind}`;
  // With a separator, the words would mean two amounts again.
  return [
    { amount: thousands, words: thousands },
    { amount: `${before}.${behind}`, words: behind === '000' ? before : `${before} and ${behind}/1000` },
  ];
}
