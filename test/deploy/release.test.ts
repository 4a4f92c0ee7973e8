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

test('the first steps are those of 0.2.0, but for comments: a database of it refuses any other', () => {
  const steps = readSteps().slice(0, 11);
  expect(steps.map(({ version, checksum }) => [version, checksum])).toEqual([
    [1, '409742037293e0ab5115240f1b51cd0a0cef537a1bc5ae871f1c1f561bfb96bb'],
    [2, '93a8924c6e20fc8c9fd3d4be6157ab187bed823c54e6035a0d4445a86e01ea56'],
    [3, '01f8b4b8e9264c2a57988120f8e2427f95ef9b3b4f8bfa643b4000c32bedc7a6'],
    [4, '334cf231cbf93ad80f06303c71e5ae88ff254da97aeb3ade3235095afad551d6'],
    [5, '22baf7c033490df85bc902b979f0fd9f6a1e0dad8acfc752999fcd59babde02f'],
    [6, 'd0af009107dcb83ae5adfbc8cf808c1a5faa9175c47732bf67cdc125b2a614b4'],
    [7, '4cd251cea63dc9bca5bfb3c2236bc560fbbe7c55efd26f09d085b8b3b922c647'],
    [8, '2f879efe5d79c5d6b98cc414cd3355f5abe4ac3c03376207a09ea4ae0003fdd8'],
    [9, 'ef34ce3352b77874792e2c269a3a1308d7e552c36c5cc56453ad69ac0f30c424'],
    [10, '6552221a5033d76567d91dc78db517c2205c8975f325b830cde4b1a7599bc2ff'],
    [11, '34ae95d2cf2347b27fb9e929e91f580cc02bfa84775d327d37ca55bc27159bae'],
  ]);
});
