import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addressFor } from '../harness/as-part.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const root = join(import.meta.dirname, '../..');

// What `docker compose` does in the steps: the command line runs as it does in its container, on the database
// of the test.
const docker = `set -eu
docker() {
  case "$1 $2" in
    'compose up') ;;
    'compose run')
      shift 2
      while [ "$1" != admin ]; do shift; done
      shift
      "$NODE" --import tsx apps/admin/src/main.ts "$@"
      ;;
    *) echo "no such step: $*" >&2; exit 1 ;;
  esac
}
`;

test('the steps in containers, pasted as they are, end in a receipt', async () => {
  const section = readFileSync(join(root, 'docs/operating.md'), 'utf8').split('## In containers')[1]!;
  const steps = /```\n([\s\S]*?)```/.exec(section)![1]!;
  expect(steps).toMatch(/^docker compose up -d --build --wait\n/);
  const there = steps
    .replaceAll('http://127.0.0.1:3000/api/v1', service.baseUrl)
    // The test's database has warehouses already.
    .replace('--id 1 ', '--id 7 ')
    .replace('--warehouses 1 ', '--warehouses 7 ')
    .replace('"wid":1', '"wid":7');
  const output = await new Promise<string>((resolve, reject) => {
    const env = {
      ...process.env,
      NODE: process.execPath,
      DATABASE_URL: addressFor('operator', service.databaseUrl),
    };
    execFile('bash', ['-c', docker + there], { cwd: root, env }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stderr}`)),
    );
  });
  const receipt = output.slice(output.search(/\{"recNo":\d+,"status"/));
  expect(JSON.parse(receipt)).toMatchObject({ status: 'received', lot: { units: 5, wID: 7 } });
});
