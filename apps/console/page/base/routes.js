/** The view that the address names: `#/lots?search=A` is `{ view: 'lots', id: '', query: { search: 'A' } }`. */
export function readRoute() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [view = '', ...id] = path.split('/').map(decode);
  return { view, id: id.join('/'), query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a view, for links. */
export function addressOf(view, id = '', query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== '' && value !== undefined);
  const text = new URLSearchParams(given).toString();
  return `#/${view}${id === '' ? '' : `/${encodeURIComponent(id)}`}${text === '' ? '' : `?${text}`}`;
}

export function go(view, id, query) {
  location.hash = addressOf(view, id, query);
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
