// What this device keeps, in IndexedDB: its name, the last client ID, reasons with their names and the last
// ones; the secret only if asked to.
let opening = null;

function open() {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('inventory-console', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('kept');
    request.onsuccess = () => {
      // Browsers close connections, as when they run out of memory.
      request.result.onclose = forgetConnection;
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  }).catch((error) => {
    forgetConnection();
    throw error;
  });
  return opening;
}

function forgetConnection() {
  opening = null;
}

function transact(database, mode, ask) {
  return new Promise((resolve, reject) => {
    const tx = database.transaction('kept', mode);
    const request = ask(tx.objectStore('kept'));
    tx.oncomplete = () => resolve(request.result);
    tx.onabort = () => reject(tx.error);
  });
}

// Chromium forgets transactions that begin while it closes their connection: they never end, and a new
// connection works.
const silentMs = 8000;
const silent = 'The storage of this browser does not answer. Close the browser, and open it again.';
const silence = () => new Promise((_, reject) => setTimeout(reject, silentMs, new Error(silent)));

/**
 * Does it again over a new connection, once, if the browser has closed this one. Fails if the storage is
 * silent then, too: some browsers open none until they start again.
 */
async function run(mode, ask) {
  for (let isLast = false; ; isLast = true) {
    const current = open();
    try {
      return await Promise.race([current.then((database) => transact(database, mode, ask)), silence()]);
    } catch (error) {
      if (opening === current) forgetConnection();
      if (isLast) throw error;
    }
  }
}

/** The value of this name; undefined if there is none. */
export const recall = (name) => run('readonly', (kept) => kept.get(name));
export const keep = (name, value) => run('readwrite', (kept) => kept.put(value, name));
export const forget = (name) => run('readwrite', (kept) => kept.delete(name));
