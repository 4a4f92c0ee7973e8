import { execFile, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { makeChecks } from '@inventory/admin/doctor/check';
import { machineChecks } from '@inventory/admin/doctor/machine-checks';
import { watchCertificate } from '@inventory/api/certificate-left';
import { choosePort } from '@inventory/local/free-port';
import { expect, onTestFinished, test } from 'vitest';
import { readBlocks, root } from '../examples/documents.ts';
import { createFolder } from '../harness/folders.ts';
import { hasOpenssl, makeCertificate } from '../harness/network/certificate.ts';

const caddy = process.env.CADDY ?? 'caddy';
const hasCaddy = spawnSync(caddy, ['version']).status === 0;

const serialOf = (port: number) =>
  new Promise<string | null>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false });
    socket.once('error', () => resolve(null));
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
  });

test.skipIf(!hasOpenssl).each([
  [3, 'warn', 'ends in 2 days'],
  [60, 'ok', 'ends in 59 days'],
])(
  'a certificate that ends within %i days: doctor says %s, and the api measures it',
  async (days, state, found) => {
    const server = createServer(makeCertificate({ days }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const machine = { sql: null, redis: null, apis: [url], prefix: '', disk: null };
    const checks = await makeChecks(
      machine,
      machineChecks.filter(({ id }) => id === 'certificate'),
    );
    expect(checks).toMatchObject([{ state, found: `${new URL(url).host}: ${found}` }]);
    const watched = watchCertificate(url);
    onTestFinished(watched.stop);
    await expect.poll(() => Math.round(Object.values(watched.seconds())[0]! / 86_400)).toBe(days);
  },
);

test.skipIf(!hasOpenssl || !hasCaddy)(
  'a renewed certificate is served after the command of docs/containers.md (skipped without caddy; CADDY names it)',
  async () => {
    const folder = createFolder();
    cpSync(join(root, 'docker/proxy'), folder, { recursive: true });
    const [https, http, api, operations, health, admin] = await Promise.all(
      Array.from({ length: 6 }, (_, at) => choosePort(`the proxy ${at}`)),
    );
    const caddyfile = join(folder, 'Caddyfile');
    // The ports of the test. Debian's Caddy of 2022 does not know the other lines yet.
    const text = readFileSync(caddyfile, 'utf8')
      .replace('{\n', `{\n\tadmin localhost:${admin}\n`)
      .replace('8443', `${https}`)
      .replace('8080', `${http}`)
      .replace(':3000 {', `:${api} {`)
      .replaceAll(/(?<!api):9090 \{/g, `:${operations} {`)
      .replace('127.0.0.1:2018', `127.0.0.1:${health}`)
      .replace(/^\tlog default \{[\s\S]*?^\t\}\n/m, '')
      .replaceAll(/^\s*(?:persist_config|trusted_proxies).*\n/gm, '');
    writeFileSync(caddyfile, text);
    const files = join(folder, 'tls-files.caddy');
    writeFileSync(files, readFileSync(files, 'utf8').replaceAll('/tls/', `${folder}/`));
    makeCertificate({ folder });
    const env = { ...process.env, HOME: folder, SITE: 'localhost', TLS: 'files' };
    const child = spawn(caddy, ['run', '--config', caddyfile], { env, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('close', resolve));
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    await expect.poll(() => serialOf(https!)).not.toBe(null);
    const before = await serialOf(https!);
    const renewed = createFolder();
    makeCertificate({ folder: renewed, days: 60 });
    for (const name of ['certificate.pem', 'key.pem']) copyFileSync(join(renewed, name), join(folder, name));
    const line = readBlocks()
      .filter(({ file }) => file === 'docs/containers.md')
      .flatMap(({ text }) => text.split('\n'))
      .find((each) => each.startsWith('docker compose exec proxy caddy reload'))!;
    const words = line
      .replace('docker compose exec proxy caddy ', '')
      .replace('/etc/caddy/Caddyfile', `${caddyfile} --address localhost:${admin}`)
      .split(' ');
    await new Promise<void>((resolve, reject) => {
      execFile(caddy, words, { env }, (error, _, stderr) =>
        error === null ? resolve() : reject(new Error(stderr)),
      );
    });
    await expect.poll(() => serialOf(https!)).not.toBe(before);
  },
);
