import type { Refused } from '@inventory/api/http/errors';
import { readJsonBody } from '@inventory/api/http/reading/body';
import Koa from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { get, serve } from '../harness/network/http-server.ts';

describe('the time in which a request must be answered', () => {
  /**
   * The time that the service counts between a request's arrival and the reading of its body, when it arrived
   * `agoMs` before.
   */
  async function ageOf(agoMs: number): Promise<number> {
    const app = new Koa();
    app.use(async (ctx) => {
      ctx.state.arrivedAt = performance.now() - agoMs;
      await readJsonBody(ctx);
      ctx.body = String(performance.now() - ctx.state.arrivedAt);
    });
    const { open } = await serve(app.callback());
    const connection = open();
    connection.write(
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
    );
    return Number((await connection.next())?.text);
  }

  test('begins when the request arrives', async () => {
    expect(await ageOf(900)).toBeGreaterThanOrEqual(900);
  });

  test('begins at the end of a late body, because its caller took the time before', async () => {
    expect(await ageOf(100_000)).toBeLessThan(50_000);
  });
});

test('408: a body that does not come, however much of it has, also behind another request', async () => {
  const app = new Koa();
  app.use(async (ctx) => {
    ctx.state.arrivedAt = performance.now();
    try {
      if (ctx.method === 'POST') await readJsonBody(ctx);
      ctx.body = 'read';
    } catch (error) {
      ctx.status = (error as Refused).status;
      ctx.body = '';
    }
  });
  const { open } = await serve(app.callback(), { times: { requestMs: 400 } });
  const start =
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
  for (const before of ['', get('/1')]) {
    const connection = open();
    connection.write(before + start);
    if (before !== '') expect((await connection.next())?.text).toBe('read');
    const feeding = setInterval(() => connection.write(' '), 100);
    onTestFinished(() => clearInterval(feeding));
    const answer = await connection.next();
    expect({ status: answer?.status, says: answer?.headers.get('connection') }).toEqual({
      status: 408,
      says: 'close',
    });
    expect(await connection.outcome()).not.toBe('open');
  }
});
