import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSteps } from '@inventory/db/migrate/schema-steps';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

test('the compose file, the manifests and the changelog have the version of package.json', () => {
  const { services } = parse(read('docker-compose.yml'), { merge: true });
  expect([services.api.image, services.worker.image]).toEqual(Array(2).fill(`inventory:${version}`));
  const { images } = parse(read('deploy/kubernetes/base/kustomization.yaml'));
  expect(images).toMatchObject([{ name: 'inventory', newTag: version }]);
  const [, newest] = /^## \[([\d.]+)\] - 20\d\d-\d\d-\d\d$/m.exec(read('CHANGELOG.md'))!;
  expect(newest).toBe(version);
});

test('the schema is that of 0.1.0, to the letter: a database of 0.1.0 refuses any other', () => {
  expect(readSteps()[0]!.checksum).toBe('409742037293e0ab5115240f1b51cd0a0cef537a1bc5ae871f1c1f561bfb96bb');
});
