import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addressFor } from '../harness/as-part.ts';
import { programOf } from '../harness/compiled.ts';
import { useService } from '../harness/service/service.ts';

const service = useService({ workers: 0 });
const root = join(import.meta.dirname, '../..');
const hasScript = spawnSync('script', ['--version']).status === 0;

const modules = (path: string) => programOf(join(root, 'apps/admin/src', path));

/**
 * Runs code on a terminal and answers its questions, one after the other; returns everything the terminal
 * shows. The code gets a module of the command line as `admin`.
 */
function onTerminal(path: string, code: string, answers: readonly string[] = []): Promise<string> {
  const program = modules(path);
  const node = [process.execPath, ...program.slice(0, -1), '--input-type=module', '--eval', '"$CODE"'];
  return new Promise((resolve) => {
    const CODE = `const admin = await import('${program.at(-1)}');\n${code}`;
    const env = { ...process.env, CODE, DATABASE_URL: addressFor('operator', service.databaseUrl) };
    const child = execFile('script', ['-qec', node.join(' '), '/dev/null'], { cwd: root, env }, (_, shown) =>
      resolve(shown),
    );
    let shown = '';
    const asked = () => shown.split('to continue: ').length - 1;
    child.stdout!.on('data', (text: string) => {
      const before = asked();
      shown += text;
      for (const answer of answers.slice(before, asked())) child.stdin!.write(answer);
    });
  });
}

test.skipIf(!hasScript)(
  'a command that asks on a terminal does nothing without the right answer, with or without --yes',
  async () => {
    const shown = await onTerminal(
      'cli/confirm.ts',
      `for (const isMeant of [false, true, false, true])
        await admin.confirm('it goes', 'reset', isMeant)
          .then(() => console.log('=> done'), ({ message }) => console.log('=> ' + message));`,
      // The last one is Ctrl-D: the end of the input.
      ['no\r', '\r', 'reset\r', '\u0004'],
    );
    expect(shown.match(/it goes\. Type reset to continue: /g)).toHaveLength(4);
    expect([...shown.matchAll(/=> (.*?)\r?\n/g)].map(([, what]) => what)).toEqual([
      ...['nothing was done', 'nothing was done', 'done', 'nothing was done'],
    ]);
  },
);

test.skipIf(!hasScript)(
  'the progress of a command appears on a terminal after a second, and is gone at the end',
  async () => {
    const shown = await onTerminal(
      'cli/progress.ts',
      `const short = admin.createProgress();
      short.show('at once');
      short.end();
      const progress = admin.createProgress();
      progress.show('at once');
      await new Promise((resolve) => setTimeout(resolve, 1100));
      progress.show('later' + String.fromCharCode(0x9b));
      progress.end();`,
    );
    expect(shown.replace(/\d+ s/, '1 s')).toBe('\r1 s  later?\u001b[K\r\u001b[K');
  },
);

test.skipIf(!hasScript)('the output of item export on a terminal cannot control it', async () => {
  await service.item({ description: 'a\u009b31mb\u001b[31m' });
  const shown = await onTerminal('program.ts', `process.exit(await admin.runProgram(['item', 'export']));`);
  expect(shown).toContain('a?31mb?[31m');
  for (const moving of ['\u001b', '\u009b']) expect(shown).not.toContain(moving);
});
