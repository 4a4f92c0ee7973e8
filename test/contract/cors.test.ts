import { apiSettings } from '@inventory/api/config';
import { readConfig } from '@inventory/process/settings/config';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { errorObject } from '../harness/contract/answers.ts';
import { type Service, useService } from '../harness/service/service.ts';

const origin = 'https://app.example.com';
const other = 'https://elsewhere.example.com';

// fetch hides the headers of CORS.
async function ask({ baseUrl }: Service, method: string, path: string, headers: Record<string, string>) {
  const answer = await request(baseUrl + path, { method: method as 'GET', headers });
  const text = await answer.body.text();
  const cors = Object.entries(answer.headers).filter(([name]) => name.startsWith('access-control-'));
  const { vary = '' } = answer.headers;
  return { status: answer.statusCode, headers: answer.headers, text, vary, cors: Object.fromEntries(cors) };
}

const authorized = async (service: Service) => ({
  Authorization: `Bearer ${(await service.client()).token}`,
});

const preflight = { Origin: origin, 'Access-Control-Request-Method': 'POST' };

describe('without CORS_ORIGINS', () => {
  const service = useService();

  test('no CORS headers, and a preflight needs a token like any request', async () => {
    for (const [answer, status] of [
      [await ask(service, 'GET', '/Item', { Origin: origin, ...(await authorized(service)) }), 200],
      [await ask(service, 'OPTIONS', '/Item', preflight), 401],
      [await ask(service, 'OPTIONS', '/Token', preflight), 405],
    ] as const) {
      expect([answer.status, answer.cors]).toEqual([status, {}]);
      expect(answer.vary).not.toContain('Origin');
    }
  });
});

describe('with CORS_ORIGINS', () => {
  const service = useService({ env: { CORS_ORIGINS: `http://localhost:5173, ${origin}` } });

  test.each([
    ['/Token', 'POST'],
    ['/Item', 'GET, POST, PUT, HEAD'],
    ['/Item/All', 'GET, DELETE, HEAD'],
    ['/Item/5', 'GET, DELETE, HEAD'],
    ['/Inventory', 'GET, HEAD'],
    ['/Inventory/Receive', 'POST'],
    ['/Inventory/StockLevels/1?page=2', 'GET, HEAD'],
    ['/openapi.json', 'GET, HEAD'],
    ['/docs', 'GET, HEAD'],
    ['/WorkOrder/1', 'GET, HEAD, POST, PUT, PATCH, DELETE'],
  ])('204 without a token: the preflight of %s, with the methods of the path', async (path, methods) => {
    const answer = await ask(service, 'OPTIONS', path, preflight);
    expect([answer.status, answer.text]).toEqual([204, '']);
    const { 'access-control-allow-methods': allowed, ...said } = answer.cors;
    expect(String(allowed).split(', ').sort()).toEqual(methods.split(', ').sort());
    expect(said).toEqual({
      'access-control-allow-origin': origin,
      'access-control-allow-headers':
        'Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Prefer, X-Request-Id',
      'access-control-max-age': '7200',
    });
    expect(answer.vary).toContain('Origin');
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each(['/Nothing', '/item', '/Item/'])('404: the preflight of %s, an unknown path', async (path) => {
    const { text } = await ask(service, 'OPTIONS', path, preflight);
    expect(JSON.parse(text)).toEqual(errorObject(404, 'not_found', 'There is nothing at this path.'));
  });

  test('a listed origin may read answers and their headers, also of refusals, and never with credentials', async () => {
    const token = await authorized(service);
    const local = 'http://localhost:5173';
    for (const [status, method, path, Origin, more] of [
      [200, 'GET', '/Item', origin, token],
      [401, 'GET', '/Item', local, {}],
      [404, 'GET', '/Nothing', origin, token],
      [200, 'GET', '/openapi.json', origin, {}],
      [400, 'POST', '/Token', origin, {}],
      // No preflight: no method is asked for.
      [401, 'OPTIONS', '/Item', origin, {}],
    ] as const) {
      const answer = await ask(service, method, path, { Origin, ...more });
      const { 'access-control-expose-headers': exposed, ...said } = answer.cors;
      expect([answer.status, said], path).toEqual([status, { 'access-control-allow-origin': Origin }]);
      expect(answer.vary).toContain('Origin');
      const names = String(exposed).split(', ');
      const some = ['RateLimit', 'Retry-After', 'Idempotent-Replayed', 'X-Total-Count', 'ETag'];
      expect(names).toEqual(expect.arrayContaining(some));
      // All but the headers that pages can read anyway.
      const seen = Object.keys(answer.headers).filter((name) => /^x-|^ratelimit|^allow$|^www-/.test(name));
      expect(names.map((each) => each.toLowerCase())).toEqual(expect.arrayContaining(seen));
    }
  });

  test.each([other, 'null', `${origin}.evil.example`, `${origin}:444`, origin.toUpperCase(), ''])(
    'the origin "%s", which is not listed, gets no CORS headers, only Vary',
    async (Origin) => {
      const answer = await ask(service, 'GET', '/Item', { Origin, ...(await authorized(service)) });
      expect([answer.status, answer.cors]).toEqual([200, {}]);
      expect(answer.vary).toContain('Origin');
      const asked = await ask(service, 'OPTIONS', '/Item', { ...preflight, Origin });
      expect([asked.status, asked.cors]).toEqual([401, {}]);
    },
  );

  test('Vary also names the encoding', async () => {
    const answer = await ask(service, 'GET', '/docs/swagger-ui.css', { Origin: origin });
    expect(answer.vary).toBe('Origin, Accept-Encoding');
  });
});

describe('CORS_ORIGINS at the start', () => {
  const env = { DATABASE_URL: 'postgres://x', REDIS_URL: 'redis://x' };
  const originsOf = (text: string) => readConfig(apiSettings, { ...env, CORS_ORIGINS: text }).CORS_ORIGINS;

  test('origins, separated by commas', () => {
    const [local, v6] = ['http://localhost:5173', 'http://[::1]:81'];
    expect(originsOf('')).toEqual([]);
    expect(originsOf(' , ')).toEqual([]);
    expect(originsOf(`${origin},${local} , ${v6}`)).toEqual([origin, local, v6]);
  });

  test.each([
    ...['*', 'https://*.example.com', 'null', 'app.example.com', 'https://APP.example.com'],
    ...['https://user@app.example.com', 'ftp://app.example.com', `${origin}/`, `${origin}/path`],
    ...[`${origin}:443`, `${origin} ${other}`, `${origin};${other}`, `${origin},*`],
  ])('refused, and named: %s', (text) => {
    expect(() => originsOf(text)).toThrow(/^CORS_ORIGINS must be origins/);
  });
});
