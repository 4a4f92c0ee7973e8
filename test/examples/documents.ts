import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** A fenced block of a document: its text, the line where it begins, and its language. */
export type Block = { file: string; line: number; language: string; text: string };

/** The documents with text for a reader to paste. */
const files = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
  ...['deploy/kubernetes/README.md', 'deploy/systemd/README.md'],
];

export function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** Every fenced block of the documents, in order. */
export function readBlocks(): Block[] {
  return files.flatMap(readBlocksOf);
}

export function readBlocksOf(file: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const [index, line] of textOf(file).split('\n').entries()) {
    const fence = /^```(\S*)$/.exec(line);
    if (fence === null) {
      if (open !== undefined) open.text += `${line}\n`;
    } else if (open === undefined) {
      open = { file, line: index + 2, language: fence[1]!, text: '' };
    } else {
      blocks.push(open);
      open = undefined;
    }
  }
  return blocks;
}

/** The text in backticks in a document's sentences, with its place. */
export function readInlineCode(): { where: string; code: string }[] {
  return files.flatMap((file) => {
    const outside = textOf(file).replace(/^```[\s\S]*?^```$/gm, '');
    return [...outside.matchAll(/`([^`\n]+)`/g)].map(([, code]) => ({ where: file, code: code! }));
  });
}

/**
 * The commands of a shell block: one a line, together with the lines of a here-document or a continuation.
 */
export function commandsOf(text: string): string[] {
  const commands: string[] = [];
  let end: string | undefined;
  let continued = false;
  for (const line of text.split('\n')) {
    if (end !== undefined || continued) commands.push(`${commands.pop()}\n${line}`);
    else if (line.trim() !== '') commands.push(line);
    if (end !== undefined) {
      if (line === end) end = undefined;
      continue;
    }
    end = /<<-?'?(\w+)'?/.exec(line)?.[1];
    continued = line.endsWith('\\');
  }
  return commands.filter((command) => !command.startsWith('#'));
}
