import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const docs = join(import.meta.dirname, '../../docs');
const path = join(docs, 'benchmarks.md');
const titles = {
  write: 'Writing',
  sources: 'Before and after',
  batches: 'Batches',
  read: 'Reading',
  replica: 'Reading from a replica',
  soak: 'Memory',
  overload: 'Overload',
};

/** Replaces a section of docs/benchmarks.md; the others stay as they are. */
export async function writeSection(name: keyof typeof titles, command: string, text: string): Promise<void> {
  const begin = `<!-- ${name} -->`;
  const end = `<!-- /${name} -->`;
  const section = `${begin}\n## ${titles[name]}\n\n${wrapped(`Made by ${command}. ${text}`)}\n${end}`;
  const old = await readFile(path, 'utf8').catch(() => '# Benchmarks\n');
  const from = old.indexOf(begin);
  const to = old.indexOf(end);
  const changed =
    from < 0 ? `${old.trimEnd()}\n\n${section}\n` : old.slice(0, from) + section + old.slice(to + end.length);
  await writeFile(path, changed);
}

const columnsMax = 150;

/** Breaks sentences into lines; tables and pictures stay as they are. */
function wrapped(text: string): string {
  const isProse = (line: string) => !/^[|!]/.test(line);
  const breaks = new RegExp(`(.{1,${columnsMax}})(?: |$)`, 'g');
  return text
    .split('\n')
    .map((line) => (isProse(line) ? line.replace(breaks, '$1\n').trimEnd() : line))
    .join('\n');
}

/** Writes a picture or a table beside the page, in docs/benchmarks. */
export async function writeBeside(file: string, text: string): Promise<void> {
  await mkdir(join(docs, 'benchmarks'), { recursive: true });
  await writeFile(join(docs, 'benchmarks', file), text);
}

/** A table as CSV. */
export function csvOf(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const field = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [head, ...lines].map((line) => `${line.map(field).join(',')}\n`).join('');
}

/** A table of Markdown. */
export function tableOf(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** What was measured on one database. */
export type Column = { name: string; lines: [what: string, value: number][] };

/** A table of Markdown with a column for each database; all have the same lines. */
export function columnsTable(head: string, columns: readonly Column[]): string {
  const rows = columns[0]!.lines.map(([what]) => [
    what,
    ...columns.map(({ lines }) => lines.find((line) => line[0] === what)![1].toFixed(2)),
  ]);
  return tableOf([head, ...columns.map(({ name }) => name)], rows);
}

/** A requirement: its subject, the measured value, its bound, and whether it held. */
export type Mark = readonly [what: string, seen: string, bound: string, met: boolean];

export function atLeast(what: string, value: number, bound: number): Mark {
  return [what, value.toFixed(2), `>= ${bound}`, value >= bound];
}

export function atMost(what: string, value: number, bound: number): Mark {
  return [what, value.toFixed(2), `<= ${bound}`, value <= bound];
}

export function marksTable(marks: readonly Mark[]): string {
  return tableOf(
    ['what must hold', 'seen', 'mark', ''],
    marks.map(([what, seen, bound, met]) => [what, seen, bound, met ? 'met' : '**missed**']),
  );
}
