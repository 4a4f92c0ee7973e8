import { apiSettings } from '@inventory/api/config';
import { answerHeaders } from '@inventory/api/openapi/responses';
import { readConfig } from '@inventory/process/settings/config';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { errorObject } from '../harness/contract/answers.ts';
import { useService } from '../harness/service/service.ts';

const origin = 'https://app.example.com';
const other = 'https://elsewhere.example.com';

// fetch hides the headers of CORS.
async function ask(
  service: { baseUrl: string },
  method: string,
  path: string,
  headers: Record<string, string> = {},
) {
  const answer = await request(service.baseUrl + path, { method: method as 'GET', headers });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: answer.headers, text };
}

function corsOf(headers: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
}

const preflight = { Origin: origin, 'Access-Control-Request-Method': 'POST' };

describe('without CORS_ORIGINS', () => {
  const service = useService();

  test('no CORS headers, and a preflight needs a token like any request', async () => {
    const { token } = await service.client();
    const Authorization = `Bearer ${token}`;
    const answers = [
      await ask(service, 'GET', '/Item', { Origin: origin, Authorization }),
      await ask(service, 'OPTIONS', '/Item', preflight),
      await ask(service, 'OPTIONS', '/Token', preflight),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 405]);
    for (const { headers } of answers) {
      expect(corsOf(headers)).toEqual({});
      expect(headers.vary ?? '').not.toContain('Origin');
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
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
    const { 'access-control-allow-methods': allowed, ...said } = corsOf(answer.headers);
    expect(String(allowed).split(', ').sort()).toEqual(methods.split(', ').sort());
    expect(said).toEqual({
      'access-control-allow-origin': origin,
      'access-control-allow-headers':
        'Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Prefer, X-Request-Id',
      'access-control-max-age': '7200',
    });
    expect(answer.headers.vary).toContain('Origin');
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('404: the preflight of an unknown path', async () => {
    for (const path of ['/Nothing', '/item', '/Item/']) {
      const answer = await ask(service, 'OPTIONS', path, preflight);
      expect(JSON.parse(answer.text)).toEqual(
        errorObject(404, 'not_found', 'There is nothing at this path.'),
      );
    }
  });

  test('a listed origin may read answers and their headers, also of refusals, and never with credentials', async () => {
    const { token } = await service.client();
    const answers = [
      await ask(service, 'GET', '/Item', { Origin: origin, Authorization: `Bearer ${token}` }),
      await ask(service, 'GET', '/Item', { Origin: 'http://localhost:5173' }),
      await ask(service, 'GET', '/Nothing', { Origin: origin, Authorization: `Bearer ${token}` }),
      await ask(service, 'GET', '/openapi.json', { Origin: origin }),
      await ask(service, 'POST', '/Token', { Origin: origin }),
      // No preflight: no method is asked for.
      await ask(service, 'OPTIONS', '/Item', { Origin: origin }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 200, 400, 401]);
    for (const [index, { headers }] of answers.entries()) {
      const { 'access-control-expose-headers': exposed, ...said } = corsOf(headers);
      expect(said).toEqual({ 'access-control-allow-origin': index === 1 ? 'http://localhost:5173' : origin });
      expect(headers.vary).toContain('Origin');
      const names = String(exposed).split(', ');
      for (const name of ['RateLimit', 'Retry-After', 'Idempotent-Replayed', 'X-Total-Count', 'ETag']) {
        expect(names).toContain(name);
      }
      // Headers that pages can read anyway.
      const safe = ['cache-control', 'content-type', 'content-length', 'vary', 'date', 'connection'];
      const seen = Object.keys(headers).filter((name) => /^x-|^ratelimit|^allow$|^www-/.test(name));
      for (const name of seen.filter((each) => !safe.includes(each))) {
        expect(names.map((each) => each.toLowerCase())).toContain(name);
      }
    }
  });

  test.each([other, 'null', `${origin}.evil.example`, `${origin}:444`, origin.toUpperCase(), ''])(
    'the origin "%s", which is not listed, gets no CORS headers, only Vary',
    async (Origin) => {
      const { token } = await service.client();
      const answer = await ask(service, 'GET', '/Item', { Origin, Authorization: `Bearer ${token}` });
      expect({ status: answer.status, said: corsOf(answer.headers) }).toEqual({ status: 200, said: {} });
      expect(answer.headers.vary).toContain('Origin');
      const asked = await ask(service, 'OPTIONS', '/Item', { ...preflight, Origin });
      expect({ status: asked.status, said: corsOf(asked.headers) }).toEqual({ status: 401, said: {} });
    },
  );

  test('Vary also names the encoding', async () => {
    const answer = await ask(service, 'GET', '/docs/swagger-ui.css', { Origin: origin });
    expect(answer.headers.vary).toBe('Origin, Accept-Encoding');
  });
});

describe('CORS_ORIGINS at the start', () => {
  const env = { DATABASE_URL: 'postgres://x', REDIS_URL: 'redis://x' };
  const originsOf = (text: string) => readConfig(apiSettings, { ...env, CORS_ORIGINS: text }).CORS_ORIGINS;

  test('origins, separated by commas', () => {
    expect(originsOf('')).toEqual([]);
    expect(originsOf(' , ')).toEqual([]);
    expect(originsOf(`${origin},http://localhost:5173 , http://[::1]:80`.replace(':80', ':81'))).toEqual([
      origin,
      'http://localhost:5173',
      'http://[::1]:81',
    ]);
  });

  test.each([
    '*',
    'https://*.example.com',
    'null',
    'app.example.com',
    `${origin}/`,
    `${origin}/path`,
    'https://APP.example.com',
    `${origin}:443`,
    'https://user@app.example.com',
    'ftp://app.example.com',
    `${origin} ${other}`,
    `${origin};${other}`,
    `${origin},*`,
  ])('refused, and named: %s', (text) => {
    expect(() => originsOf(text)).toThrow(/^CORS_ORIGINS must be origins/);
  });
});

test('a page can read every header of an answer in the OpenAPI document', () => {
  for (const name of [
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'Idempotent-Replayed',
    'X-Request-Id',
  ]) {
    expect(answerHeaders).toContain(name);
  }
});
