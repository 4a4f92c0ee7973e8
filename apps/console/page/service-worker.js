// The service puts the list before this text: const kept = { version, paths }.
// It keeps the page itself, all files of one version together, and never an answer of the API.
const cacheName = `console-${kept.version}`;
const home = new URL('./', self.location).href;
const addresses = new Set(kept.paths.map((path) => new URL(path, home).href));

self.addEventListener('install', (event) => {
  const fetched = [...addresses].map((address) => new Request(address, { cache: 'no-cache' }));
  event.waitUntil(
    caches
      .open(cacheName)
      .then((cache) => cache.addAll(fetched))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  const others = (name) => name.startsWith('console-') && name !== cacheName;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(others).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const address = event.request.url.split(/[?#]/)[0];
  if (event.request.method !== 'GET' || !addresses.has(address)) return;
  event.respondWith(caches.match(address, { cacheName }).then((found) => found ?? fetch(event.request)));
});
