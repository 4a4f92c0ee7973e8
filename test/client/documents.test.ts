import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { readBlocks } from '../examples/documents.ts';
import { installClient } from '../harness/client-package.ts';
import { useFolder } from '../harness/folders.ts';
import { useService } from '../harness/service/service.ts';

const service = useService({ holds: 'demo' });
const run = promisify(execFile);
const folder = useFolder();
beforeAll(() => {
  installClient(folder);
});

const programs = readBlocks().filter(
  ({ file, language }) => language === 'js' && ['README.md', 'docs/client.md'].includes(file),
);
// The page makes its client once.
const first = programs.find(({ file }) => file === 'docs/client.md')!.text;

test.each(programs.map(({ file, line, text }) => [`${file}:${line}`, text] as const))(
  '%s runs on the demo data as it stands',
  async (name, text) => {
    const { clientId, secret } = await service.demoClient();
    const whole =
      text.includes('new InventoryClient({\n  baseUrl') && !text.includes('exact') ? text : first + text;
    const placed = whole
      .replaceAll('http://127.0.0.1:3000/api/v1', service.baseUrl)
      .replaceAll('/var/lib/scanner/queue', join(folder, 'scanner.queue'));
    const file = join(folder, `${name.replaceAll(/\W/g, '-')}.mjs`);
    writeFileSync(file, placed);
    expect(clientId).toBe('demo');
    const { stderr } = await run(process.execPath, [file], {
      env: { ...process.env, CLIENT_SECRET: secret },
    });
    expect(stderr).toBe('');
  },
);
