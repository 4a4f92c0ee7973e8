import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addressFor } from '../harness/as-part.ts';
import { useService } from '../harness/service/service.ts';

const service = useService({ workers: 0 });
const root = join(import.meta.dirname, '../..');
const hasScript = spawnSync('script', ['--version']).status === 0;
const timeout = 120_000;

/** Runs code on a terminal and answers its question; returns everything the terminal shows. */
function onTerminal(code: string, answer = ''): Promise<string> {
  const command = `${process.execPath} --import tsx --input-type=module --eval "$CODE"`;
  return new Promise((resolve) => {
    const url = addressFor('operator', service.databaseUrl);
    const env = { ...process.env, CODE: code, DATABASE_URL: url };
    const child = execFile('script', ['-qec', command, '/dev/null'], { cwd: root, env }, (_, shown) =>
      resolve(shown),
    );
    let shown = '';
    child.stdout!.on('data', (text: string) => {
      const wasAsked = shown.includes('to continue: ');
      shown += text;
      if (!wasAsked && shown.includes('to continue: ')) child.stdin!.write(answer);
    });
  });
}

const admin = (path: string) => join(root, 'apps/admin/src', path);

test.skipIf(!hasScript).each([
  ['nothing was done', 'no\r', false],
  ['nothing was done', '\r', true],
  // Ctrl-D: the end of the input.
  ['nothing was done', '\u0004', true],
  ['done', 'reset\r', false],
])(
  '%s: after the answer %j on a terminal, with or without --yes',
  { timeout },
  async (what, answer, isMeant) => {
    const shown = await onTerminal(
      `const { confirm } = await import('${admin('cli/confirm.ts')}');
    await confirm('it goes', 'reset', ${isMeant}).then(() => console.log('=> done'), ({ message }) => console.log('=> ' + message));`,
      answer,
    );
    expect(shown).toContain('it goes. Type reset to continue: ');
    expect(shown).toContain(`=> ${what}`);
  },
);

test.skipIf(!hasScript)(
  'the progress of a command appears on a terminal after a second, and is gone at the end',
  { timeout },
  async () => {
    const progress = (
      more: string,
    ) => `const { createProgress } = await import('${admin('cli/progress.ts')}');
      const progress = createProgress();
      progress.show('at once');
      ${more}
      progress.end();`;
    expect(await onTerminal(progress(''))).toBe('');
    const later =
      "await new Promise((resolve) => setTimeout(resolve, 1100)); progress.show('later' + String.fromCharCode(0x9b));";
    expect((await onTerminal(progress(later))).replace(/\d+ s/, '1 s')).toBe(
      '\r1 s  later?\u001b[K\r\u001b[K',
    );
  },
);

test.skipIf(!hasScript)(
  'the output of item export on a terminal cannot control it',
  { timeout },
  async () => {
    await service.item({ description: 'a\u009b31mb\u001b[31m' });
    const shown = await onTerminal(
      `const { runProgram } = await import('${admin('program.ts')}'); process.exit(await runProgram(['item', 'export']));`,
    );
    expect(shown).toContain('a?31mb?[31m');
    for (const moving of ['\u001b', '\u009b']) expect(shown).not.toContain(moving);
  },
);
