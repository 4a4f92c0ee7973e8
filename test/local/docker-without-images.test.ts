import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { images } from '@inventory/local/docker';
import { startStack } from '@inventory/local/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useFolder } from '../harness/folders.ts';

// Answers like a Docker engine that has no images and can pull none.
let engine: Server;
const folder = useFolder();
const asked: string[] = [];
const before = { ...process.env };

beforeAll(async () => {
  engine = createServer((request, response) => {
    const url = request.url ?? '';
    asked.push(`${request.method} ${url}`);
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (url.includes('/images/create')) answer(404, { message: 'pull access denied' });
    else if (url.includes('/images/json') || url.includes('/containers/json')) answer(200, []);
    else if (/\/images\/.*\/json/.test(url)) answer(404, { message: 'no such image' });
    else if (url.includes('/info')) {
      answer(200, {
        ServerVersion: '28.0.0',
        OperatingSystem: 'Debian',
        OSType: 'linux',
        Architecture: 'x86_64',
        NCPU: 2,
        MemTotal: 1e9,
        Labels: [],
        IndexServerAddress: 'https://registry.example.com/',
      });
    } else if (url.includes('/networks')) answer(200, []);
    else if (request.method === 'GET') answer(200, {});
    else answer(500, { message: 'this engine runs nothing' });
  });
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
  process.env.DOCKER_HOST = `tcp://127.0.0.1:${(engine.address() as AddressInfo).port}`;
});
afterAll(() => {
  process.env = before;
  engine.closeAllConnections();
  engine.close();
});

test('missing images are named when the engine cannot get them, and local binaries are used', async () => {
  const lines: string[] = [];
  const starting = startStack({
    folder,
    docker: true,
    throwAway: true,
    report: (line) => lines.push(line),
  });
  await expect(starting).resolves.toMatchObject({ postgres: 'local', redis: 'local' });
  const stack = await starting;
  try {
    expect(asked.some((line) => line.includes('/info'))).toBe(true);
    for (const image of Object.values(images)) {
      const start = `Docker answers, but cannot run ${image} (`;
      expect(
        lines.filter((line) => line.startsWith(start) && line.endsWith('): local binaries instead')),
      ).toHaveLength(1);
    }
  } finally {
    await stack.stop();
  }
});
