import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Cluster } from './cluster.ts';
import { pickOne } from './random.ts';
import { startToken } from './token.ts';
import type { Answer } from './told.ts';

export const batchPath = '/Inventory/Batch';

/**
 * Sends a request to any api that accepts connections, like a load balancer. `cut`: the caller hangs up after
 * this many milliseconds, or with half of the body sent.
 */
export type Send = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
  key?: string,
  cut?: { afterMs: number } | 'in the body',
) => Promise<Answer>;

// Answers are due after 3.5 s, those of batches after 10 s. A request without an answer after this long
// counts as lost.
const answerWithinMs = 8000;
const batchWithinMs = 15_000;

/** Sends with a token of the cluster's client until `isRunning` returns false. */
export async function startSending(
  cluster: Cluster,
  options: { connections: number; random: () => number; isRunning: () => boolean },
): Promise<{ send: Send; close(): Promise<void> }> {
  const pools = new Map<number, Pool>();
  const token = await startToken(cluster, cluster.clientId, cluster.secret);

  function poolOf(port: number): Pool {
    const { connections } = options;
    const made = { connections, pipelining: 1, headersTimeout: answerWithinMs };
    const pool = pools.get(port) ?? new Pool(`http://127.0.0.1:${port}`, made);
    pools.set(port, pool);
    return pool;
  }

  return {
    async send(method, path, body, key, cut) {
      const text = body === undefined ? undefined : JSON.stringify(body);
      for (;;) {
        const ports = cluster.apis.map((member) => member.port).filter((port) => port !== 0);
        if (ports.length > 0) {
          const port = pickOne(options.random, ports);
          const startedAt = performance.now();
          const used = token.current();
          const hangUp = new AbortController();
          const late = typeof cut === 'object' ? setTimeout(() => hangUp.abort(), cut.afterMs) : undefined;
          try {
            const answer = await poolOf(port).request({
              method,
              path: `/api/v1${path}`,
              headers: {
                authorization: `Bearer ${used}`,
                ...(text === undefined ? {} : { 'content-type': 'application/json' }),
                ...(cut === 'in the body' ? { 'content-length': `${Buffer.byteLength(text!)}` } : {}),
                ...(key === undefined ? {} : { 'idempotency-key': key }),
              },
              ...(text === undefined
                ? {}
                : { body: cut === 'in the body' ? Readable.from(halfOf(text)) : text }),
              ...(typeof cut === 'object' ? { signal: hangUp.signal } : {}),
              ...(path === batchPath ? { headersTimeout: batchWithinMs } : {}),
            });
            const said = await answer.body.text();
            if (answer.statusCode === 401 && (await token.renew(used))) continue;
            const isReplayed = answer.headers['idempotent-replayed'] === 'true';
            return {
              status: answer.statusCode,
              text: said,
              port,
              tookMs: performance.now() - startedAt,
              isReplayed,
            };
          } catch (error) {
            // Refused: nothing was sent, so another api is tried.
            if ((error as { code?: string }).code !== 'ECONNREFUSED') {
              const lost = { status: 0, text: String(error), port, tookMs: performance.now() - startedAt };
              // Half a body stays half, whatever ended the connection.
              if (cut === 'in the body') return { ...lost, cut: 'sending' };
              return hangUp.signal.aborted ? { ...lost, cut: 'waiting' } : lost;
            }
          } finally {
            clearTimeout(late);
          }
        }
        if (!options.isRunning()) return { status: -1, text: '', port: 0, tookMs: 0 };
        await pause(20);
      }
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

/** Sends half of a body, then breaks the connection. */
async function* halfOf(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  yield bytes.subarray(0, bytes.length >> 1);
  // Some of these bytes have arrived by then.
  await pause(5);
  throw new Error('the caller hangs up');
}
