import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writtenFiles } from './written.ts';

for (const [file, text] of Object.entries(writtenFiles())) {
  writeFileSync(join(import.meta.dirname, '..', file), text);
}
