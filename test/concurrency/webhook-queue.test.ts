import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { createWebhookQueue } from '@inventory/queue/webhooks/webhook-queue';
import { blockMs } from '@inventory/redis/redis';
import { Redis } from 'ioredis';
import { expect, inject, onTestFinished, test } from 'vitest';

const patience = { interval: 50 };

/**
 * Tells each command that Redis is given from now on. ioredis can do this, too, but ends with an error when
 * the first one comes together with the answer to its own.
 */
function watchCommands(tell: (...words: string[]) => void): void {
  const { hostname, port, username, password } = new URL(inject('redisUrl'));
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  if (password !== '') socket.write(`AUTH ${username || 'default'} ${password}\r\n`);
  socket.write('MONITOR\r\n');
  createInterface({ input: socket }).on('line', (line) =>
    tell(...Array.from(line.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, word]) => word!)),
  );
}

test('a webhook that became due is served although its wake-up was lost, while another one is due in an hour', async () => {
  const prefix = 'webhook-queue';
  const served: number[] = [];
  const queue = createWebhookQueue({
    redisUrl: inject('redisUrl'),
    prefix,
    concurrency: 4,
    serve: async (webhookId) => {
      served.push(webhookId);
      return 3_600_000;
    },
    report: () => {},
  });
  onTestFinished(() => queue.close(10_000));
  const redis = new Redis(inject('redisUrl'));
  onTestFinished(() => redis.disconnect());
  const keyOf = (name: string) => `${prefix}:{webhooks}:${name}`;
  await expect
    .poll(async () => {
      await queue.wake([1, 2], []);
      return [...new Set(served)].sort();
    }, patience)
    .toEqual([1, 2]);
  await expect.poll(() => redis.zcard(keyOf('delayed')), patience).toBe(2);
  // A working connection is never silent for longer than this: one that is gets replaced.
  const blocksFor: number[] = [];
  watchCommands((command, key, seconds) => {
    if (command?.toLowerCase() === 'bzpopmin' && key === keyOf('marker')) blocksFor.push(Number(seconds));
  });
  await expect.poll(() => blocksFor.length, patience).toBeGreaterThan(2);
  expect(Math.max(...blocksFor)).toBeLessThanOrEqual(blockMs / 1000);
  // As when the connection of the worker that was woken breaks: the job waits, and nobody is told.
  await redis
    .multi()
    .zrem(keyOf('delayed'), 'webhook-2')
    .lpush(keyOf('wait'), 'webhook-2')
    .del(keyOf('marker'))
    .exec();
  await expect.poll(() => served.filter((id) => id === 2).length, patience).toBe(2);
});
