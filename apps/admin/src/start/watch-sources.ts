import { watch } from 'node:fs';
import { join } from 'node:path';
import { checkoutFolder } from '../checkout.ts';

// An editor writes a file in several steps, and a formatter saves many files.
const settleMs = 100;

/** Calls `onSave` after files of this app, or of a package, were saved, until the signal is aborted. */
export function watchSources(app: 'api' | 'worker', onSave: () => void, signal: AbortSignal): void {
  let timer: NodeJS.Timeout | undefined;
  for (const folder of [`apps/${app}/src`, 'packages']) {
    watch(join(checkoutFolder, folder), { recursive: true, signal }, (_event, file) => {
      if (file?.includes('node_modules')) return;
      clearTimeout(timer);
      timer = setTimeout(onSave, settleMs);
    });
  }
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
}
