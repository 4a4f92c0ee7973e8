// The service puts the list before this text: const kept = { version, paths }.
// It keeps the page itself, all files of one version together, and never an answer of the API.
const nameOf = (version) => `console-${version}`;
const cacheName = nameOf(kept.version);
const home = new URL('./', self.location).href;
const addresses = new Set(kept.paths.map((path) => new URL(path, home).href));
// While two versions are being deployed behind one address, the next try may reach the other one.
const triesMax = 30;
const betweenMs = 500;

self.addEventListener('install', (event) => {
  event.waitUntil(keepAll().then(() => self.skipWaiting()));
});

/** Fetches each file by the version that names it: the service refuses it where it is another one. */
async function keepAll() {
  const cache = await caches.open(cacheName);
  await Promise.all(
    [...addresses].map(async (address) => {
      for (let tries = 1; ; tries++) {
        const answer = await fetch(`${address}?v=${kept.version}`, { cache: 'no-cache' });
        if (answer.ok) return cache.put(address, answer);
        if (tries === triesMax) throw new Error(`${address}: ${answer.status}`);
        await new Promise((resolve) => setTimeout(resolve, betweenMs));
      }
    }),
  );
}

self.addEventListener('activate', (event) => {
  const others = (name) => name.startsWith(nameOf('')) && name !== cacheName;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(others).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const { origin, pathname, searchParams } = new URL(event.request.url);
  const address = origin + pathname;
  if (event.request.method !== 'GET' || !addresses.has(address)) return;
  // A page of another version is still open.
  if ((searchParams.get('v') ?? kept.version) !== kept.version) return;
  event.respondWith(caches.match(address, { cacheName }).then((found) => found ?? fetch(event.request)));
});
