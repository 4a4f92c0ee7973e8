// What this device keeps, in IndexedDB: its name, the last client ID, the last reasons; the secret only if asked to.
const opened = new Promise((resolve, reject) => {
  const request = indexedDB.open('inventory-console', 1);
  request.onupgradeneeded = () => request.result.createObjectStore('kept');
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

async function run(mode, ask) {
  const tx = (await opened).transaction('kept', mode);
  const request = ask(tx.objectStore('kept'));
  return new Promise((resolve, reject) => {
    tx.oncomplete = () => resolve(request.result);
    tx.onabort = () => reject(tx.error);
  });
}

/** The value of this name; undefined if there is none. */
export const recall = (name) => run('readonly', (kept) => kept.get(name));
export const keep = (name, value) => run('readwrite', (kept) => kept.put(value, name));
export const forget = (name) => run('readwrite', (kept) => kept.delete(name));
