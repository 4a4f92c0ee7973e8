import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from '../folders.ts';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** A certificate for `localhost` that nobody has signed, and its file. */
export function makeCertificate(): { key: Buffer; cert: Buffer; file: string } {
  const folder = createFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=test', '-addext', 'subjectAltName=DNS:localhost', '-days', '2', '-nodes'];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', ...subject, '-keyout', key, '-out', cert];
  execFileSync('openssl', made, { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert), file: cert };
}
