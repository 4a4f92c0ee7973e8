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

test('the first steps are those of 0.1.1, but for comments: a database of it refuses any other', () => {
  const steps = readSteps().slice(0, 5);
  expect(steps.map(({ version, checksum }) => [version, checksum])).toEqual([
    [1, '409742037293e0ab5115240f1b51cd0a0cef537a1bc5ae871f1c1f561bfb96bb'],
    [2, '93a8924c6e20fc8c9fd3d4be6157ab187bed823c54e6035a0d4445a86e01ea56'],
    [3, '01f8b4b8e9264c2a57988120f8e2427f95ef9b3b4f8bfa643b4000c32bedc7a6'],
    [4, '334cf231cbf93ad80f06303c71e5ae88ff254da97aeb3ade3235095afad551d6'],
    [5, '22baf7c033490df85bc902b979f0fd9f6a1e0dad8acfc752999fcd59babde02f'],
  ]);
});
