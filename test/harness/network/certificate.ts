import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from '../folders.ts';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/**
 * A certificate that nobody has signed, and its file: for `name`, for so many days. In `folder` are then
 * `certificate.pem` and `key.pem`, as the proxy wants them.
 */
export function makeCertificate({ name = 'DNS:localhost', days = 2, folder = createFolder() } = {}): {
  key: Buffer;
  cert: Buffer;
  file: string;
} {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=${name}`, '-days', `${days}`, '-nodes'];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', ...subject, '-keyout', key, '-out', cert];
  execFileSync('openssl', made, { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert), file: cert };
}
