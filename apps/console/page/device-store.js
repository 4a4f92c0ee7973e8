// What this device keeps, in IndexedDB: its name, the last client ID, the last reasons; the secret only if
// asked to.
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

async function begin(mode) {
  const begun = await open();
  try {
    return begun.transaction('kept', mode);
  } catch (error) {
    // Closed, and not told yet.
    if (error.name !== 'InvalidStateError') throw error;
    forgetConnection();
    return (await open()).transaction('kept', mode);
  }
}

async function run(mode, ask) {
  const tx = await begin(mode);
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
