/** The view that the address names: `#/lots?search=A` is `{ view: 'lots', key: '', query: { search: 'A' } }`. */
export function readRoute() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [view = '', ...key] = path.split('/').map(decode);
  return { view, key: key.join('/'), query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a view, for links. */
export function addressOf(view, key = '', query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== '' && value !== undefined);
  const text = new URLSearchParams(given).toString();
  return `#/${view}${key === '' ? '' : `/${encodeURIComponent(key)}`}${text === '' ? '' : `?${text}`}`;
}

export function go(view, key, query) {
  location.hash = addressOf(view, key, query);
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
