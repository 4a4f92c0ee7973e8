import { readOptions } from '../harness/read-options.ts';
import { brokenRelations, readClocks, relations } from './clocks.ts';

readOptions('clocks', 'Prints the times that depend on each other, shortest first, and their relations.', {});
const clocks = readClocks().sort((one, other) => one.ms - other.ms);
for (const { name, ms, file, meaning } of clocks)
  console.log(`${String(ms).padStart(6)} ms  ${name.padEnd(30)} ${meaning}\n${' '.repeat(41)}${file}`);
const broken = brokenRelations(clocks);
console.log();
for (const relation of relations) console.log(`${broken.includes(relation) ? 'BROKEN  ' : ''}${relation}`);
process.exit(broken.length > 0 ? 1 : 0);
