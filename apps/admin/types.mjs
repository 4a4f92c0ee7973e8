// Lets Node 20 run TypeScript as later ones do: with its types taken off, and nothing else changed. Loaded
// with `--import`.

import { register } from 'node:module';

if (!process.features.typescript) register('./strip-types.mjs', import.meta.url);
